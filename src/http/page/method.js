// Solutions in steps, as people solve for fewest moves. Each step is played by itself.

import { ask } from './api.js';
import { $, button, element } from './dom.js';
import { Beginning, refused } from './requests.js';
import { goalName, moves } from './words.js';

const INVERSE = { "'": '', 2: '2', '': "'" };
/** Short names that people write in capitals. */
const CAPITALS = ['eo', 'dr', 'htr'];
const stepName = (goal) => goalName(goal).replace(/^\w+/, (name) => (CAPITALS.includes(name) ? name.toUpperCase() : name));
const words = (text) => text.split(' ').filter(Boolean);

/** The moves that undo a sequence. */
const undone = (sequence) => sequence.toReversed().map((move) => move[0] + INVERSE[move.slice(1)]);

export class Method {
  /** `on.play(moves, from, to)` plays a part of some moves. `on.asked(action)` runs an action that asks the server. */
  constructor(on) {
    this.on = on;
    $('method-form').addEventListener('submit', (event) => {
      event.preventDefault();
      on.asked(() => this.#find());
    });
  }

  /** Takes a position. Solutions of another one are removed. */
  show(info, position, signal) {
    const isOther = this.position !== position || this.info?.puzzle !== info.puzzle;
    Object.assign(this, { info, position, signal });
    if (isOther) this.#clear();
  }

  #clear() {
    $('method-state').textContent = '';
    $('method-solutions').replaceChildren();
  }

  async #find() {
    const { info, position, signal } = this;
    this.#clear();
    const query = { position, steps: $('method-steps').value.trim(), count: $('method-count').value };
    const beginning = new Beginning($('method-state'), 'Searching …');
    try {
      const found = await ask(`${info.puzzle}/steps`, query, signal);
      if (this.position !== position) return;
      $('method-state').textContent = found.length === 0 ? 'No solution found.' : '';
      $('method-solutions').replaceChildren(...found.map((solution) => this.#solution(solution)));
    } catch (error) {
      refused($('method-state'), error);
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
      const name = element('th', { scope: 'row' }, stepName(step.goal));
      return element('tr', {}, name, element('td', {}, play), element('td', {}, step.length), element('td', { className: 'dim' }, step.total));
    });
    const head = ['Step', 'Moves', 'Length', 'Total'].map((text) => element('th', { scope: 'col' }, text));
    const whole = button(`▶\uFE0E Play all: ${moves(length, metric)}`, () => this.on.play(solution));
    return element('li', {}, element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)), whole);
  }
}
