// Help: what to type, the keys, the words.

import { address } from './api.js';
import { $, button, element } from './dom.js';
import { TERMS, exampleOf } from './words.js';

/** Other texts to try, by puzzle. */
const EXAMPLES = {
  cube3: [
    ['A commutator', '[R, U]3'],
    ['Colours of the stickers, face by face: U R F D L B', 'OBBBWWYRR BOWYROOGO GYYGGGGWW WBBYYOWWB GORROROBR RRYYBWYGG'],
    ['The superflip, 20 moves from solved', "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"],
  ],
  cube2: [
    ['Stickers, face by face: U R F D L B', 'BBFDLUBRUFLLUUDFDRLFRRDB'],
  ],
  cube21: [
    ['Pieces, from the front, clockwise: upper layer, lower layer, middle', '23FE7018-BC549A6D-'],
    ['Jaap’s notation', '5D4A8HC3F7B2E61G/'],
  ],
};

const SQUARE1 = [['Pieces: upper layer, lower layer, middle', '23FE7018-BC549A6D-']];
Object.assign(EXAMPLES, { square1: SQUARE1, 'square1-corners': SQUARE1 });

const CUBE = [
  'Hold the cube in any way, and keep holding it so.',
  'Write the colours face by face in the order U R F D L B: up, right, front, down, left, back. Write each face row by row.',
  'Look at U with B above it, at D with F above it, at the other faces with U above them: as in the picture.',
  'Or press Paint and colour the same net.',
];
const PIECES = [
  'Hold the puzzle with the shorter part of the front’s middle layer at the left. Each piece has a digit, as in the picture.',
  'Write the upper layer anticlockwise, from the front end of the cut. The left picture shows it from above, its front at the bottom.',
  'Write the lower layer clockwise from the same place. The right picture shows it from below, its front at the top.',
  'Add - if the middle layer is a square, / if it is not.',
];
/** How to type a position, by puzzle: the position of the picture, and the steps. */
const PICTURES = {
  cube3: ["R U2 F' L D B2", CUBE],
  cube2: ["R U2 F'", CUBE],
  square1: ['01234567-89ABCDEF-', PIECES],
  'square1-corners': ['01234567-89ABCDEF-', PIECES],
  cube21: ['09BA3621-D457CF8E', [...PIECES, 'Small pieces of one colour are alike: write either of their digits.']],
};

/** The keys that every puzzle has. */
const KEYS = [
  ['← → ↑ ↓', 'look around'],
  ['1 … 6', 'choose a colour while painting'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+Y', 'redo'],
];

export class Help {
  /** `on.enter(text)` enters a position. */
  constructor(on) {
    this.on = on;
    const parts = Object.entries(TERMS).flatMap(([term, text]) => [element('dt', {}, term === 'H' ? 'What is H?' : term), element('dd', {}, text)]);
    $('terms').replaceChildren(...parts);
  }

  /** Shows the help of a puzzle, with the possible moves of its solved position. */
  show(info, choices) {
    // The view opens again with every position.
    if (this.info === info) return;
    this.info = info;
    const keyed = choices.filter(({ key }) => key);
    const moves = [info.has_shapes ? 'Turns and twists' : 'Moves from solved', exampleOf(info, keyed)];
    const example = ([label, text]) => element('li', {}, button(text, () => this.on.enter(text)), element('span', { className: 'hint' }, label));
    const examples = [moves, ...(EXAMPLES[info.puzzle] ?? [['The solved position', info.solved]])];
    $('examples').replaceChildren(...examples.filter(([, text]) => text).map(example));
    const row = ([key, text]) => element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, key)), element('td', {}, text));
    const rows = [...KEYS, ...keyed.map(({ key, text }) => [key, `move ${text}`])].map(row);
    $('key-table').replaceChildren(element('tbody', {}, ...rows));
    this.#picture(info);
  }

  /** Shows how to type a position, with a picture of one. Other puzzles are typed as moves. */
  #picture({ puzzle, title }) {
    $('entering').hidden = !PICTURES[puzzle];
    if (!PICTURES[puzzle]) return;
    const [position, steps] = PICTURES[puzzle];
    const src = address(`${puzzle}/picture.svg`, { position });
    $('entering').replaceChildren(
      element('img', { alt: `${title}, unfolded: ${position}`, loading: 'lazy', width: 420, height: 240, src }),
      element('ol', {}, ...steps.map((step) => element('li', {}, step))),
    );
  }
}
