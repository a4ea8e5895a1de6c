// What is known about a position: its distance, what every next move does, its shortest solutions.

import { address, ask, lines, Refusal } from './api.js';
import { $, button, element } from './dom.js';

/** Solutions that are listed unasked, and when more are wanted. */
const FEW = 50;
const MANY = 10000;
/** What distances count, by the name of the metric. */
const UNITS = { twists: ['twist', 'twists'], wca: ['WCA move', 'WCA moves'], face: ['face move', 'face moves'], htm: ['move', 'moves'], qtm: ['quarter turn', 'quarter turns'] };

/** A number of moves in words. */
export function moves(count, metric) {
  const [one, many] = UNITS[metric] ?? ['move', 'moves'];
  return `${count} ${count === 1 ? one : many}`;
}

/** A list item with a button. */
export function listed(text, action) {
  const chosen = button(text, () => {
    for (const other of chosen.closest('ol').querySelectorAll('[aria-current]')) other.removeAttribute('aria-current');
    chosen.setAttribute('aria-current', 'true');
    action();
  });
  return element('li', {}, chosen);
}

/** Why there is no answer, in words. */
function refusal(error) {
  if (!(error instanceof Refusal)) throw error;
  const { detail, remedy } = error.problem;
  return remedy ? `${detail} (${remedy})` : detail;
}

/** A remark with why there is no answer. */
export function refused(element, error) {
  element.textContent = refusal(error);
}

/** After so many milliseconds it is told that something waits. */
const SOON = 500;

/** What the server begins in its turn: told in an element that it is done, or that it waits. */
export class Beginning {
  constructor(element, text) {
    Object.assign(this, { element, text, isAwaited: true });
    element.textContent = text;
    setTimeout(() => {
      if (this.isAwaited) element.textContent = 'Waiting until the server begins …';
    }, SOON);
  }

  /** The server has begun. */
  ends() {
    if (!this.isAwaited) return;
    this.isAwaited = false;
    this.element.textContent = this.text;
  }
}

export class Answer {
  #told = '';
  #isLeft = false;

  /**
   * `on.play(moves)`, `on.goTo(moves)` and `on.preview(moves)` are what people do with moves; `on.asked(action)` does what asks
   * the server; `on.known(answer)`: there is an answer.
   */
  constructor(on) {
    this.on = on;
    $('all-solutions').addEventListener('click', () => on.asked(() => this.#solutions(MANY)));
    // Whoever leaves the list sees the position again.
    for (const event of ['mouseleave', 'focusout']) $('moves').addEventListener(event, () => on.preview(null));
  }

  /** Whether another position is on its way: the distance that is known is of the one before. */
  set isLeft(isLeft) {
    this.#isLeft = isLeft;
    this.#draw();
  }

  /** Tells the distance in words; null as long as it is asked for. */
  #tell(text) {
    this.#told = text;
    this.#draw();
  }

  #draw() {
    const text = this.#isLeft ? null : this.#told;
    $('answer-part').setAttribute('aria-busy', text === null);
    $('distance').textContent = text ?? '…';
  }

  /** Asks about a position, and shows the answer. `isWritten` tells whether the position is the one that is seen, as it lies. */
  async show(info, position, metric, isWritten, signal) {
    Object.assign(this, { info, position, metric, signal });
    this.#isLeft = false;
    for (const id of ['facts', 'moves', 'solutions']) $(id).replaceChildren();
    $('solutions-part').hidden = true;
    $('moves-part').hidden = true;
    this.#tell(null);
    // The scene writes its position with that layer turned on. Where turns count, that is another position.
    if (metric === 'wca' && !isWritten) {
      this.#tell('A big piece lies across the ends of a layer: turn it on to see how far the position is.');
      return;
    }
    let answer;
    try {
      answer = await ask(`${info.puzzle}/query`, { position, metric }, signal);
    } catch (error) {
      this.#tell(refusal(error));
      return;
    }
    if (signal.aborted) return;
    this.#tell(this.#headline(answer));
    this.on.known(answer);
    this.#facts(answer);
    this.#moves(answer);
    if (answer.distance) await this.#solutions(FEW);
  }

