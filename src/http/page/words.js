// The words of the page: units, labels and terms. Puzzles differ in these labels only.

/** The unit of a distance, by metric. */
const UNITS = {
  twists: ['twist', 'twists'],
  wca: ['WCA move', 'WCA moves'],
  face: ['face move', 'face moves'],
  htm: ['move', 'moves'],
  qtm: ['quarter turn', 'quarter turns'],
};

/** A number of moves in words. */
export function moves(count, metric) {
  const [one, many] = UNITS[metric] ?? ['move', 'moves'];
  return `${count} ${count === 1 ? one : many}`;
}

/** How a metric counts. */
export const METRICS = {
  htm: 'face turns',
  qtm: 'quarter turns',
  twists: 'twists alone',
  wca: 'turns and twists',
};

/** A goal in words: `cross:any` is the cross on any side, `dr-from-eo:UD` is DR from EO on UD. */
export function goalName(goal) {
  if (goal.includes(' ')) return goal;
  const [name, side] = goal.split(':');
  const words = name.replaceAll('-', ' ').replaceAll(/\b(eo|co|dr|htr|fr|oll)\b/g, (short) => short.toUpperCase());
  if (side === undefined) return words;
  return `${words} on ${side === 'any' ? 'any side' : side}`;
}

/** Notations of the position, by their names in the API. */
export const NOTATIONS = {
  facelets: 'Facelets',
  reid: 'Reid’s notation',
  hex: 'Pieces',
  jaap: 'Jaap’s notation',
  author: 'Cube21 program’s notation',
  index: 'Number in the table',
};

/** Labels of the other facts, by their names in the API. */
export const FACTS = {
  metric: 'Counted in',
  in_h: 'In H',
  to_h: 'Moves to H',
  distance_in_h: 'Distance inside H',
  bound_in_h: 'Lower bound inside H',
  solutions_in_h: 'Shortest solutions inside H',
  huge: 'Lower bound of table huge',
  nx: 'Lower bound of the pruning table',
  searched_with: 'Table of the search',
  tables: 'Tables used',
  order: 'Order of faces read',
  turned: 'Turned first',
  goal: 'Goal',
  shape: 'Shape',
  middle: 'Middle layer',
  middle_goal: 'Middle layer when solved',
  level: 'Published level',
};

/** Terms, each explained in a line. */
export const TERMS = {
  H: 'The positions that U, D, R2, F2, L2, B2 reach from solved. Two-phase solvers first reach H, then solve inside H.',
  'Lower bound': 'No solution is shorter. The distance may be larger.',
  Table: 'The distances of all positions of a puzzle, or of a part of it, computed once.',
  Metric: 'What counts as one move: a turn of a face by any angle (htm), or a quarter turn (qtm).',
  Goal: 'The part of the puzzle to solve, like the cross.',
  EO: 'Edge orientation. The edges need no quarter turns of two opposite faces: F and B, if no sides are named.',
  CO: 'Corner orientation. Stickers of U and D at the corners are on U and D.',
  DR: 'Domino reduction. U, D, R2, L2, F2 and B2 solve the rest.',
  HTR: 'Half-turn reduction. Half turns solve the rest.',
  OLL: 'Two opposite faces have one colour each.',
  xcross: 'The cross, and a corner with the edge above it.',
  'roux block': 'A block of 1×2×3 pieces, the first step of Roux.',
  '2gen': 'Turns of R and U alone solve the cube.',
};

/** A text to try, by puzzle. */
const EXAMPLES = {
  cube3: "R U R' U' F2",
  cube2: "R U F' R2",
  cube21: '(1, 0) / (3, 3) / (-1, 0)',
  square1: '(1, 0) / (3, 3) / (-1, 0)',
  'square1-corners': '(1, 0) / (3, 3) / (-1, 0)',
};

/** A text to try for a puzzle; else its first move with a key. */
export const exampleOf = ({ puzzle }, keyed) => EXAMPLES[puzzle] ?? keyed[0]?.text ?? '';

/** The terms that a label uses. */
export const termsIn = (label) => Object.keys(TERMS).filter((term) => new RegExp(`\\b${term}\\b`).test(label));

/** The value of a fact in words. */
export function factText(name, value) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name === 'goal') return goalName(value);
  return name === 'metric' ? METRICS[value] ?? value : String(value);
}

/** A share of all positions in words. */
export function percent(share) {
  if (share === 0) return 'No position';
  const hundredths = share * 100;
  if (hundredths < 0.01) return 'Less than 0.01 % of all positions';
  if (hundredths > 99.99 && share < 1) return 'More than 99.99 % of all positions';
  return `${Number(hundredths.toPrecision(hundredths > 99 ? 4 : 2))} % of all positions`;
}
