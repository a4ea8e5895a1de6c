// Help: what to type, the keys, the words.

import { $, button, element } from './dom.js';
import { TERMS } from './words.js';

/** Texts to try, by puzzle. Others get moves and the solved position. */
const EXAMPLES = {
  cube3: [
    ['A scramble', "R U R' U' F2"],
    ['A commutator', '[R, U]3'],
    ['Colours of the stickers, face by face: U R F D L B', 'OBBBWWYRR BOWYROOGO GYYGGGGWW WBBYYOWWB GORROROBR RRYYBWYGG'],
    ['The superflip, 20 moves from solved', "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"],
  ],
  cube2: [
    ['A scramble', "R U F' R2"],
    ['Stickers, face by face: U R F D L B', 'BBFDLUBRUFLLUUDFDRLFRRDB'],
  ],
  cube21: [
    ['Turns and twists', '(1, 0) / (3, 3) / (-1, 0)'],
    ['Pieces, from the front, clockwise: upper layer, lower layer, middle', '23FE7018-BC549A6D-'],
    ['Jaap’s notation', '5D4A8HC3F7B2E61G/'],
  ],
};

/** The keys that every puzzle has. */
const KEYS = [
  ['← → ↑ ↓', 'look around (on the puzzle)'],
  ['1 … 6', 'choose a colour while painting (on the puzzle)'],
  ['Ctrl+Z, Ctrl+Y', 'undo, redo'],
];

export class Help {
  /** `on.enter(text)` enters a position. */
  constructor(on) {
    this.on = on;
    const parts = Object.entries(TERMS).flatMap(([term, text]) => [element('dt', {}, term), element('dd', {}, text)]);
    $('terms').replaceChildren(...parts);
  }

  /** Shows the help of a puzzle, with the possible moves of its solved position. */
  show(info, choices) {
    const keyed = choices.filter(({ key }) => key);
    const some = [['Moves from solved', keyed.slice(0, 1).map(({ text }) => text).join(' ')], ['The solved position', info.solved]];
    const example = ([label, text]) => element('li', {}, button(text, () => this.on.enter(text)), element('span', { className: 'hint' }, label));
    const examples = EXAMPLES[info.puzzle] ?? some.filter(([, text]) => text);
    $('examples').replaceChildren(...examples.map(example));
    $('position').placeholder = `Solved. Try ${examples[0][1]}`;
    $('keys').textContent = `Drag a layer to turn it. Drag beside the puzzle to turn the view. Keys on the puzzle: arrows turn the view; ${keyed.map(({ key }) => key).join(' ')} make moves.`;
    const listOf = (field) => keyed.map((choice) => choice[field]).join('  ');
    const moveKeys = [[listOf('key'), `make the moves ${listOf('text')} (on the puzzle)`]];
    const row = ([key, text]) => element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, key)), element('td', {}, text));
    $('key-table').replaceChildren(element('tbody', {}, ...[...KEYS, ...moveKeys].map(row)));
  }
}
