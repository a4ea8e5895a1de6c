// The flat net of a cube, to paint: a button for each sticker.

import { $, button, element } from './dom.js';

/** The character of a sticker that is not painted yet. */
export const BLANK = '.';

/** The faces in the order of the facelets, with their place in the net: row, column. */
const FACES = { U: [0, 1], R: [1, 2], F: [1, 1], D: [2, 1], L: [1, 0], B: [1, 3] };
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Black or white, whichever is easier to read on a colour. */
function readableOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000' : '#fff';
}

export class Net {
  #stickers = [];
  #pieces = [];

  /** `on.press(at)`: the sticker of a character was pressed. `on.choose(letter)`: a colour was chosen. */
  constructor(on) {
    this.on = on;
    $('net').addEventListener('keydown', (event) => this.#key(event));
  }

  /** Shows the stickers of a scene of a cube. `solved` are the facelets of the solved cube. */
  show({ solids, letters }, solved) {
    this.colours = new Map(letters.map(({ letter, colour }) => [letter, colour]));
    this.solved = solved;
    $('letters').replaceChildren(...letters.map((paint, number) => this.#swatch(paint, number)));
    this.#pieces = solids.map(({ facets }) => facets.map(({ at }) => at).filter((at) => at !== undefined)).filter(({ length }) => length > 0);
    if (this.#stickers.length === solved.length) return;
    const side = Math.sqrt(solved.length / 6);
    this.#stickers = [];
    const faces = Object.entries(FACES).map(([name, [row, column]]) => {
      const face = element('div', { className: 'face' });
      face.style.gridArea = `${row + 1} / ${column + 1}`;
      face.style.gridTemplateColumns = `repeat(${side}, 1fr)`;
      for (let part = 0; part < side * side; part += 1) {
        const at = this.#stickers.length;
        const sticker = button('', () => this.on.press(at), { tabIndex: at === 0 ? 0 : -1 });
        Object.assign(sticker.dataset, { at, name: `${name}${part + 1}`, row: row * side + Math.floor(part / side), column: column * side + (part % side) });
        this.#stickers.push(sticker);
        face.append(sticker);
      }
      return face;
    });
    for (const face of $('net').querySelectorAll('.face')) face.remove();
    $('net').append(...faces);
  }

  #swatch({ letter, colour }, number) {
    const swatch = button(letter, () => this.on.choose(letter), { role: 'radio', title: `Key ${number + 1}` });
    Object.assign(swatch.style, { background: colour, color: readableOn(colour) });
    return swatch;
  }

  /** Paints a text. `wrong` are reasons by character. */
  draw(text, wrong) {
    this.#stickers.forEach((sticker, at) => {
      const letter = text[at];
      sticker.style.background = this.colours.get(letter) ?? '';
      sticker.classList.toggle('wrong', wrong.has(at));
      sticker.title = wrong.get(at) ?? '';
      sticker.ariaLabel = `${sticker.dataset.name}: ${letter === BLANK ? 'no colour' : letter}${wrong.has(at) ? ', wrong' : ''}`;
    });
  }

  /** A text with nothing painted but the centres that a cube has. */
  get blank() {
    const centres = new Set(this.#pieces.filter(({ length }) => length === 1).flat());
    return [...this.solved].map((letter, at) => (centres.has(at) ? letter : BLANK)).join('');
  }

  /** Reasons by character: each holds for the whole piece. */
  spread(reasons) {
    const whole = ([at, reason]) => (this.#pieces.find((piece) => piece.includes(at)) ?? [at]).map((other) => [other, reason]);
    return new Map([...reasons].flatMap(whole));
  }

  /** The errors of an unfinished painting: reasons by character. */
  errors(text) {
    const lettersOf = (piece, from) => piece.map((at) => from[at]).toSorted().join('');
    const count = (letters, from) => this.#pieces.filter((piece) => lettersOf(piece, from) === letters).length;
    const reasons = new Map();
    for (const piece of this.#pieces) {
      const letters = lettersOf(piece, text);
      if (letters.includes(BLANK)) continue;
      const named = [...letters].join(', ');
      if (count(letters, this.solved) === 0) reasons.set(piece[0], `no piece has the colours ${named}`);
      else if (count(letters, text) > count(letters, this.solved)) reasons.set(piece[0], `the piece with the colours ${named} appears twice`);
    }
    for (const letter of this.colours.keys()) {
      const painted = [...text].map((own, at) => (own === letter ? at : -1)).filter((at) => at >= 0);
      if (painted.length > this.solved.length / 6) reasons.set(painted.at(-1), `colour ${letter} appears ${painted.length} times; expected ${this.solved.length / 6}`);
    }
    return reasons;
  }

  /** Arrows go from sticker to sticker. */
  #key(event) {
    const way = ARROWS[event.key];
    const { row, column } = event.target.dataset;
    if (!way || row === undefined) return;
    const to = this.#stickers.find(({ dataset }) => Number(dataset.row) === Number(row) + way[0] && Number(dataset.column) === Number(column) + way[1]);
    event.preventDefault();
    if (!to) return;
    for (const sticker of this.#stickers) sticker.tabIndex = sticker === to ? 0 : -1;
    to.focus();
  }
}
