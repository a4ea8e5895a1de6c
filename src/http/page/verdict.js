// The verdict: the distance as a sentence, a shortest solution, the notations and facts of the position.

import { $, button, copy, element } from './dom.js';
import { FACTS, NOTATIONS, TERMS, factText, goalName, moves, termsIn } from './words.js';

/** Fields of an answer that the sentence, the solution or the lists show. */
const ELSEWHERE = ['input', 'puzzle', 'distance', 'at_least', 'solution', 'solutions', ...Object.keys(NOTATIONS)];

export class Verdict {
  #text = '';
  #note = '';
  #isLeft = false;
  /** What stands in place of the verdict; null if there is one. */
  #refusal = null;
  #refusalNote = '';
  /** The terms of the goal, explained. */
  #meaning = '';
  #isOneOfMany = false;
  #best = '';

  /**
   * `on.play(moves)` and `on.step(moves)` play a solution. `on.showTables()` shows the tables to build,
   * `on.showSolutions()` all solutions.
   */
  constructor(on) {
    $('best-play').addEventListener('click', () => on.play(this.#best));
    $('best-step').addEventListener('click', () => on.step(this.#best));
    $('best-copy').addEventListener('click', () => copy(this.#best));
    $('to-tables').addEventListener('click', () => on.showTables());
    $('to-solutions').addEventListener('click', () => on.showSolutions());
    $('share').addEventListener('click', () => copy(location.href, 'Link copied.'));
  }

  /** Whether another position is loading. The old verdict is hidden. */
  set isLeft(isLeft) {
    this.#isLeft = isLeft;
    if (isLeft) this.#refusal = null;
    this.#draw();
  }

  /** Whether the server refused the text in the field. */
  get isRefused() {
    return this.#refusal !== null;
  }

  /** The server refused the text in the field: no verdict of another position stays. The reason is shown in its place. */
  refuse() {
    this.stop('', '');
  }

  /** There is no position to give a verdict on. */
  stop(title, note) {
    [this.#isLeft, this.#refusal, this.#refusalNote] = [false, title, note];
    this.#draw();
  }

  /** Begins a new position, with a question about a goal. */
  begin(typed, goal = '') {
    [this.#isLeft, this.#refusal] = [false, null];
    this.#meaning = termsIn(goalName(goal)).map((term) => `${term}: ${TERMS[term]}`).join('\n');
    this.#list({}, typed);
    this.#offer('');
    this.say(null);
  }

  /** Shows a sentence, and a note under it; null while the request runs. `needsTable`: a table to build may help. */
  say(text, note = '', needsTable = false) {
    [this.#text, this.#note, this.#isOneOfMany] = [text, note, false];
    $('to-tables').hidden = !needsTable;
    this.#draw();
  }

  /** Shows an answer about a position. */
  show(answer, typed) {
    const { distance, at_least: least, metric, solutions, goal, solution } = answer;
    const there = goal ? goalName(goal) : 'solved';
    if (distance === null) {
      this.say(`At least ${moves(least, metric)}${goal ? ` from ${there}` : ''}`);
    } else if (distance === 0) {
      this.say(goal ? `At the goal: ${there}` : 'Solved', goal ? '' : 'Scramble it, type moves, or drag a layer.');
    } else {
      const count = solutions === 1 ? 'One shortest solution' : `${solutions?.toLocaleString('en')} shortest solutions`;
      this.say(`${moves(distance, metric)} from ${there}`, solutions ? `${count}.` : '');
    }
    this.#isOneOfMany = solutions > 1;
    this.#draw();
    this.#offer(solution ?? '');
    this.#list(answer, typed);
  }

  /** Shows how far a search has come. `best` is the length of the shortest solution so far. */
  searched({ atLeast, best, solution, metric, isShortest, isRunning, stopped }) {
    if (isShortest) {
      this.say(`${moves(best, metric)} from solved`, 'Proven: no solution is shorter.');
    } else if (best === undefined) {
      this.say(`At least ${moves(atLeast, metric)}`, isRunning ? 'Searching for a solution …' : stopped);
    } else {
      const known = isRunning ? 'Searching for a shorter one …' : `Every solution has at least ${atLeast}.`;
      this.say(`${atLeast} to ${moves(best, metric)}`, `A solution of ${moves(best, metric)}. ${known}`);
    }
    this.#offer(solution ?? '', best !== undefined && !isShortest && !isRunning);
  }

  /** Offers a solution. `isOpen`: a shorter one may exist. */
  #offer(solution, isOpen = false) {
    this.#best = solution;
    $('best').hidden = solution === '';
    $('best-moves').textContent = solution;
    $('exact').hidden = !isOpen;
  }

  /** Lists the notations and the facts of an answer. `typed` are texts by label. */
  #list(answer, typed) {
    const notations = Object.entries(NOTATIONS).filter(([name]) => answer[name] !== undefined);
    const items = [...typed, ...notations.map(([name, label]) => [label, String(answer[name])])];
    const item = ([label, text]) => {
      const chosen = button('', () => copy(text, `${label}: copied.`));
      chosen.append(element('span', {}, label), element('code', {}, text));
      return element('li', {}, chosen);
    };
    $('copies').replaceChildren(...items.map(item));
    const isShown = ([name, value]) => ['string', 'number', 'boolean'].includes(typeof value) && !ELSEWHERE.includes(name);
    const facts = Object.entries(answer).filter(isShown);
    if (answer.tables?.length > 0) facts.push(['tables', answer.tables.join(', ')]);
    const labelled = facts.map(([name, value]) => [FACTS[name] ?? name.replaceAll('_', ' '), factText(name, value)]);
    const terms = new Set(labelled.flatMap(([label]) => termsIn(label)));
    const parts = labelled.flatMap(([label, text]) => [element('dt', {}, label), element('dd', {}, text)]);
    const explained = [...terms].map((term) => element('dd', { className: 'term' }, element('b', {}, term), `: ${TERMS[term]}`));
    $('facts').replaceChildren(...parts, ...explained);
    $('more').hidden = parts.length === 0;
  }

  #draw() {
    const text = this.#isLeft ? null : this.#text;
    $('answer-part').setAttribute('aria-busy', text === null && !this.isRefused);
    $('main').classList.toggle('refused', this.isRefused);
    $('distance').textContent = this.#refusal ?? text ?? '';
    $('note').textContent = this.isRefused ? this.#refusalNote : text === null ? '' : this.#note;
    const isHidden = this.isRefused || text === null;
    $('meaning').textContent = isHidden ? '' : this.#meaning;
    $('to-solutions').hidden = isHidden || !this.#isOneOfMany;
  }
}
