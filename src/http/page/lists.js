// Distances of many positions: a list as text, a table to sort, a file to download.

import { ask, lines } from './api.js';
import { $, button, element } from './dom.js';
import { Beginning, refused } from './requests.js';
import { moves } from './words.js';

/** Rows shown. The file has all of them. */
const SHOWN = 1000;
/** Milliseconds between two drawings of the table while distances are searched. */
const EVERY = 500;

const COLUMNS = [
  ['Line', (row) => row.line],
  ['Position', (row) => row.input],
  ['Distance', (row) => row.distance ?? row.atLeast ?? Infinity],
];

/** A text as a field of a CSV file. */
const field = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : String(text));

export class Lists {
  #rows = [];
  #sort = { column: 0, isFalling: false };

  /** `on.asked(action)` runs an action that asks the server. `on.href(position)` is the address of the page for a position. */
  constructor(on) {
    this.on = on;
    $('list-form').addEventListener('submit', (event) => {
      event.preventDefault();
      on.asked(() => this.#measure());
    });
    $('list-text').addEventListener('dragover', (event) => event.preventDefault());
    $('list-text').addEventListener('drop', (event) => this.#drop(event));
  }

  /** Takes the puzzle and the question, with `metric` and `goal`. A list of another question is cleared. */
  show(info, question) {
    const asked = JSON.stringify([info.puzzle, question]);
    if (this.asked === asked) return;
    Object.assign(this, { info, question, asked });
    this.running?.abort();
    $('list-state').textContent = '';
    $('list-result').hidden = true;
    $('list-csv').hidden = true;
  }

  async #drop(event) {
    const [file] = event.dataTransfer.files;
    // A dropped text goes into the field by itself.
    if (!file) return;
    event.preventDefault();
    $('list-text').value = await file.text();
    $('list-form').requestSubmit();
  }

  async #measure() {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    this.#rows = [];
    const beginning = new Beginning($('list-state'), 'Measuring …');
    const query = { ...this.question, detail: 'brief' };
    try {
      for await (const answer of lines(`${this.info.puzzle}/batch`, query, signal, () => beginning.ends(), $('list-text').value)) {
        this.#rows.push(rowOf(answer, this.#rows.length + 1));
      }
      await this.#search(signal);
      this.#finish();
    } catch (error) {
      refused($('list-state'), error);
    } finally {
      beginning.isAwaited = false;
    }
  }

  /** A batch only looks into tables. A query also searches for a moment: asks it for each distance that is not exact. */
  async #search(signal) {
    const open = this.#rows.filter((row) => row.distance === null && !row.reason);
    let drawn = 0;
    for (const [at, row] of open.entries()) {
      if (performance.now() - drawn > EVERY) {
        drawn = performance.now();
        $('list-result').hidden = false;
        $('list-state').textContent = `Searching ${(at + 1).toLocaleString('en')} of ${open.length.toLocaleString('en')} …`;
        this.#draw();
      }
      const query = { position: row.input, ...this.question, detail: 'brief' };
      Object.assign(row, rowOf(await ask(`${this.info.puzzle}/query`, query, signal), row.line));
    }
  }

  #finish() {
    const count = this.#rows.length;
    const known = this.#rows.filter((row) => row.distance !== null).length;
    const wrong = this.#rows.filter((row) => row.reason).length;
    const parts = [`${known.toLocaleString('en')} of ${count.toLocaleString('en')} distances are exact.`];
    if (known + wrong < count) parts.push('The others are lower bounds: no solution is shorter.');
    if (wrong > 0) parts.push(wrong === 1 ? 'One line is not a position.' : `${wrong.toLocaleString('en')} lines are not positions.`);
    if (count > SHOWN) parts.push(`The table shows ${SHOWN.toLocaleString('en')} rows, the file all.`);
    $('list-state').textContent = count === 0 ? 'The list is empty.' : parts.join(' ');
    URL.revokeObjectURL($('list-csv').href);
    $('list-csv').href = URL.createObjectURL(new Blob([this.#csv()], { type: 'text/csv' }));
    for (const id of ['list-csv', 'list-result']) $(id).hidden = count === 0;
    this.#draw();
  }

  #csv() {
    const rows = this.#rows.map(({ input, distance, atLeast, reason }) => [input, distance ?? '', atLeast ?? '', reason ?? '']);
    return [['position', 'distance', 'at_least', 'error'], ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
  }

  #draw() {
    const { column, isFalling } = this.#sort;
    const [, key] = COLUMNS[column];
    const order = (a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))) * (isFalling ? -1 : 1);
    const head = COLUMNS.map(([name], at) => {
      const cell = element('th', { scope: 'col' }, button(name, () => this.#sortBy(at)));
      if (at === column) cell.ariaSort = isFalling ? 'descending' : 'ascending';
      return cell;
    });
    const body = this.#rows.toSorted(order).slice(0, SHOWN).map((row) => this.#row(row));
    const focused = [...$('list-result').querySelectorAll('th button')].indexOf(document.activeElement);
    $('list-result').replaceChildren(element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)));
    $('list-result').querySelectorAll('th button')[focused]?.focus();
  }

  #sortBy(column) {
    this.#sort = { column, isFalling: this.#sort.column === column && !this.#sort.isFalling };
    this.#draw();
  }

  #row({ line, input, distance, atLeast, metric, reason }) {
    const far = distance === null ? `at least ${moves(atLeast, metric)}` : moves(distance, metric);
    const place = reason ? element('span', {}, input) : element('a', { href: this.on.href(input) }, input);
    const cell = element('td', reason ? { className: 'wrong' } : {}, reason ?? far);
    return element('tr', {}, element('td', {}, line), element('td', {}, place), cell);
  }
}

/** A row of the table from a line of the batch. */
function rowOf({ input, distance = null, at_least: atLeast = null, metric, error }, line) {
  return { line, input, distance, atLeast, metric, reason: error && (error.problems ?? [error]).map(({ message }) => message).join('; ') };
}
