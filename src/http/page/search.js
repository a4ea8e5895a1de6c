// Running searches: shorter and shorter solutions, finished depths, the result.

import { events } from './api.js';
import { $, button, listed } from './dom.js';
import { Beginning, refused } from './requests.js';
import { moves } from './words.js';

/** Button texts, by method or by metric that needs a search. */
const TITLES = { auto: 'Solve', search: 'Solve', 'two-phase': 'Two-phase', optimal: 'Optimal', phase2: 'Inside H', face: 'Fewest face moves' };
/** What each button does, in a line. */
const HINTS = {
  auto: 'Finds a shortest solution if a second is enough, else shorter and shorter ones',
  search: 'Finds a shortest solution, if the time suffices',
  'two-phase': 'Finds a short solution at once, then shorter ones until you cancel',
  optimal: 'Finds a shortest solution and proves that none is shorter',
  phase2: 'Finds a shortest solution with U, D, R2, F2, L2, B2 alone',
  face: 'Finds a solution with the fewest turns of single layers',
};

export class Search {
  /** `on.play(moves)` plays a solution. `on.asked(action)` runs an action that asks the server. `on.searched(report)` hears how far it is. */
  constructor(on) {
    this.on = on;
    $('exact').addEventListener('click', () => this.#begin('optimal'));
  }

  /** Searches by the default method; if a search of this position has begun, reports it again. */
  begin() {
    if (this.report) this.on.searched(this.report);
    else if (!this.running) this.#begin(this.isProof ? 'search' : 'auto');
  }

  #begin(method) {
    this.ways.find(([name]) => name === method)?.[1]();
  }

  /** Offers the searches for a position. One without notation is null: it has none. */
  show(info, position, metric) {
    const { on } = this;
    // Closing the player leaves the search as it was.
    const question = JSON.stringify([info.puzzle, position, metric]);
    if (this.question === question) return;
    this.question = question;
    this.#cancel();
    [this.running, this.report] = [null, null];
    // A puzzle without a table has one search, which finds a shortest solution.
    this.isProof = !info.has_table;
    const ways = position === null ? [] : [
      ...(info.has_table ? [] : [['search', {}]]),
      ...info.methods.map((method) => [method, { method, ...this.#options(method, metric) }]),
      ...info.solve_metrics.map((own) => [own, { metric: own }]),
    ];
    $('search-part').hidden = ways.length === 0;
    $('found').replaceChildren();
    for (const id of ['search-state', 'search-nodes']) $(id).textContent = '';
    this.ways = ways.map(([name, options]) => {
      const run = () => on.asked(() => this.#run(name, `${info.puzzle}/solve`, { position, ...options }));
      const shown = button(TITLES[name] ?? name, run, HINTS[name] ? { title: HINTS[name] } : {});
      shown.dataset.method = name;
      return [name, run, shown];
    });
    this.cancel = button('Cancel', () => {
      this.#cancel();
      $('search-state').textContent += ' Cancelled.';
      this.#reports({ isRunning: false, stopped: 'The search was cancelled.' });
    });
    this.cancel.hidden = true;
    $('methods').replaceChildren(...this.ways.map(([, , shown]) => shown), this.cancel);
  }

  /** Options of a method. With target 1 two-phase searches until cancelled or until the time limit. */
  #options(method, metric) {
    return method === 'two-phase' ? { target: 1, metric } : { metric };
  }

  #cancel() {
    this.running?.abort();
    this.#runs(null);
  }

  /** Marks the method that runs. The others stay enabled: one of them replaces it. */
  #runs(method) {
    for (const [name, , shown] of this.ways ?? []) shown.setAttribute('aria-pressed', name === method);
    if (this.cancel) this.cancel.hidden = method === null;
  }

  /** Adds to the report of the search, and passes it on. */
  #reports(news) {
    if (!this.report && news.metric === undefined) return;
    this.report = { ...this.report, ...news };
    this.on.searched(this.report);
  }

  async #run(method, path, query) {
    this.running?.abort();
    const running = (this.running = new AbortController());
    this.isEnded = false;
    this.#runs(method);
    $('found').replaceChildren();
    const beginning = new Beginning($('search-state'), 'Searching …');
    $('search-nodes').textContent = '';
    try {
      for await (const { name, data } of events(path, query, running.signal, () => beginning.ends())) {
        if (running.signal.aborted) return;
        this.#heard(name, data);
      }
    } catch (error) {
      if (error.name === 'AbortError') return;
      refused($('search-state'), error);
    } finally {
      beginning.isAwaited = false;
      if (this.running === running && !running.signal.aborted) {
        this.#runs(null);
        this.#reports({ isRunning: false, stopped: $('search-state').textContent });
      }
    }
  }

  #heard(name, data) {
    if (name === 'solved' && this.isProof) data.at_least = data.length;
    if (data.metric !== undefined) this.#hear(data);
    const says = {
      solution: () => this.#found(data),
      depth: () => `At least ${moves(data.at_least, data.metric)}: no solution is shorter.`,
      solved: () => this.#found(data),
      // The page sets an unreachable target, to keep the search running. A shortfall after the result is no news.
      shortfall: () => (this.isEnded ? null : data.message),
      error: () => data.detail,
    };
    const text = says[name]?.();
    if (text) $('search-state').textContent = text;
    // Outside the live region: a screen reader announces depths, not every count.
    if (data.nodes) $('search-nodes').textContent = `${data.nodes.toLocaleString('en')} nodes`;
  }

  /** Reports an event: the lower bound, or a solution that is shorter than the best of another search in the same metric. */
  #hear({ metric, at_least: atLeast = 0, length, solution, stopped, final: isFinal = false }) {
    const old = this.report?.metric === metric ? this.report : { metric, atLeast: 0 };
    const news = { ...old, isRunning: !isFinal, atLeast: Math.max(old.atLeast, atLeast) };
    if (length !== undefined && solution !== undefined && !(old.best <= length)) Object.assign(news, { best: length, solution });
    news.isShortest = news.best !== undefined && (news.best <= news.atLeast || stopped === 'shortest');
    this.#reports(news);
  }

  /** Lists a solution, newest first, and returns the state in words. The last event may repeat a solution or summarize the list. */
  #found({ solution, length, metric, at_least: atLeast, final: isFinal, stopped }) {
    const isListed = [...$('found').children].some((item) => item.dataset.solution === solution);
    if (solution !== undefined && !isListed) {
      const item = listed(`${moves(length, metric)}: ${solution || '(already solved)'}`, () => this.on.play(solution));
      item.dataset.solution = solution;
      $('found').prepend(item);
    }
    if (isFinal === false) return `Best so far: ${moves(length, metric)}. Searching for a shorter solution …`;
    const isShortest = atLeast === length || stopped === 'shortest';
    this.isEnded = isShortest || stopped === 'budget';
    const found = moves(length, metric);
    if (isShortest) return `Shortest solution: ${found}.`;
    const best = stopped === 'budget' ? `Time limit reached. Best so far: ${found}` : `Found: ${found}`;
    return atLeast === undefined ? `${best}.` : `${best}. Every solution has at least ${atLeast}.`;
  }
}
