// The answer about a position: the verdict, the next moves and the list of shortest solutions.

import { address, ask, lines } from './api.js';
import { $, listed, store, stored } from './dom.js';
import { NextMoves } from './moves.js';
import { Beginning, refusal, refused } from './requests.js';
import { Verdict } from './verdict.js';

/** The number of solutions listed at first, and after a click on List more. */
const FEW = 50;
const MANY = 10000;

export class Answer {
  /**
   * `on.play(moves)`, `on.step(moves)`, `on.goTo(moves)` and `on.preview(moves)` play, make and preview moves. `on.asked(action)`
   * runs an action that asks the server. `on.known(answer)` is called with each answer. `on.showTables()` shows the tables to build.
   */
  constructor(on) {
    this.on = on;
    this.verdict = new Verdict(on);
    this.next = new NextMoves(on);
    $('all-solutions').addEventListener('click', () => on.asked(() => this.#solutions(MANY)));
    if (stored('notation') === 'cube21') $('notation').value = 'cube21';
    $('notation').addEventListener('change', () => {
      store('notation', $('notation').value);
      on.asked(() => this.#solutions(this.limit));
    });
  }

  /** Clears the answer about the last position. */
  leave() {
    this.answer = null;
    this.listing = null;
    this.verdict.begin([]);
    this.next.clear();
    $('solutions').replaceChildren();
    $('solutions-part').hidden = true;
  }

  /** Asks a question, with `metric` and `goal`, about a position and shows the answer. `typed` are texts to copy, by label. */
  async show(info, position, typed, question, signal) {
    this.leave();
    Object.assign(this, { info, position, question, signal });
    this.verdict.begin(typed, question.goal);
    let answer;
    try {
      answer = await ask(`${info.puzzle}/query`, { position, ...question }, signal);
    } catch (error) {
      const unreachable = error.problem?.problems?.find(({ code }) => code === 'unreachable');
      if (unreachable) this.verdict.say('The goal is out of reach', `${unreachable.message[0].toUpperCase()}${unreachable.message.slice(1)}.`);
      else this.verdict.say('No distance yet', refusal(error), error.problem?.table !== undefined);
      return;
    }
    if (signal.aborted) return;
    this.answer = answer;
    this.verdict.show(answer, typed);
    this.next.show(answer);
    this.on.known(answer);
    if (answer.distance) await this.#solutions(FEW);
  }

  /** Takes how far a search for the solved position has come, if the distance is not known otherwise. */
  searched(report) {
    if (this.answer?.distance === null && !this.question.goal && report.metric === this.answer.metric) this.verdict.searched(report);
  }

  /** Opens an empty list of solutions. */
  #list() {
    $('solutions').replaceChildren();
    $('solutions-part').hidden = false;
    $('all-solutions').hidden = true;
  }

  /** Lists the solutions while the server sends them. */
  async #solutions(limit) {
    const { info, position, signal } = this;
    const notation = info.has_shapes ? $('notation').value : undefined;
    const question = { ...this.question, notation };
    const query = { position, ...question, limit };
    this.limit = limit;
    this.#list();
    $('notation-choice').hidden = !notation;
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
          $('solutions').append(listed(solution, () => this.on.play(notation === 'cube21' ? `cube21:${solution}` : solution)));
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
