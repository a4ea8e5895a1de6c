// Edit mode: stickers are painted on a net and on the cube, or pieces are swapped. The page loads this file when it is first needed.

import { Refusal } from './api.js';
import { $, store, stored } from './dom.js';
import { BLANK, Net } from './net.js';
import { showReasons } from './reasons.js';

const percentPainted = (text) => Math.round(100 * (1 - (text.split(BLANK).length - 1) / text.length));

export class Editor {
  /** The edited position; null outside edit mode. */
  draft = null;
  #letter = null;
  #net = new Net({ press: (at) => this.press(at), choose: (letter) => this.#choose(letter) });

  /**
   * `on.player` and `on.verdict` show the position. `on.asked(action)` runs an action that asks the server, `on.sceneOf(position)`
   * is the scene of a position, `on.enter(position)` goes to it and edits on.
   */
  constructor(on) {
    this.on = on;
    $('blank').addEventListener('click', () => this.#change(this.#net.blank));
    $('resume').addEventListener('click', () => this.#change(this.#kept));
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Edits the position of a scene without steps. */
  begin({ puzzle, solved }, scene) {
    const { player } = this.on;
    // Edit mode changes a copy of the scene.
    player.show(structuredClone(scene));
    player.isEditing = true;
    Object.assign(this, { puzzle, solved, scene, draft: scene.written, isPainted: scene.letters.length > 0 });
    $('edit').setAttribute('aria-pressed', 'true');
    $('editor').hidden = false;
    $('main').classList.add('editing');
    $('painting').hidden = !this.isPainted;
    $('edit-hint').textContent = this.isPainted
      ? 'Hold your cube like this one: U on top, F in front. Choose a colour, then press stickers here or on the cube.'
      : 'To swap two pieces, drag one onto the other or press both. The field above shows the pieces.';
    $('position').value = this.draft;
    if (!this.isPainted) return;
    this.#net.show(scene, solved);
    this.#choose(scene.letters.some(({ letter }) => letter === this.#letter) ? this.#letter : scene.letters[0].letter);
    this.#draw();
    const kept = this.#kept;
    $('resume').hidden = kept === null;
    $('resume').textContent = `Continue your painting (${percentPainted(kept ?? '')} %)`;
  }

  /** Ends edit mode. */
  end() {
    [this.draft, this.on.player.isEditing] = [null, false];
    this.on.player.choose(null);
    $('edit').setAttribute('aria-pressed', 'false');
    $('editor').hidden = true;
    $('main').classList.remove('editing');
  }

  /** A sticker or a piece was pressed. */
  press(at) {
    const { player } = this.on;
    if (this.isPainted) this.#change(this.draft.slice(0, at) + this.#letter + this.draft.slice(at + 1));
    else if (player.chosen === null) player.choose(at);
    else this.swap(player.chosen, at);
  }

  /** Two pieces change places. */
  swap(from, to) {
    this.on.player.choose(null);
    if (this.isPainted || from === to) return;
    const pieces = [...this.draft];
    [pieces[from], pieces[to]] = [pieces[to], pieces[from]];
    // The picture shows valid positions only: an invalid swap shows its error and is undone.
    this.#change(pieces.join('')).then(() => {
      this.draft &&= this.scene.written;
    });
  }

  get #storedAs() {
    return `painting-${this.puzzle}`;
  }

  /** The painting of this puzzle that was left unfinished; null if there is none. */
  get #kept() {
    const text = stored(this.#storedAs);
    return text?.length === this.solved.length ? text : null;
  }

  #choose(letter) {
    this.#letter = letter;
    for (const swatch of $('letters').children) swatch.setAttribute('aria-checked', swatch.textContent === letter);
  }

  /** Digits choose a colour. */
  #key(event) {
    const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, textarea, select');
    if (this.draft !== null && !isTyped) $('letters').children[Number(event.key) - 1]?.click();
  }

  /** Draws the painting on the net and on the cube. `reasons` are errors by character. */
  #draw(reasons = new Map()) {
    const wrong = this.#net.spread(reasons);
    this.#net.draw(this.draft, wrong);
    this.on.player.paint([...this.draft].map((letter) => this.#net.colours.get(letter)), wrong);
  }

  /** Takes an edited position: goes to it if it is valid, else shows the reasons. */
  async #change(text) {
    this.draft = text;
    $('position').value = text;
    if (this.isPainted) {
      store(this.#storedAs, text);
      $('resume').hidden = true;
      const reasons = this.#net.errors(text);
      this.#draw(reasons);
      if (text.includes(BLANK)) {
        const left = text.split(BLANK).length - 1;
        this.on.verdict.stop(`${left} ${left === 1 ? 'sticker' : 'stickers'} to paint`, 'Paint all of them to see the distance.');
        showReasons({ problems: [...new Set(reasons.values())].map((message) => ({ message })), detail: '' });
        return;
      }
    }
    await this.on.asked(async () => {
      try {
        await this.on.sceneOf(text);
      } catch (error) {
        if (this.draft === text && error instanceof Refusal) this.#refuse(error.problem);
        throw error;
      }
      if (this.draft !== text) return;
      if (this.isPainted) store(this.#storedAs, '');
      await this.on.enter(text);
    });
  }

  /** The server refused the position: marks the places of its reasons. */
  #refuse(problem) {
    this.on.verdict.refuse();
    if (!this.isPainted) return;
    const places = (problem.problems ?? []).filter(({ at }) => at).map(({ at, message }) => [at.start, message]);
    this.#draw(new Map([...this.#net.errors(this.draft), ...places]));
  }
}
