// The page: its state, the ways to change it, and its parts. The page's address holds the position.

import { check, href, stateOfAddress } from './address.js';
import { Answer } from './answer.js';
import { Gone, Refusal, address, ask, isBack } from './api.js';
import { Builds } from './builds.js';
import { $, button, element, store, stored, toast } from './dom.js';
import { closeMenus } from './menus.js';
import { Model, settled } from './model.js';
import { Player } from './player.js';
import { showReasons } from './reasons.js';
import { Search } from './search.js';
import { turnedSolids } from './space.js';
import { Tabs } from './tabs.js';
import { Visits } from './visits.js';
import { METRICS, exampleOf, goalName } from './words.js';

/** The puzzles whose goals have sides. */
const SIDED = ['cube3', 'cube2'];

/** The goal that a puzzle solved in steps has. */
const STEPS_GOAL = 'dr-from-eo';
/** Number of moves of a scramble. */
const SCRAMBLE = 20;
/** The speed that plays a scramble. Solutions have their own. */
const SCRAMBLE_SPEED = 4;

/** All puzzles by name. */
const puzzles = new Map();
/**
 * What the page shows. `position` is what was typed, `moves` were made by hand after it. `metric` is empty for the puzzle's first
 * metric, `goal` for the solved position.
 */
let state = { puzzle: '', position: '', moves: '', metric: '', goal: '' };
/** The scene of the state, without played moves. `leads_to` is undefined until the server confirms a move by hand. */
let scene = null;
/** The last state that the server confirmed, with its scene. */
let confirmed = null;
/** The scenes of the puzzle that were shown, by address: undo and redo need no server. */
const seen = new Map();
/** How the puzzle turns; null if the page's own turns differed from the server's. */
let model = null;
/** Stops the requests about the state when another state is shown. */
let asking = new AbortController();
/** Stops the requests for the next state when the user goes elsewhere. */
let seeking = new AbortController();
/** The last change of the state. Moves by hand wait for it. */
let looking = Promise.resolve();
/** The last move by hand. The next one waits for it. */
let turning = Promise.resolve();
/** The number of moves by hand that run or wait. */
let turns = 0;
/** How often the state changed other than by a move by hand. */
let departures = 0;
/** The parts of the page that are loaded when they are first needed, by their files. */
const later = new Map();
/** Edit mode. */
let editor = null;
/** The moves under the pointer, shown as a preview. */
let previewed = null;
/** The answer about the state; null before it arrives. */
let answered = null;
/** The state after the first moves of what is played. */
let reached = null;

const info = () => puzzles.get(state.puzzle);
const isEditing = () => editor !== null && editor.draft !== null;
const colours = () => $('colours').value;
const metric = () => (info().metrics.length > 1 ? state.metric || info().metrics[0] : undefined);
/** What is asked about a position, beside the position. */
const question = () => ({ metric: metric(), goal: state.goal || undefined });
/** The parts of the state that can be typed, by label. */
const typedTexts = () => [['As typed', state.position], ...(state.moves ? [['Moves by hand', state.moves]] : [])];
/** The text in the field for a position: the solved one leaves the field empty. */
const typed = ({ puzzle, position }) => (position === puzzles.get(puzzle)?.solved ? '' : position);
const solved = (puzzle) => {
  const { metric, goal } = puzzle === state.puzzle ? state : { metric: '', goal: '' };
  return { puzzle, position: puzzles.get(puzzle).solved, moves: '', metric, goal };
};
const sceneOf = (position, moves, signal, puzzle = state.puzzle) => ask(`${puzzle}/scene`, { position, moves, colours: colours() }, signal);

