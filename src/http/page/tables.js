// The tables of a puzzle: positions at each distance, and the shapes.

import { address, ask, Refusal } from './api.js';
import { $, drawn, element, store, stored } from './dom.js';
import { refused } from './requests.js';
import { moves, percent } from './words.js';

/** Shapes on a page of the gallery: few screens of a phone. */
const SHAPES = 18;
const [WIDTH, HEIGHT, FOOT] = [480, 150, 34];

/** The height of a bar, from 0 to 1, by scale. Logarithmic: one position stays visible beside thousands of millions. */
const HEIGHTS = {
  logarithmic: (count, most) => (count > 0 ? (Math.log10(count) + 1) / (Math.log10(most) + 1) : 0),
  linear: (count, most) => count / most,
};

/** The number of positions at each distance. */
const counts = ({ levels }) => levels.map(({ distance, positions, entries }) => ({ distance, count: positions ?? entries }));

export class Tables {
  /** `on.asked(action)` runs an action that asks the server. `on.href(position)` is the address of the page for a position. */
  constructor(on) {
    this.on = on;
    const change = () => {
      $('plot').replaceChildren();
      return this.#distribution().catch((error) => refused($('table-state'), error));
    };
    $('table').addEventListener('change', () => on.asked(change));
    for (const [id, way] of [['shapes-back', -1], ['shapes-next', 1]]) {
      $(id).addEventListener('click', () => {
        this.#leaf(this.gallery, this.from + way * SHAPES);
        $('views').scrollIntoView();
      });
    }
    if (stored('scale') === 'linear') $('scale').value = 'linear';
    $('scale').addEventListener('change', () => {
      store('scale', $('scale').value);
      this.#draw();
    });
  }

  /** Reloads the list of tables the next time: there are new ones. */
  forget() {
    this.loaded = null;
  }

  /** Forgets the last position: no sentence about it stays. */
  leave() {
    this.position = null;
    $('table-state').textContent = '';
    if (this.shown) {
      this.shown.place = undefined;
      this.#draw();
    }
  }

  /** Shows the tables of a puzzle, and the distance of a position in the chosen one. A position without notation is null. */
  async show(info, position, metric, signal) {
    if (this.position !== position) this.leave();
    Object.assign(this, { info, position, metric, signal });
    const isOther = this.loaded !== info.puzzle;
    // A list that did not finish loading is loaded again.
    if (isOther) this.loaded = null;
    try {
      if (isOther) await this.#choose();
      await this.#distribution();
      if (!signal.aborted) this.loaded = info.puzzle;
    } catch (error) {
      refused($('table-state'), error);
    }
  }

  /** Offers the tables that exist. */
  async #choose() {
    $('plot').replaceChildren();
    const tables = await ask('tables', {}, this.signal);
    const built = tables.filter(({ puzzle, status }) => puzzle === this.info.puzzle && ['complete', 'bounded'].includes(status));
    this.summaries = new Map(built.map(({ table, summary }) => [table, summary]));
    $('table').replaceChildren(...built.map(({ table }) => new Option(table)));
    $('distribution-part').hidden = built.length === 0;
    $('distribution-empty').hidden = built.length > 0;
  }

  async #distribution() {
    const table = $('table').value;
    if (!table) return;
    const { info, position, metric, signal } = this;
    const stats = await ask(`${info.puzzle}/stats`, { table }, signal);
    const place = await this.#place(table, stats).catch((error) => {
      if (!(error instanceof Refusal)) throw error;
      // An overloaded server says nothing about the table.
      return error.problem.status < 500 ? null : undefined;
    });
    if (this.position !== position || this.metric !== metric || $('table').value !== table) return;
    const known = place === null ? ' This position is not in the table.' : ` This position is at ${moves(place, stats.metric)}.`;
    $('table-state').textContent = `${this.summaries.get(table)}.${place === undefined ? '' : known}`;
    this.shown = { levels: counts(stats), place, metric: stats.metric };
    this.#draw();
  }

  /** Draws the distribution. */
  #draw() {
    const { levels, place, metric } = this.shown;
    const scale = $('scale').value;
    $('standing').textContent = Number.isInteger(place) ? standing(levels, place) : '';
    const caption = element('figcaption', { className: 'hint' }, `Bars on a ${scale} scale.`);
    $('plot').replaceChildren(plot(levels, place, HEIGHTS[scale]), caption, tableOf(levels, metric));
  }

  /** The distance of the position in a table. */
  async #place(table, stats) {
    const { info, position, signal } = this;
    if (position === null) return undefined;
    const query = { position, detail: 'brief', ...(info.chooses_table ? { table } : {}) };
    if (info.metrics.length > 1) query.metric = stats.metric;
    const answer = await ask(`${info.puzzle}/query`, query, signal);
    const { distance, distance_in_h: inside, to_h: toH, bound_in_h: bound, huge, nx } = answer;
    const own = info.chooses_table ? [inside, toH, bound, huge, nx] : [distance];
    return own.find((known) => Number.isInteger(known)) ?? null;
  }

  /** Shows a page of the shapes: picture, symmetries and positions at each distance. */
  async showShapes({ puzzle }, signal) {
    this.shapes ??= (await ask('shapes', {}, signal)).shapes;
    $('gallery-state').textContent = `${this.shapes.length} shapes, upper layer / lower layer: C is a corner, e an edge. Shapes that differ by turning a layer or flipping the puzzle count as one. Bars: positions at each distance, on a logarithmic scale.`;
    if (this.gallery !== puzzle) this.#leaf(puzzle, 0);
    // Each shape leads to its example position, in the chosen metric.
    for (const link of $('gallery').querySelectorAll('a')) link.href = this.on.href(link.dataset.position);
  }

  /** Shows the shapes of a puzzle from number `from` on. */
  #leaf(puzzle, from) {
    [this.gallery, this.from] = [puzzle, from];
    const shown = this.shapes.slice(from, from + SHAPES);
    $('gallery').replaceChildren(...shown.map((shape) => card(puzzle, shape, this.on.href(shape.example))));
    $('shapes-place').textContent = `${from + 1} to ${from + shown.length} of ${this.shapes.length}`;
    $('shapes-back').disabled = from === 0;
    $('shapes-next').disabled = from + SHAPES >= this.shapes.length;
  }
}

