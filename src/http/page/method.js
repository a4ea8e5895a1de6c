// Solutions in steps and by insertions, as people solve for fewest moves. Each step is played by itself.

import { ask } from './api.js';
import { $, button, element } from './dom.js';
import { Beginning, refused } from './requests.js';
import { TERMS, goalName, moves } from './words.js';

const INVERSE = { "'": '', 2: '2', '': "'" };
const words = (text) => text.split(' ').filter(Boolean);

/** The moves that undo a sequence. */
const undone = (sequence) => sequence.toReversed().map((move) => move[0] + INVERSE[move.slice(1)]);

export class Method {
  /** `on.play(moves, from, to)` plays a part of some moves. `on.asked(action)` runs an action that asks the server. */
  constructor(on) {
    this.on = on;
    const terms = ['EO', 'DR', 'HTR'].flatMap((term) => [element('dt', {}, term), element('dd', {}, TERMS[term])]);
    $('step-terms').replaceChildren(...terms);
    this.forms = [['steps', this.#solution], ['insertions', this.#inserted]].map(([path, card]) => {
      const form = { path, state: $(`${path}-state`), list: $(`${path}-solutions`), card: card.bind(this) };
      $(`${path}-form`).addEventListener('submit', (event) => {
        event.preventDefault();
        on.asked(() => this.#find(form, new FormData(event.target)));
      });
      return form;
    });
  }

  /** Takes a position. Solutions of another one are removed. */
  show(info, position, signal) {
    const isOther = this.position !== position || this.info?.puzzle !== info.puzzle;
    Object.assign(this, { info, position, signal });
    if (isOther) this.forms.forEach(clear);
  }

  /** Asks what a form says, and lists the solutions. */
  async #find(form, data) {
    const { info, position, signal } = this;
    clear(form);
    const beginning = new Beginning(form.state, 'Searching …');
    try {
      const found = await ask(`${info.puzzle}/${form.path}`, { position, ...Object.fromEntries(data) }, signal);
      if (this.position !== position) return;
      form.state.textContent = found.length === 0 ? 'No solution found.' : '';
      form.list.replaceChildren(...found.map(form.card));
    } catch (error) {
      refused(form.state, error);
    } finally {
      beginning.isAwaited = false;
    }
  }

  /** A solution: its steps in order. Moves on the inverse come last in what is played, reversed. */
  #solution({ length, metric, solution, steps }) {
    const normal = steps.map((step) => words(step.normal));
    const inverse = steps.map((step) => words(step.inverse));
    const all = [...normal.flat(), ...undone(inverse.flat())];
    const count = (parts, to) => parts.slice(0, to).flat().length;
    const rows = steps.map((step, at) => {
      const isInverse = normal[at].length === 0;
      const from = isInverse ? all.length - count(inverse, at + 1) : count(normal, at);
      const part = [step.normal, step.inverse && `(${step.inverse})`].filter(Boolean).join(' ') || 'nothing to do';
      const play = button(part, () => this.on.play(all.join(' '), from, from + (isInverse ? inverse : normal)[at].length));
      play.disabled = part === 'nothing to do';
      return row(goalName(step.goal), play, step.total);
    });
    return this.#card(['Step', 'Moves'], rows, { length, metric, solution });
  }

  /** A solution by insertions: the moves before, the inserted ones, and the moves after, for each of them. */
  #inserted({ insertions, ...solution }) {
    const rows = insertions.map(({ before, inserted, after, total }, at) => {
      const line = element('code', {}, before, ' ', element('mark', {}, `[${inserted}]`), ' ', after);
      return row(at + 1, line, total);
    });
    return this.#card(['', 'Insertion'], rows, solution);
  }

  /** The card of a solution: a row for each part of it, and a button that plays the whole. */
  #card(titles, rows, { length, metric, solution }) {
    const head = [...titles, 'Total'].map((text) => element('th', { scope: 'col' }, text));
    const whole = button(`▶\uFE0E Play all: ${moves(length, metric)}`, () => this.on.play(solution));
    return element('li', {}, element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)), whole);
  }
}

/** Removes the solutions of a form. */
function clear({ state, list }) {
  state.textContent = '';
  list.replaceChildren();
}

/** A row of a card. */
function row(name, part, total) {
  return element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, part), element('td', {}, total));
}