const player = new Player($('stage'), $('view'), {
  choice: (choice, degrees) => choose(choice.text, degrees),
  press: (at) => editor.press(at),
  swap: (from, to) => editor.swap(from, to),
  moved: showPlace,
});
const hrefOf = (position) => href({ ...state, position, moves: '' });
const answer = new Answer({
  play,
  step: (moves) => play(moves, 0, 1),
  goTo: goAfter,
  preview,
  asked,
  known,
  showSolutions: () => showView('solutions'),
  showTables: () => showView('tables'),
});
const search = new Search({ play, asked, searched: (report) => answer.searched(report) });
/** Views in files of their own: each is loaded, and shows the state. */
const VIEWS = {
  distribution: async () => (await tables()).show(info(), here(), metric(), asking.signal),
  shapes: async () => (await tables()).showShapes(info(), asking.signal),
  method: async () => (await part('method', 'Method', { asked, play })).show(info(), here(), asking.signal),
  lists: async () => (await part('lists', 'Lists', { asked, href: hrefOf })).show(info(), question()),
  help: async () => (await part('help', 'Help', { enter })).show(info(), [...scene.choices, ...scene.blocked]),
};
const tabs = new Tabs({ opened });
const visits = new Visits();
const builds = new Builds({ asked, gone: waitForServer, ready: tablesAreReady });

/** The views that have been shown. */
const shown = new Set();

/** A part of the page in a file of its own, which is loaded when it is first needed. */
async function part(file, name, on) {
  const made = await import(`./${file}.js`).catch((error) => {
    throw error instanceof TypeError ? new Gone() : error;
  });
  if (!later.has(file)) later.set(file, new made[name](on));
  return later.get(file);
}

const tables = () => part('tables', 'Tables', { asked, href: hrefOf });
const enter = (position) => look({ ...state, position, moves: '', goal: '' });

/** The position after the moves by hand: as typed without them, else as the server writes it; null if it has no notation. */
const here = () => (state.moves === '' ? state.position : scene.leads_to);
/** A state after more moves by hand. */
const after = (from, moves) => ({ ...from, moves: `${from.moves} ${moves}`.trim() });

/** Returns a check, for later: is the user still here? */
function staying() {
  const own = departures;
  return () => own === departures;
}

/** Goes elsewhere and cancels moves by hand. Returns a check, for later: was this the last departure? */
function depart() {
  departures += 1;
  return staying();
}

/** Runs an action that asks the server. Shows errors; waits for a server that does not answer. */
async function asked(action) {
  try {
    $('reasons').replaceChildren();
    return await action();
  } catch (error) {
    if (error.name === 'AbortError') return undefined;
    if (error instanceof Refusal) showReasons(error.problem);
    else if (error instanceof Gone) await waitForServer();
    else throw error;
    return undefined;
  }
}

async function waitForServer() {
  if (!$('gone').hidden) return;
  $('gone').textContent = 'The server does not answer. The page continues when the server is back.';
  $('gone').hidden = false;
  await isBack();
  $('gone').hidden = true;
  if (puzzles.size === 0) {
    await start();
  } else {
    builds.watch();
    await look(stateOfAddress(puzzles), 'none');
  }
}

/**
 * Goes to a state and cancels moves by hand. `history` says what happens to the address: `push`, `replace` or `none`. Resolves to
 * true if the page shows the state.
 */
function look(next, history = 'push') {
  depart();
  return (looking = see(next, history));
}

/** Asks for the scene of a state and shows it. Resolves to true if the page shows it. */
async function see(next, history) {
  seeking.abort();
  const own = (seeking = new AbortController());
  answer.verdict.isLeft = true;
  const isShown = await asked(async () => {
    $('puzzle').value = next.puzzle;
    $('position').value = typed(next);
    const isOther = next.puzzle !== confirmed?.state.puzzle;
    const learnt = isOther ? new Model() : model;
    let found = null;
    try {
      check(next, puzzles);
      found = settled(await sceneOf(next.position, next.moves, own.signal, next.puzzle));
      // A blocked twist is not among the moves of the scene.
      const { has_shapes: hasTwist, solved: start } = puzzles.get(next.puzzle);
      if (hasTwist && !learnt?.has('/')) learnt?.learn(await sceneOf(start, '', own.signal, next.puzzle));
      learnt?.learn(found);
    } catch (error) {
      // The user has gone elsewhere.
      if (own.signal.aborted) throw error;
      await turnBack(next, error, own.signal);
      throw error;
    }
    arrive(own);
    [state, scene, model] = [next, { ...found, blocked: learnt?.choices(found.solids).blocked ?? [] }, learnt];
    confirmed = { state, scene };
    if (isOther) seen.clear();
    seen.set(href(state), scene);
    if (history !== 'none') visits.go(history, href(state));
    showState(isOther);
    return true;
  });
  if (isShown) askAbout(own.signal);
  return isShown === true;
}