  /** The distance, and the number of solutions. */
  #headline({ distance, at_least: least, metric, solutions }) {
    if (distance === null) return `At least ${moves(least, metric)} from solved. Run Optimal for the exact distance.`;
    const far = distance === 0 ? 'Solved' : `${moves(distance, metric)} from solved`;
    if (distance === 0 || !solutions) return `${far}.`;
    return `${far}, ${solutions === 1 ? 'one shortest solution' : `${solutions.toLocaleString('en')} shortest solutions`}.`;
  }

  /** All else that the answer tells, by its names in the API. */
  #facts(answer) {
    const shown = (value) => ['string', 'number', 'boolean'].includes(typeof value);
    const above = ['input', 'puzzle', 'distance', 'at_least', 'solution', 'solutions'];
    const facts = Object.entries(answer).filter(([name, value]) => shown(value) && !above.includes(name));
    if (answer.tables?.length > 0) facts.push(['tables', answer.tables.join(', ')]);
    const parts = facts.flatMap(([name, value]) => [
      element('dt', {}, name.replaceAll('_', ' ')),
      element('dd', {}, String(value)),
    ]);
    $('facts').replaceChildren(...parts);
  }

  /** Every next move, those that lead nearer first. */
  #moves({ distance, moves: next = [] }) {
    $('moves-part').hidden = next.length === 0;
    const measure = (move) => move.distance ?? move.to_h ?? null;
    const isKnown = (move) => distance !== null && move.distance !== null;
    const groups = [
      ['nearer', 'Nearer', (move) => isKnown(move) && move.distance < distance],
      ['as-far', 'As far', (move) => isKnown(move) && move.distance === distance],
      ['farther', 'Farther', (move) => isKnown(move) && move.distance > distance],
      ['unknown', 'Not nearer', (move) => distance !== null && move.distance === null && move.at_least >= distance],
      ['unknown', 'Distance not known', (move) => !isKnown(move) && !(distance !== null && move.at_least >= distance)],
    ];
    for (const [kind, title, isMember] of groups) {
      const members = next.filter((move) => isMember(move)).sort((a, b) => (measure(a) ?? 99) - (measure(b) ?? 99));
      if (members.length === 0) continue;
      const name = element('h3', { className: `group-name ${kind}` }, `${title}: ${members.length}`);
      $('moves').append(name, element('ul', { className: 'group' }, ...members.map((move) => this.#move(move))));
    }
  }

  #move({ move, distance, to_h: toH }) {
    const next = button(move, () => this.on.goTo(move), { className: 'move' });
    const known = distance ?? (toH === null || toH === undefined ? null : `H ${toH}`);
    if (known !== null) {
      // Read aloud without a word between them, a move and a number would be another move.
      const unit = known === distance ? moves(distance, this.metric).slice(String(distance).length) : ` ${toH === 1 ? 'move' : 'moves'}`;
      next.append(element('span', { className: 'aloud' }, ' to '), element('b', {}, known), element('span', { className: 'aloud' }, unit));
    }
    // The pointer has to move: a list that appears beneath it is not pointed at.
    for (const event of ['mousemove', 'focus']) next.addEventListener(event, () => this.on.preview(move));
    return element('li', {}, next);
  }

  /** Opens an empty list of solutions. */
  #list() {
    $('solutions').replaceChildren();
    $('solutions-part').hidden = false;
    $('all-solutions').hidden = true;
  }

  /** Lists solutions as they come. */
  async #solutions(limit) {
    const { info, position, metric, signal } = this;
    const query = { position, metric, limit };
    this.#list();
    $('export').hidden = false;
    $('export').href = address(`${info.puzzle}/solutions`, { position, metric });
    $('export').download = `${info.puzzle}-solutions.jsonl`;
    const list = (this.listing = {});
    let count = 0;
    const beginning = new Beginning($('solutions-state'), '');
    try {
      for await (const line of lines(`${info.puzzle}/solutions`, query, signal, () => beginning.ends())) {
        if (this.listing !== list) return;
        if (line.solution !== undefined) {
          count += 1;
          const { solution } = line;
          $('solutions').append(listed(solution, () => this.on.play(solution)));
          $('solutions-state').textContent = `${count.toLocaleString('en')} so far …`;
        } else if (line.error) {
          $('solutions-state').textContent = line.error.message;
        } else {
          const more = line.truncated ? ' The table knows more.' : '';
          $('solutions-state').textContent = `${line.solutions.toLocaleString('en')} listed.${more}`;
          $('all-solutions').hidden = !line.truncated || limit === MANY;
        }
      }
    } catch (error) {
      refused($('solutions-state'), error);
    } finally {
      beginning.isAwaited = false;
    }
  }
}
