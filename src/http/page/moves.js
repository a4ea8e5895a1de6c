// The next moves, by where they lead.

import { $, button, element } from './dom.js';
import { moves } from './words.js';

const KINDS = [
  ['nearer', 'Nearer'],
  ['as-far', 'Same distance'],
  ['farther', 'Farther'],
  ['not-nearer', 'Not nearer'],
  ['unknown', 'Lower bounds'],
];

/** Where a move leads, seen from a distance. */
function kindOf(move, distance) {
  if (distance === null) return 'unknown';
  if (move.distance === null) return move.at_least >= distance ? 'not-nearer' : 'unknown';
  if (move.distance === distance) return 'as-far';
  return move.distance < distance ? 'nearer' : 'farther';
}

const measure = (move) => move.distance ?? move.at_least;

export class NextMoves {
  /** `on.goTo(moves)` and `on.preview(moves)` make and preview a move. */
  constructor(on) {
    this.on = on;
    // The preview ends when the pointer or the focus leaves the list.
    for (const event of ['mouseleave', 'focusout']) $('moves').addEventListener(event, () => on.preview(null));
  }

  clear() {
    $('moves').replaceChildren();
    $('moves-state').textContent = '';
  }

  /** Lists the next moves, nearer positions first. Folds those that lead farther. */
  show({ distance, moves: next = [], metric }) {
    this.clear();
    if (next.length === 0) return;
    const sorted = next.toSorted((a, b) => measure(a) - measure(b));
    const groups = KINDS.map(([kind, title]) => [kind, title, sorted.filter((move) => kindOf(move, distance) === kind)]);
    const isExact = distance !== null;
    $('moves-state').textContent = `Each move with the distance after it${isExact ? '' : ', or a lower bound: “≥ 9” means at least 9'}.`;
    for (const [kind, title, members] of groups) {
      if (members.length === 0) continue;
      const list = element('ul', { className: `group ${kind}` }, ...members.map((move) => this.#move(move, metric)));
      list.dataset.title = title;
      if (kind === 'farther') {
        const count = `${members.length} ${members.length === 1 ? 'move leads' : 'moves lead'} farther`;
        $('moves').append(element('details', {}, element('summary', {}, count), list));
      } else {
        $('moves').append(element('h3', {}, `${title}: ${members.length}`), list);
      }
    }
  }

  #move(move, metric) {
    const next = button(move.move, () => this.on.goTo(move.move), { className: 'move' });
    const unit = moves(measure(move), metric).slice(String(measure(move)).length);
    // Without a word between them, a screen reader would read the move and the number as another move.
    const aloud = (text) => element('span', { className: 'aloud' }, text);
    const isExact = move.distance !== null;
    next.append(aloud(isExact ? ' to ' : ' to at least '), element('b', {}, ...(isExact ? [] : [element('span', { ariaHidden: true }, '≥ ')]), measure(move)), aloud(unit));
    // `mousemove`, not `mouseenter`: a list that appears under a still pointer shows no preview.
    for (const event of ['mousemove', 'focus']) next.addEventListener(event, () => this.on.preview(move.move));
    return element('li', {}, next);
  }
}