/** Requests about the shown state run until another state is shown, not just requested. */
function arrive(own) {
  asking.abort();
  [asking, seeking] = [own, new AbortController()];
}

/** Shows a state that the page's own model has reached by a move by hand. The server's answer follows. */
function turnAhead(next, ahead, history) {
  editor?.end();
  showAhead(next, ahead);
  visits.go(history, href(state));
  player.show(scene);
  showMade();
  showChoices();
  confirm();
}

/** Takes a state with its scene, before the server has confirmed it. Nothing about the last state stays. */
function showAhead(next, ahead) {
  asking.abort();
  [state, scene] = [next, ahead];
  seen.set(href(state), scene);
  answer.leave();
  later.get('tables')?.leave();
}

/** Goes back or forward to a state of the browser's history. A state that was shown before shows at once. */
function revisit(next) {
  const known = model && next.puzzle === state.puzzle ? seen.get(href(next)) : undefined;
  if (!known) return look(next, 'none');
  depart();
  showAhead(next, known);
  $('position').value = typed(next);
  showState(false);
  return confirm();
}

/** Asks the server for the state after a move by hand. If its scene differs, the page shows that scene and no longer turns ahead. */
async function confirm() {
  seeking.abort();
  const own = (seeking = new AbortController());
  const isShown = await asked(async () => {
    let found;
    try {
      found = settled(await sceneOf(state.position, state.moves, own.signal));
    } catch (error) {
      if (error instanceof Refusal) takeBack();
      throw error;
    }
    arrive(own);
    if (model.agrees(scene, found)) {
      scene.leads_to = found.leads_to;
    } else {
      console.error(`The page turned ${state.puzzle} otherwise than the server: ${href(state)}`);
      [model, scene] = [null, { ...found, blocked: [] }];
      seen.clear();
      player.show(scene);
      showChoices();
    }
    confirmed = { state, scene };
    offer();
    return true;
  });
  if (isShown) askAbout(own.signal);
}

/** Takes back the moves by hand that the server refuses, or the step through the history. */
function takeBack() {
  depart();
  const { position } = state;
  ({ state, scene } = confirmed);
  visits.go('replace', href(state));
  // A half-typed text stays, if only a move is taken back.
  if (state.position !== position) $('position').value = typed(state);
  showState(false);
  answer.verdict.refuse();
}

/** Asks about the state. Does not wait for the answers: lists may be long. */
function askAbout(signal) {
  answered = null;
  const position = here();
  if (position === null) {
    answer.leave();
    answer.verdict.say('The cut is blocked', scene.blocked.map(({ why }) => why()).join(' '));
    opened(tabs.name);
    return;
  }
  asked(async () => {
    await Promise.all([answer.show(info(), position, typedTexts(), question(), signal), opened(tabs.name)]);
    // A table may be missing or under way.
    if (answered === null) builds.watch();
  });
}

/** Takes the answer about the state. Searches if the distance is not known. */
function known(found) {
  answered = found;
  showLinks(found);
  if (found.distance === null && !state.goal) search.begin();
}

/** Opens a view, and scrolls to it. */
function showView(name) {
  tabs.open(name);
  $('views').scrollIntoView();
}

/** A view is open: it shows the state. */
async function opened(name) {
  if (!scene || !VIEWS[name]) return;
  const view = $(`${name}-view`);
  // Before its file is there, its buttons do nothing.
  view.inert = !shown.has(name);
  try {
    await asked(VIEWS[name]);
  } finally {
    shown.add(name);
    view.inert = false;
  }
}

