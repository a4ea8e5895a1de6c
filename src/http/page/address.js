// The page's address: the state of the page as a link.

import { Refusal } from './api.js';
import { stored } from './dom.js';

/** The puzzle of a first visit. */
const FIRST = 'cube3';

/** The page's address for a state. */
export function href({ puzzle, position, moves, metric, goal }) {
  const query = new URLSearchParams({ puzzle, position });
  if (moves) query.set('moves', moves);
  if (metric) query.set('metric', metric);
  if (goal) query.set('goal', goal);
  return `?${query}`;
}

/** The state in the page's address. Without a puzzle: that of the last visit. `?q=SCRAMBLE` is a scramble of the first puzzle. */
export function stateOfAddress(puzzles) {
  const query = new URLSearchParams(location.search);
  const known = [query.has('q') ? null : stored('puzzle'), FIRST, ...puzzles.keys()];
  const puzzle = query.get('puzzle') || known.find((name) => puzzles.has(name));
  const { solved = '', metrics = [] } = puzzles.get(puzzle) ?? {};
  const metric = query.get('metric') ?? '';
  return {
    puzzle,
    position: query.get('position') || query.get('q') || solved,
    moves: query.get('moves') ?? '',
    metric: metric === metrics[0] ? '' : metric,
    goal: query.get('goal') ?? '',
  };
}

/** Rejects an invalid state without a request. */
export function check({ puzzle: name, metric, goal }, puzzles) {
  const puzzle = puzzles.get(name);
  const refuse = (detail) => {
    throw new Refusal({ detail });
  };
  if (!puzzle) refuse(`No puzzle is called “${name}”. Puzzles: ${[...puzzles.keys()].join(', ')}.`);
  if (metric && !puzzle.metrics.includes(metric)) refuse(`${puzzle.title} has no metric “${metric}”. Metrics: ${puzzle.metrics.join(', ')}.`);
  // The server reads a goal of several words: `only UF,UR`.
  if (goal && !goal.includes(' ') && !puzzle.goals.includes(goal.split(':')[0])) {
    refuse(`${puzzle.title} has no goal “${goal}”. ${puzzle.goals.length > 0 ? `Goals: ${puzzle.goals.join(', ')}.` : 'Its goal is the solved position.'}`);
  }
}