/** Where a distance stands among all positions, as a sentence. */
function standing(levels, place) {
  const total = levels.reduce((sum, { count }) => sum + count, 0);
  const share = (isCounted) => levels.reduce((sum, { distance, count }) => sum + (isCounted(distance) ? count : 0), 0) / total;
  return `${percent(share((distance) => distance > place))} are farther, ${percent(share((distance) => distance < place)).toLowerCase().replace(' of all positions', '')} nearer.`;
}

/** The plot: positions at each distance as bars, with one distance marked. */
function plot(levels, place, height) {
  const most = Math.max(...levels.map(({ count }) => count));
  const step = WIDTH / levels.length;
  const parts = levels.flatMap(({ distance, count }, number) => {
    const high = height(count, most) * (HEIGHT - FOOT - 14);
    const [x, y] = [number * step, HEIGHT - FOOT - high];
    const bar = drawn('rect', { x: x + step * 0.1, y, width: step * 0.8, height: high }, drawn('title', {}, `${count.toLocaleString('en')} at ${distance}`));
    if (distance === place) bar.classList.add('here');
    const label = drawn('text', { x: x + step / 2, y: HEIGHT - FOOT + 14, 'text-anchor': 'middle' }, String(distance));
    const here = distance === place ? [drawn('text', { x: x + step / 2, y: HEIGHT - FOOT + 28, 'text-anchor': 'middle' }, '▲')] : [];
    return [bar, label, ...here];
  });
  return drawn('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' }, ...parts);
}

/** The numbers of the plot, as a table. */
function tableOf(levels, metric) {
  const row = (kind, ...cells) => element('tr', {}, ...cells.map((text) => element(kind, {}, text)));
  const rows = levels.map(({ distance, count }) => row('td', distance, count.toLocaleString('en')));
  const table = element('table', {}, element('tbody', {}, row('th', `Distance (${metric})`, 'Positions'), ...rows));
  return element('details', {}, element('summary', {}, 'Numbers'), table);
}

/** A shape of the gallery. */
function card(puzzle, shape, href) {
  const picture = element('img', { loading: 'lazy', alt: '', src: address(`${puzzle}/picture.svg`, { position: shape.example }) });
  const known = shape.positions[puzzle];
  const text = [
    shape.stabiliser.length === 1 ? '1 symmetry' : `${shape.stabiliser.length} symmetries`,
    `${moves(shape.twists_from_solved, 'twists')} from cube shape`,
    ...(known ? [`${known.total.toLocaleString('en')} positions`] : []),
  ];
  const link = element('a', { href }, picture, element('strong', {}, shape.name), element('br'), text.join(', '));
  link.dataset.position = shape.example;
  const levels = known?.levels ?? [];
  if (levels.length > 0) {
    const [most, height] = [Math.max(...levels), HEIGHTS.logarithmic];
    const bars = levels.map((count, number) => drawn('rect', { x: number + 0.1, y: 1 - height(count, most), width: 0.8, height: height(count, most) }));
    link.append(drawn('svg', { viewBox: `0 0 ${levels.length} 1`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, ...bars));
  }
  return element('li', {}, link);
}