/** Tables of some puzzles are ready: repeats requests without an answer. */
function tablesAreReady(names) {
  // Without a notation nothing is asked. A move by hand asks when the server has confirmed it.
  if (!scene || !here() || !names.has(state.puzzle) || answer.verdict.isRefused) return;
  later.get('tables')?.forget();
  if ((answered?.distance ?? null) === null) askAbout(asking.signal);
  else opened(tabs.name);
}

/** Stays at the old state, because the new one has no scene. Without an old state, draws the solved puzzle. */
async function turnBack(next, error, signal) {
  // An error may mark a place in the moves, which the field does not show.
  if (next.moves) for (const problem of error.problem?.problems ?? []) delete problem.at;
  if (!scene) {
    state = { ...state, puzzle: puzzles.has(next.puzzle) ? next.puzzle : [...puzzles.keys()][0] };
    if (error instanceof Refusal) await showSolved(signal);
  }
  if (error instanceof Refusal) answer.verdict.refuse();
  $('puzzle').value = state.puzzle;
  $('metric').value = metric();
  showGoal();
}

/** Shows the goal of the state among those of the puzzle. One that names a side is added. */
function showGoal() {
  const known = info().goals.flatMap((goal) => (SIDED.includes(state.puzzle) ? [goal, `${goal}:any`] : [goal]));
  if (state.goal && !known.includes(state.goal)) known.push(state.goal);
  $('goal-choice').hidden = known.length === 0;
  $('goal').replaceChildren(new Option('solved', ''), ...known.map((goal) => new Option(goalName(goal), goal)));
  $('goal').value = state.goal;
}

/** Shows the solved puzzle, without moves. */
async function showSolved(signal) {
  player.show({ ...(await sceneOf(info().solved, '', signal)), choices: [] });
}

/** Shows the scene of the state. `isOther`: the puzzle changed. */
function showState(isOther) {
  closePlayer();
  editor?.end();
  previewed = null;
  player.show(scene);
  document.title = `${info().title} – twistbase`;
  if (isOther) {
    player.resetView();
    $('metric-choice').hidden = info().metrics.length < 2;
    $('metric').replaceChildren(...info().metrics.map((name) => new Option(METRICS[name] ?? name, name)));
    tabs.offer((name) => ({ shapes: info().has_shapes, method: info().goals.includes(STEPS_GOAL), distribution: info().has_table })[name] ?? true);
    const keyed = [...scene.choices, ...scene.blocked].filter(({ key }) => key);
    $('position').placeholder = `Solved. Try ${exampleOf(info(), keyed)}`;
    $('keys').textContent = `Drag a layer to turn it. Drag beside the puzzle to turn the view. Keys on the puzzle: arrows turn the view; ${keyed.map(({ key }) => key).join(' ')} make moves.`;
    store('puzzle', state.puzzle);
  }
  $('metric').value = metric();
  showGoal();
  // Puzzles from a geometry have neither stickers to paint nor pieces to swap.
  const isEdited = scene.solids.some(({ facets }) => facets.some(({ at }) => at !== undefined));
  const isPainted = scene.letters.length > 0;
  $('edit').hidden = !isEdited;
  $('edit').textContent = isPainted ? 'Paint' : 'Swap';
  $('or-edit').textContent = isPainted ? ', or paint it' : isEdited ? ', or swap pieces' : '';
  builds.show(state.puzzle);
  showMade();
  showChoices();
  offer();
}

/** Offers what the server can do with the position. */
function offer() {
  search.show(info(), here(), metric());
  showLinks();
}

/** Lists the moves by hand. Each one leads back to the position after it. */
function showMade() {
  const names = state.moves.match(/\([^)]*\)|\S+/g) ?? [];
  const back = (_, number) => look({ ...state, moves: names.slice(0, number + 1).join(' ') });
  const item = (name, number) => element('li', {}, button(name, () => back(name, number), { title: 'Back to the position after this move' }));
  $('made-title').textContent = names.length === 0 ? '' : state.position === info().solved ? 'By hand:' : 'Then by hand:';
  $('made-moves').replaceChildren(...names.map(item));
  // The newest move is in sight.
  $('made').scrollLeft = $('made').scrollWidth;
}

