// The answer about a position: its distance, its next moves and its shortest solutions.

import { address, ask, lines, Refusal } from './api.js';
import { $, button, element } from './dom.js';

/** The number of solutions listed at first, and after a click on List more. */
const FEW = 50;
const MANY = 10000;
/** The unit of a distance, by metric. */
const UNITS = { twists: ['twist', 'twists'], wca: ['WCA move', 'WCA moves'], face: ['face move', 'face moves'], htm: ['move', 'moves'], qtm: ['quarter turn', 'quarter turns'] };

/** Readable labels of the facts, by their names in the API. */
const LABELS = {
  metric: 'Metric',
  in_h: 'In H',
  to_h: 'Moves to H',
  distance_in_h: 'Distance inside H',
  bound_in_h: 'Distance inside H, at least',
  solutions_in_h: 'Shortest solutions inside H',
  huge: 'At least (table huge)',
  nx: 'At least (pruning table)',
  searched_with: 'Table of the search',
  tables: 'Tables used',
  facelets: 'Facelets',
  reid: 'Reid’s notation',
  order: 'Order of faces read',
  turned: 'Turned first',
  goal: 'Goal',
  index: 'Number in the table',
  hex: 'Pieces',
  jaap: 'Jaap’s notation',
  author: 'Cube21 program’s notation',
  shape: 'Shape',
  middle: 'Middle layer',
  middle_goal: 'Middle layer when solved',
  level: 'Published level',
};
/** The metrics in words. */
const METRICS = {
  htm: 'htm: a turn of a face by any angle is one move',
  qtm: 'qtm: a quarter turn is one move, a half turn two',
  twists: 'twists: a twist (/) is one move, turns of layers are free',
  wca: 'wca: a turn (x, y) is one move, a twist (/) is one move',
};
/** The subgroup H in words. */
const H = '⟨U, D, R2, F2, L2, B2⟩: the positions that these moves reach from solved';

/** The value of a fact in words. */
function factText(name, value) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return name === 'metric' ? METRICS[value] ?? value : String(value);
}

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

/** The reason for a missing answer, in words. */
function refusal(error) {
  if (!(error instanceof Refusal)) throw error;
  const { detail, remedy } = error.problem;
  return remedy ? `${detail} (${remedy})` : detail;
}

/** Shows the reason for a missing answer in an element. */
export function refused(element, error) {
  element.textContent = refusal(error);
}

/** Milliseconds until the page shows that the request waits for the server. */
const SOON = 500;

