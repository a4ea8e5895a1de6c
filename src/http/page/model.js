// Turning without the server. A move turns the solids between two parallel planes; the planes stay where they are in space. A move
// is blocked if a solid lies across one of its planes.

import { dot, middle, turnedSolids } from './space.js';

/** Lengths below this are rounding errors. */
const NEAR = 1e-3;

/** The lowest and the highest place of a solid along an axis. */
function span(solid, axis) {
  const places = solid.facets.flatMap(({ corners }) => corners.map((corner) => dot(corner, axis)));
  return [Math.min(...places), Math.max(...places)];
}

/** A scene after its steps, as a scene without steps. */
export function settled(scene) {
  return { ...scene, solids: scene.steps.reduce((solids, step) => turnedSolids(solids, step, 1), scene.solids), steps: [] };
}

/** Whether solids look the same: each sticker of one is a sticker of the other. */
function isSame(some, others) {
  const stickers = (solids) => solids.flatMap(({ facets }) => facets.filter(({ colour }) => colour).map(({ colour, corners }) => [colour, middle(corners)]));
  const left = stickers(others);
  return stickers(some).every(([colour, place]) => {
    const at = left.findIndex(([other, where]) => other === colour && Math.hypot(...place.map((part, axis) => part - where[axis])) < NEAR);
    return at >= 0 && left.splice(at, 1).length === 1;
  }) && left.length === 0;
}

/** The moves of a puzzle, learnt from the scenes of the server. */
export class Model {
  /** The moves by name: the move with the planes of its layer, or of the layer that stays while those around it turn. */
  #moves = new Map();

  /** Whether the name of a move is known. */
  has(text) {
    return this.#moves.has(text);
  }

  /** Learns the moves of a scene without steps. Returns whether one of them was new. */
  learn({ solids, choices }) {
    const before = this.#moves.size;
    for (const choice of choices) {
      if (choice.turns.length !== 1 || this.has(choice.text)) continue;
      const [{ axis, solids: numbers }] = choice.turns;
      const spans = solids.map((solid) => span(solid, axis));
      const turned = numbers.map((number) => spans[number]);
      const still = spans.filter((_, number) => !numbers.includes(number));
      const reach = (some) => [Math.min(...some.map(([from]) => from)), Math.max(...some.map(([, to]) => to))];
      // Where a middle layer stays, the layers around it turn.
      const isAround = still.length > 0 && reach(turned)[0] < reach(still)[0] - NEAR && reach(turned)[1] > reach(still)[1] + NEAR;
      const beyond = isAround ? turned : still;
      let [low, high] = reach(isAround ? still : turned);
      // A layer at the end of the puzzle has one plane.
      if (!beyond.some(([, to]) => to < low + NEAR)) low = -Infinity;
      if (!beyond.some(([from]) => from > high - NEAR)) high = Infinity;
      this.#moves.set(choice.text, { ...choice, low, high, isAround });
    }
    return this.#moves.size > before;
  }

  /** The solids of a layer, and those across its planes. */
  #layer({ turns: [{ axis }], low, high, isAround }, solids) {
    const [within, across, beyond] = [[], [], []];
    solids.forEach((solid, number) => {
      const [from, to] = span(solid, axis);
      if (from > low - NEAR && to < high + NEAR) within.push(number);
      else if (to > low + NEAR && from < high - NEAR) across.push(number);
      else beyond.push(number);
    });
    return { within: isAround ? beyond : within, across };
  }

  /** The possible moves of some solids, and the blocked ones, each with the reason as a function. */
  choices(solids) {
    const [choices, blocked] = [[], []];
    for (const move of this.#moves.values()) {
      const { within, across } = this.#layer(move, solids);
      if (across.length > 0) blocked.push({ ...move, across });
      else choices.push({ ...move, turns: [{ ...move.turns[0], solids: within }] });
    }
    return { choices, blocked: blocked.map((move) => ({ ...move, why: () => this.#why(move, solids, choices) })) };
  }

  /** Which layer blocks a move, and the turns of it that free the move. */
  #why(move, solids, choices) {
    const layers = new Map();
    for (const choice of choices) {
      const [turn] = choice.turns;
      if (turn.solids.length === solids.length || !turn.solids.some((number) => move.across.includes(number))) continue;
      const after = turnedSolids(solids, choice, 1);
      const { across } = this.#layer(move, after);
      const name = middle(turn.solids.map((number) => middle(solids[number].facets.flatMap(({ corners }) => corners))))[1] > 0 ? 'upper' : 'lower';
      const frees = layers.get(name) ?? [];
      if (!across.some((number) => turn.solids.includes(number))) frees.push(choice);
      layers.set(name, frees);
    }
    const least = (frees) => [1, -1].map((sign) => {
      const way = frees.filter(({ turns: [{ degrees }] }) => degrees * sign > 0);
      return way.toSorted((a, b) => Math.abs(a.turns[0].degrees) - Math.abs(b.turns[0].degrees))[0];
    }).filter(Boolean);
    const sentence = ([name, frees]) => `A corner of the ${name} layer lies across the cut. Turn that layer first: ${least(frees)
      .map(({ text, turns: [{ degrees }] }) => `${text.replace(' ', '\u00a0')}, by ${Math.abs(degrees)}°`).join(', or ')}.`;
    return [...layers].map(sentence).join(' ');
  }

  /** The scene after a move; null if the model does not know the move. Only the server knows its notation. */
  after(scene, choice) {
    if (choice.turns.length !== 1 || !this.has(choice.text)) return null;
    const solids = turnedSolids(scene.solids, choice, 1);
    return { ...scene, solids, written: undefined, leads_to: undefined, ...this.choices(solids) };
  }

  /** Whether a scene of the model and one of the server show the same puzzle, with moves that do the same. */
  agrees(own, { solids, choices }) {
    const isAlike = (choice) => {
      const same = own.choices.find(({ text }) => text === choice.text);
      return same && isSame(turnedSolids(own.solids, same, 1), turnedSolids(solids, choice, 1));
    };
    return isSame(own.solids, solids) && own.choices.length === choices.length && choices.every(isAlike);
  }
}