function showChoices() {
  const shown = ({ text, key }) => button(text, () => choose(text), key ? { title: `Key ${key}` } : {});
  const blocked = (move) => button(move.text, () => toast(move.why()), { ariaDisabled: 'true' });
  // The focus stays on the same button, for turns with the keyboard.
  const held = document.activeElement?.parentElement === $('choices') ? document.activeElement.textContent : null;
  $('choices').replaceChildren(...scene.blocked.map(blocked), ...scene.choices.map(shown));
  [...$('choices').children].find((shown) => shown.textContent === held)?.focus();
}

/** Shows links to the API. Links solutions only if the distance is known: else there is no list of them. */
function showLinks({ distance = null } = {}) {
  const { puzzle, position: start, moves } = state;
  const position = here();
  const links = [
    ['query', { position, ...question() }],
    ...(distance === null ? [] : [['solutions', { position, ...question() }]]),
    ['picture.svg', { position, view: 'perspective' }],
    ['scene', { position: start, moves }],
  ].filter(([, query]) => query.position !== null).map(([name, query]) => {
    const href = address(`${puzzle}/${name}`, query);
    return element('li', {}, element('a', { href }, decodeURIComponent(href.replaceAll('+', ' '))));
  });
  $('links').replaceChildren(...links);
}

/** Makes a move by its name, its solids already turned by `degrees`. Moves wait for each other; going elsewhere cancels them. */
function choose(text, degrees = 0, history = 'push') {
  const isStaying = staying();
  turns += 1;
  const before = turning;
  turning = (async () => {
    // A failed move does not stop the next one.
    await before.catch(() => {});
    await looking;
    try {
      await turn(text, degrees, history, isStaying);
    } finally {
      turns -= 1;
    }
  })();
  return turning;
}

async function turn(text, degrees, history, isStaying) {
  if (isStaying() && scene) closePlayer();
  const [from, choice] = [state, scene?.choices.find((choice) => choice.text === text)];
  if (isStaying() && choice) {
    // A move begins at the state, not at a preview.
    previewed = null;
    if (player.scene !== scene) player.show(scene);
    if (!(await player.make(choice, degrees))) return;
    if (isStaying()) {
      const ahead = model?.after(scene, choice);
      if (ahead) turnAhead(after(from, text), ahead, history);
      else if (!(await see(after(from, text), history))) player.drop();
      return;
    }
  }
  player.drop();
}

/** Plays moves from the position and goes to their result. */
async function goAfter(moves) {
  if (scene.choices.some(({ text }) => text === moves)) {
    await choose(moves);
    return;
  }
  const [isLast, from] = [depart(), state];
  await asked(async () => {
    const path = await sceneOf(here(), moves, asking.signal);
    if (!isLast()) return;
    player.show(path, 0);
    // The user may have gone elsewhere meanwhile.
    if ((await player.play(path.steps.length)) && isLast()) await look(after(from, moves));
  });
}

/** Previews the result of moves from the position; null ends the preview. */
async function preview(moves) {
  const isElsewhere = () => isEditing() || !$('bar').hidden || player.isPlaying;
  if (isElsewhere() || previewed === moves) return;
  previewed = moves;
  const [own, start, choice] = [scene, here(), scene.choices.find(({ text }) => text === moves)];
  const shown = choice
    ? { ...own, solids: turnedSolids(own.solids, choice, 1) }
    : moves === null ? own : settled(await sceneOf(start, moves).catch(() => own));
  if (previewed === moves && scene === own && !isElsewhere()) player.show(shown);
}

/** Opens the player with moves from the position and plays them, or a part of them. */
async function play(moves, from = 0, to = Infinity) {
  // A solution of the position before a move by hand.
  if (!here()) return;
  const isLast = depart();
  await asked(async () => {
    const path = await sceneOf(here(), moves, asking.signal);
    if (!isLast()) return;
    openPlayer(path, (part) => after(state, part));
    player.seek(from);
    await playTo(to);
  });
}