/** A request in the server's queue. The element shows `text`, or that the request waits. */
export class Beginning {
  constructor(element, text) {
    Object.assign(this, { element, text, isAwaited: true });
    element.textContent = text;
    setTimeout(() => {
      if (this.isAwaited) element.textContent = 'Waiting for the server …';
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
  #text = '';
  #isLeft = false;

  /**
   * `on.play(moves)`, `on.goTo(moves)` and `on.preview(moves)` play, make and preview moves. `on.asked(action)` runs an action
   * that asks the server. `on.known(answer)` is called with each answer.
   */
  constructor(on) {
    this.on = on;
    $('all-solutions').addEventListener('click', () => on.asked(() => this.#solutions(MANY)));
    // The preview ends when the pointer or the focus leaves the list.
    for (const event of ['mouseleave', 'focusout']) $('moves').addEventListener(event, () => on.preview(null));
  }

  /** Whether another position is loading. The page then hides the old distance. */
  set isLeft(isLeft) {
    this.#isLeft = isLeft;
    this.#draw();
  }

  /** Shows the distance in words; null while the request runs. */
  #showDistance(text) {
    this.#text = text;
    this.#draw();
  }

  #draw() {
    const text = this.#isLeft ? null : this.#text;
    $('answer-part').setAttribute('aria-busy', text === null);
    $('distance').textContent = text ?? '…';
  }

  /** Asks a question, with `metric` and `goal`, about a position and shows the answer. `isWritten`: the notation describes the puzzle exactly as the page draws it. */
  async show(info, position, question, isWritten, signal) {
    const { metric } = question;
    Object.assign(this, { info, position, question, signal });
    this.#isLeft = false;
    for (const id of ['facts', 'moves', 'solutions']) $(id).replaceChildren();
    $('solutions-part').hidden = true;
    $('moves-part').hidden = true;
    this.#showDistance(null);
    // The notation describes the puzzle with that layer turned further. If turns count, that is another position.
    if (metric === 'wca' && !isWritten) {
      this.#showDistance('A corner piece blocks the cut of its layer. Turn that layer further to see the distance.');
      return;
    }
    let answer;
    try {
      answer = await ask(`${info.puzzle}/query`, { position, ...question }, signal);
    } catch (error) {
      this.#showDistance(refusal(error));
      return;
    }
    if (signal.aborted) return;
    this.#showDistance(this.#headline(answer));
    this.on.known(answer);
    this.#facts(answer);
    this.#moves(answer);
    if (answer.distance) await this.#solutions(FEW);
  }

  /** The distance and the number of shortest solutions, as a sentence. */
  #headline({ distance, at_least: least, metric, solutions, goal = 'solved' }) {
    if (distance === null) return `At least ${moves(least, metric)} from solved. Run Optimal for the exact distance.`;
    const there = goal === 'solved' ? 'Solved' : `At the goal ${goal}`;
    const far = distance === 0 ? there : `${moves(distance, metric)} from ${goal}`;
    if (distance === 0 || !solutions) return `${far}.`;
    return `${far}, ${solutions === 1 ? 'one shortest solution' : `${solutions.toLocaleString('en')} shortest solutions`}.`;
  }

  /** Shows the other numbers and texts of the answer. */
  #facts(answer) {
    const shown = (value) => ['string', 'number', 'boolean'].includes(typeof value);
    const above = ['input', 'puzzle', 'distance', 'at_least', 'solution', 'solutions'];
    const facts = Object.entries(answer).filter(([name, value]) => shown(value) && !above.includes(name));
    if (answer.tables?.length > 0) facts.push(['tables', answer.tables.join(', ')]);
    const parts = facts.flatMap(([name, value]) => [
      element('dt', {}, LABELS[name] ?? name.replaceAll('_', ' ')),
      element('dd', {}, factText(name, value)),
    ]);
    if (answer.in_h !== undefined) parts.push(element('dt', {}, 'H'), element('dd', {}, H));
    $('facts').replaceChildren(...parts);
  }

  /** Lists the next moves, nearer positions first. */
  #moves({ distance, moves: next = [] }) {
    $('moves-part').hidden = next.length === 0;
    const measure = (move) => move.distance ?? move.to_h ?? null;
    const isKnown = (move) => distance !== null && move.distance !== null;
    const groups = [
      ['nearer', 'Nearer', (move) => isKnown(move) && move.distance < distance],
      ['as-far', 'Same distance', (move) => isKnown(move) && move.distance === distance],
      ['farther', 'Farther', (move) => isKnown(move) && move.distance > distance],
      ['unknown', 'Not nearer', (move) => distance !== null && move.distance === null && move.at_least >= distance],
      ['unknown', 'Exact distance unknown', (move) => !isKnown(move) && !(distance !== null && move.at_least >= distance)],
    ];
    for (const [kind, title, isMember] of groups) {
      const members = next.filter((move) => isMember(move)).sort((a, b) => (measure(a) ?? 99) - (measure(b) ?? 99));
      if (members.length === 0) continue;
      const note = members.some((move) => !isKnown(move) && Number.isInteger(move.to_h)) ? ' (H 3 means: 3 moves left to H)' : '';
      const name = element('h3', { className: `group-name ${kind}` }, `${title}: ${members.length}${note}`);
      $('moves').append(name, element('ul', { className: 'group' }, ...members.map((move) => this.#move(move))));
    }
  }

  #move({ move, distance, to_h: toH }) {
    const next = button(move, () => this.on.goTo(move), { className: 'move' });
    const known = distance ?? (toH === null || toH === undefined ? null : `H ${toH}`);
    if (known !== null) {
      // Without a word between them, a screen reader would read the move and the number as another move.
      const unit = known === distance ? moves(distance, this.question.metric).slice(String(distance).length) : ` ${toH === 1 ? 'move' : 'moves'}`;
      next.append(element('span', { className: 'aloud' }, ' to '), element('b', {}, known), element('span', { className: 'aloud' }, unit));
    }
    // `mousemove`, not `mouseenter`: a list that appears under a still pointer shows no preview.
    for (const event of ['mousemove', 'focus']) next.addEventListener(event, () => this.on.preview(move));
    return element('li', {}, next);
  }

  /** Opens an empty list of solutions. */
  #list() {
    $('solutions').replaceChildren();
    $('solutions-part').hidden = false;
    $('all-solutions').hidden = true;
  }

  /** Lists the solutions while the server sends them. */
  async #solutions(limit) {
    const { info, position, question, signal } = this;
    const query = { position, ...question, limit };
    this.#list();
    $('export').hidden = false;
    $('export').href = address(`${info.puzzle}/solutions`, { position, ...question });
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
          const more = line.truncated ? ' There are more.' : '';
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
