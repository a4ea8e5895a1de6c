// The server's table builds: their progress, and buttons that start them.

import { Gone, Refusal, ask, post } from './api.js';
import { $, button, element } from './dom.js';

/** Milliseconds between two requests during a build. */
const EVERY = 1000;

const isActive = ({ state }) => state === 'building' || state === 'queued';

/** A number of bytes in words. */
function bytes(count) {
  const [unit, name] = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB']].find(([unit]) => count >= unit) ?? [1e3, 'kB'];
  const value = count / unit;
  return `${value < 10 ? value.toFixed(1) : Math.ceil(value)} ${name}`;
}

/** An estimated time in words. */
function time(seconds) {
  if (seconds < 1.5) return 'about a second';
  const [unit, name] = [[3600, 'hours'], [60, 'minutes']].find(([unit]) => seconds >= 2 * unit) ?? [1, 'seconds'];
  return `about ${Math.ceil(seconds / unit)} ${name}`;
}

export class Builds {
  #tables = [];
  #puzzle = '';
  /** The last request. Answers to earlier ones are ignored. */
  #asking = null;
  #timer;
  /** The content of the list of missing tables. */
  #listed = '';

  /**
   * `on.asked(action)` runs an action that asks the server. `on.ready(puzzles)` is called when tables of these puzzles are ready,
   * `on.gone()` when the server does not answer.
   */
  constructor(on) {
    this.on = on;
  }

  /** Offers the missing tables of a puzzle. */
  show(puzzle) {
    this.#puzzle = puzzle;
    this.#draw();
  }

  /** Asks for the states of all tables; during a build, again every second. */
  async watch() {
    clearTimeout(this.#timer);
    const own = (this.#asking = {});
    let tables = this.#tables;
    try {
      tables = await ask('builds');
    } catch (error) {
      if (error instanceof Gone) {
        this.on.gone();
        return;
      }
      // The server is overloaded: ask again later.
      if (!(error instanceof Refusal)) throw error;
    }
    if (this.#asking !== own) return;
    const before = new Map(this.#tables.map(({ table, state }) => [table, state]));
    const isNew = ({ table, state }) => state === 'ready' && (before.get(table) ?? state) !== state;
    this.#tables = tables;
    this.#draw();
    if (tables.some(isActive)) this.#timer = setTimeout(() => this.watch(), EVERY);
    const ready = new Set(tables.filter(isNew).map(({ puzzle }) => puzzle));
    if (ready.size > 0) this.on.ready(ready);
  }

  #draw() {
    this.#banner();
    this.#list();
  }

  /** Shows the progress of the running build. */
  #banner() {
    const active = this.#tables.filter(isActive);
    const running = active.find(({ state }) => state === 'building') ?? active[0];
    $('building').hidden = running === undefined;
    if (running === undefined) return;
    const others = active.length > 1 ? `, then ${active.length - 1} more` : '';
    // A screen reader announces each table once, not every percent.
    const title = `Building table ${running.table}${others}`;
    if ($('building-title').textContent !== title) $('building-title').textContent = title;
    $('building-message').textContent = running.message ?? '';
    if (running.progress) $('building-progress').value = running.progress.done;
    else $('building-progress').removeAttribute('value');
  }

  /** Lists the puzzle's tables that can be built, wait, are under way, or failed. */
  #list() {
    const isShown = (table) => table.puzzle === this.#puzzle && (table.can_build || isActive(table) || table.state === 'failed');
    const tables = this.#tables.filter(isShown);
    $('missing-part').hidden = tables.length === 0;
    $('missing-none').hidden = tables.length > 0;
    // An unchanged list stays as it is: its buttons do not move under the pointer.
    const listed = JSON.stringify(tables.map(({ table, state, reason, can_build: canBuild }) => [table, state, reason, canBuild]));
    if (this.#listed === listed) return;
    this.#listed = listed;
    const held = document.activeElement?.closest('#missing li')?.dataset.table;
    $('missing').replaceChildren(...tables.map((table) => this.#item(table)));
    const item = [...$('missing').children].find((item) => item.dataset.table === held);
    (item?.querySelector('button') ?? item)?.focus();
  }

  #item({ table, summary, state, reason, can_build: canBuild, build_disk: disk, build_memory: memory, build_seconds: seconds }) {
    const item = element('li', { tabIndex: -1 }, element('strong', {}, table), ` ${summary}. `);
    item.dataset.table = table;
    const takes = `Takes ${time(seconds)}, up to ${bytes(disk)} of disk and ${bytes(memory)} of memory.`;
    item.append(element('span', { className: 'hint' }, takes), ' ');
    if (state === 'failed') item.append(element('span', { className: 'wrong' }, `Failed: ${reason}.`), ' ');
    if (canBuild) item.append(button('Build', () => this.#build(table), { ariaLabel: `Build ${table}` }));
    else if (state !== 'failed') item.append(element('em', {}, state));
    return item;
  }

  #build(table) {
    return this.on.asked(async () => {
      $('missing-state').textContent = '';
      try {
        await post(`tables/${table}/build`);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        $('missing-state').textContent = error.problem.detail;
      }
      await this.watch();
    });
  }
}