/** Opens the player. `reach(moves)` is the state after the first moves of the path. */
function openPlayer(path, reach) {
  editor?.end();
  reached = reach;
  previewed = null;
  const isLeft = $('best').contains(document.activeElement);
  $('bar').hidden = false;
  $('main').classList.add('playing');
  // The player takes the place of the solution, and the focus.
  if (isLeft) $('play').focus();
  $('along').max = path.steps.length;
  const step = ({ text }, number) => element('li', {}, button(text, () => playTo(number + 1)));
  $('steps').replaceChildren(...path.steps.map(step));
  player.show(path, 0);
  // On a narrow page the list may be far below the puzzle.
  $('stage').scrollIntoView({ block: 'nearest' });
}

/** Plays to move number `at`. */
const playTo = (at) => player.play(at).then(() => showPlace(player.at));

function closePlayer() {
  $('bar').hidden = true;
  $('main').classList.remove('playing');
  $('steps').replaceChildren();
}

/** Shows the place in the sequence. */
function showPlace(at) {
  if ($('bar').hidden) return;
  $('along').value = at;
  const last = player.scene.steps.length;
  $('along').setAttribute('aria-valuetext', `${Math.floor(at)} of ${last} moves`);
  [...$('steps').children].forEach((item, number) => {
    const isHere = number === Math.ceil(at) - 1;
    item.firstChild.toggleAttribute('aria-current', isHere);
    if (!isHere) return;
    item.firstChild.setAttribute('aria-current', 'step');
    $('steps').scrollTo(item.offsetLeft - $('steps').clientWidth / 2, item.offsetTop - $('steps').clientHeight / 2);
  });
  const name = player.isPlaying && at < last ? ['❚❚', 'Pause'] : ['▶', 'Play'];
  [$('play').textContent] = name;
  $('play').setAttribute('aria-label', name[1]);
}

/** Starts or ends edit mode: paint stickers, or swap pieces. */
async function edit() {
  const isLast = depart();
  if (isEditing()) {
    await look(state, 'none');
    return;
  }
  // An invalid link has nothing to edit.
  if (!scene) return;
  // A running request would replace the edited position.
  seeking.abort();
  answer.verdict.isLeft = false;
  const on = { player, verdict: answer.verdict, asked, sceneOf: (position) => sceneOf(position, ''), enter: editAt };
  editor = (await asked(() => part('editor', 'Editor', on))) ?? editor;
  if (!editor || !isLast()) return;
  if (state.moves && !(await fold())) return;
  closePlayer();
  editor.begin(info(), scene);
}

/** Goes to an edited position and edits on. */
async function editAt(position) {
  if (await look({ ...state, position, moves: '' })) await edit();
}

/** Makes the position after the moves by hand the typed one, if it has a notation. */
async function fold() {
  if (scene.leads_to === undefined && !(await see(state, 'none'))) return false;
  return scene.leads_to === null ? look({ ...state, moves: '' }) : look({ ...state, position: scene.leads_to, moves: '' });
}

/** A random position; for a walk, also its moves. */
async function drawOne(puzzle, query) {
  const [{ facelets, hex, position, moves }] = await ask(`${puzzle}/random`, query);
  return { position: facelets ?? hex ?? JSON.stringify(position), moves };
}

/** Goes to a random position. */
async function random() {
  const [isLast, from] = [depart(), state];
  await asked(async () => {
    const { position } = await drawOne(from.puzzle);
    if (isLast()) await look({ ...from, position, moves: '' });
  });
}

/** Scrambles the solved puzzle, move by move. */
async function scramble() {
  const [isLast, from] = [depart(), state];
  await asked(async () => {
    const { moves } = await drawOne(from.puzzle, { walk: SCRAMBLE });
    if (!isLast()) return;
    const path = await sceneOf(solved(from.puzzle).position, moves, asking.signal, from.puzzle);
    if (!isLast()) return;
    $('position').value = moves;
    const reach = (part) => ({ ...from, position: part || info().solved, moves: '' });
    openPlayer(path, reach);
    if ((await player.play(path.steps.length, SCRAMBLE_SPEED)) && isLast()) await look(reach(moves));
  });
}

