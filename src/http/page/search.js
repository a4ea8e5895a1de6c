// Searches while they run: shorter and shorter solutions, finished depths, and the result.

import { events } from './api.js';
import { Beginning, listed, moves, refused } from './answer.js';
import { $, button } from './dom.js';

/** The name on the page of a method, and of a metric that needs a search. */
const TITLES = { auto: 'Solve', 'two-phase': 'Two-phase', optimal: 'Optimal', phase2: 'In H', face: 'Fewest face moves' };

export class Search {
  /** `on.play(moves)` plays a solution; `on.asked(action)` does what asks the server. */
  constructor(on) {
    this.on = on;
  }

  /** Offers the searches for a position; where turns count, only if the position that the scene writes is what is looked at. */
  show(info, position, metric, isWritten) {
    const { on } = this;
    // Who closes what was played finds the search as it was.
    const question = JSON.stringify([info.puzzle, position, metric, isWritten]);
    if (this.question === question) return;
    this.question = question;
    this.#cancel();
    const ways = [
      ...info.methods.map((method) => [method, { method, ...this.#options(method, metric) }]),
      ...(isWritten ? info.solve_metrics : []).map((own) => [own, { metric: own }]),
    ];
    $('search-part').hidden = ways.length === 0;
    $('found').replaceChildren();
    for (const id of ['search-state', 'search-nodes']) $(id).textContent = '';
    this.buttons = ways.map(([name, options]) =>
      button(TITLES[name] ?? name, () => {
        on.asked(() => this.#run(`${info.puzzle}/solve`, { position, ...options }));
      }),
    );
    this.cancel = button('Cancel', () => {
      this.#cancel();
      $('search-state').textContent += ' Cancelled.';
    });
    this.cancel.hidden = true;
    $('methods').replaceChildren(...this.buttons, this.cancel);
  }

  /** The two-phase solver counts half turns only, and searches until it is cancelled or its time is over. */
  #options(method, metric) {
    return method === 'two-phase' ? { target: 1 } : { metric };
  }

  #cancel() {
    this.running?.abort();
    this.#runs(false);
  }

  #runs(isRunning) {
    for (const button of this.buttons ?? []) button.disabled = isRunning;
    if (this.cancel) this.cancel.hidden = !isRunning;
  }

  async #run(path, query) {
    const running = (this.running = new AbortController());
    this.isEnded = false;
    this.#runs(true);
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
      if (this.running === running) this.#runs(false);
    }
  }

  #heard(name, data) {
    const says = {
      solution: () => this.#found(data),
      depth: () => `At least ${moves(data.at_least, data.metric)}: no solution is shorter.`,
      solved: () => this.#found(data),
      // The page itself asks for more than there is, so that a search goes on: how it ended is told with what it found.
      shortfall: () => (this.isEnded ? null : data.message),
      error: () => data.detail,
    };
    const text = says[name]?.();
    if (text) $('search-state').textContent = text;
    // Beside the live region: a screen reader tells depths, not every count.
    if (data.nodes) $('search-nodes').textContent = `${data.nodes.toLocaleString('en')} nodes`;
  }

  /** Lists a solution, the newest first. The last event may repeat one, or summarize the list. */
  #found({ solution, length, metric, at_least: atLeast, final: isFinal, stopped }) {
    const isListed = [...$('found').children].some((item) => item.dataset.solution === solution);
    if (solution !== undefined && !isListed) {
      const item = listed(`${moves(length, metric)}: ${solution || '(nothing to do)'}`, () => this.on.play(solution));
      item.dataset.solution = solution;
      $('found').prepend(item);
    }
    if (isFinal === false) return `${moves(length, metric)}; searching on …`;
    const isShortest = atLeast === length || stopped === 'shortest';
    this.isEnded = isShortest || stopped === 'budget';
    const found = moves(length, metric);
    if (isShortest) return `Found: ${found}; no solution is shorter.`;
    const best = stopped === 'budget' ? `Time limit reached. Best so far: ${found}` : `Found: ${found}`;
    return atLeast === undefined ? `${best}.` : `${best}, not proven shortest: at least ${atLeast}.`;
  }
}