/** Keys on the puzzle: arrows turn the view, others make moves. */
function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const looks = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, 15], ArrowDown: [0, -15] };
  const choice = scene?.choices.find((choice) => choice.key === event.key);
  const blocked = scene?.blocked.find((move) => move.key === event.key);
  if (looks[event.key]) player.look(...looks[event.key]);
  else if (choice && !isEditing()) keyTurn(choice.text, event.repeat);
  else if (blocked && !isEditing()) toast(blocked.why());
  else return;
  event.preventDefault();
}

/** Makes a move with a key. A held key makes one move after the other, all in one entry of the history. */
function keyTurn(text, isHeld) {
  if (!isHeld) choose(text);
  else if (turns === 0) choose(text, 0, 'replace');
}

/** Enter on a move button. A held key would press it faster than the moves end. */
function choiceKey(event) {
  if (!event.repeat || event.key !== 'Enter') return;
  keyTurn(event.target.textContent, true);
  event.preventDefault();
}

/** Closes the player and shows the state again. */
function close() {
  if (scene) return look(state, 'none');
  depart();
  closePlayer();
  return asked(showSolved);
}

function listen() {
  const on = (id, event, action) =>
    $(id).addEventListener(event, (happened) => {
      // Ignore events before the list of puzzles arrives; never submit the form.
      if (puzzles.size > 0) action(happened);
      else if (event === 'submit') happened.preventDefault();
    });
  on('puzzle', 'change', () => look(solved($('puzzle').value)));
  on('metric', 'change', () => {
    const name = $('metric').value;
    look({ ...state, metric: name === info().metrics[0] ? '' : name });
  });
  on('goal', 'change', () => look({ ...state, goal: $('goal').value }));
  on('colours', 'change', () => {
    store('colours', colours());
    seen.clear();
    look(scene ? state : stateOfAddress(puzzles), 'none');
  });
  on('form', 'submit', (event) => {
    event.preventDefault();
    // A text of several lines is one position.
    const text = $('position').value.trim().replaceAll(/\s*\n\s*/g, ' ');
    // The keyboard of a phone covers the answer.
    if (matchMedia('(pointer: coarse)').matches) $('position').blur();
    look({ ...state, position: text || info().solved, moves: '' });
  });
  on('position', 'keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    $('form').requestSubmit();
  });
  on('random', 'click', random);
  on('scramble', 'click', scramble);
  on('solved', 'click', () => look(solved(state.puzzle)));
  on('edit', 'click', edit);
  on('stage', 'keydown', key);
  on('choices', 'keydown', choiceKey);
  on('along', 'input', () => player.seek(Number($('along').value)));
  on('first', 'click', () => player.seek(0));
  on('back', 'click', () => playTo(Math.ceil(player.at) - 1));
  on('next', 'click', () => playTo(Math.floor(player.at) + 1));
  on('play', 'click', () => {
    if (player.isPlaying) {
      player.seek(player.at);
      return;
    }
    if (player.at === player.scene.steps.length) player.seek(0);
    playTo(player.scene.steps.length);
  });
  on('speed', 'change', () => {
    player.speed = Number($('speed').value);
  });
  on('here', 'click', () => {
    look(reached(player.scene.steps.slice(0, Math.round(player.at)).map((step) => step.text).join(' ')));
  });
  on('close', 'click', close);
  on('reset-view', 'click', () => player.resetView());
  window.addEventListener('popstate', () => {
    visits.arrived();
    revisit(stateOfAddress(puzzles));
  });
}

async function start() {
  await asked(async () => {
    // The page loads the builds before its first request about a table.
    const [list] = await Promise.all([ask('puzzles'), builds.watch()]);
    for (const puzzle of list.filter((puzzle) => puzzle.has_pictures)) puzzles.set(puzzle.puzzle, puzzle);
    $('puzzle').replaceChildren(...[...puzzles.values()].map(({ puzzle, title }) => new Option(title, puzzle)));
    $('colours').value = stored('colours') ?? 'wca';
    await look(stateOfAddress(puzzles), 'replace');
  });
}

closeMenus();
listen();
start();
