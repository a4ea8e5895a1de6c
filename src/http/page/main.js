// The page: its state, the ways to change it, and its parts. The page's address holds the position.

import { check, href, stateOfAddress } from './address.js';
import { Answer } from './answer.js';
import { Gone, Refusal, address, ask, isBack } from './api.js';
import { Builds } from './builds.js';
import { $, button, element, store, stored } from './dom.js';
import { Help } from './help.js';
import { Lists } from './lists.js';
import { closeMenus } from './menus.js';
import { Method } from './method.js';
import { Player } from './player.js';
import { showReasons } from './reasons.js';
import { Search } from './search.js';
import { Tables } from './tables.js';
import { Tabs } from './tabs.js';
import { Visits } from './visits.js';
import { METRICS, goalName } from './words.js';

/** The goal that a puzzle solved in steps has. */
const STEPS_GOAL = 'dr-from-eo';
/** Number of moves of a scramble. */
const SCRAMBLE = 20;
/** The speed that plays a scramble. Solutions have their own. */
const SCRAMBLE_SPEED = 4;

/** All puzzles by name. */
const puzzles = new Map();
/**
 * What the page shows. `moves` follow the position if their result has no notation. `metric` is empty for the puzzle's first
 * metric, `goal` for the solved position.
 */
let state = { puzzle: '', position: '', moves: '', metric: '', goal: '' };
/** The scene of the state, without played moves. */
let scene = null;
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
/** The position in edit mode; null otherwise. */
let draft = null;
let letter = null;
/** The moves under the pointer, shown as a preview. */
let previewed = null;
/** The answer about the state; null before it arrives. */
let answered = null;

const info = () => puzzles.get(state.puzzle);
const colours = () => $('colours').value;
const metric = () => (info().metrics.length > 1 ? state.metric || info().metrics[0] : undefined);
/** What is asked about a position, beside the position. */
const question = () => ({ metric: metric(), goal: state.goal || undefined });
/** The text in the field for a position: the solved one leaves the field empty. */
const typed = ({ puzzle, position }) => (position === puzzles.get(puzzle)?.solved ? '' : position);
const solved = (puzzle) => {
  const { metric, goal } = puzzle === state.puzzle ? state : { metric: '', goal: '' };
  return { puzzle, position: puzzles.get(puzzle).solved, moves: '', metric, goal };
};
const sceneOf = (position, moves, signal, puzzle = state.puzzle) => ask(`${puzzle}/scene`, { position, moves, colours: colours() }, signal);

const player = new Player($('stage'), $('view'), {
  choice: (choice, degrees) => choose(choice.text, degrees),
  press: pressed,
  swap: swapped,
  moved: showPlace,
});
const hrefOf = (position) => href({ ...state, position, moves: '' });
const answer = new Answer({ play, step, goTo: goAfter, preview, asked, known, showTables });
const search = new Search({ play, asked, searched: (report) => answer.searched(report) });
const tables = new Tables({ asked, href: hrefOf });
const lists = new Lists({ asked, href: hrefOf });
const method = new Method({ asked, play });
const help = new Help({ enter: (position) => look({ ...state, position, moves: '', goal: '' }) });
const tabs = new Tabs({ opened });
const visits = new Visits();
const builds = new Builds({ asked, gone: waitForServer, ready: tablesAreReady });

/** The state after moves from a position: the written result, or position and moves if the result has no notation. */
const reached = (from, written, position, moves) => ({ ...from, ...(written === null ? { position, moves } : { position: written, moves: '' }) });

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
    let [there, found, change] = [next, null, history];
    try {
      check(next, puzzles);
      found = await sceneOf(next.position, next.moves, own.signal, next.puzzle);
      if (next.moves && found.leads_to !== null) {
        // The moves of a link lead to a position with a notation: show that position.
        there = { ...next, position: found.leads_to, moves: '' };
        $('position').value = typed(there);
        found = await sceneOf(there.position, '', own.signal, next.puzzle);
        if (history === 'none') change = 'replace';
      }
    } catch (error) {
      // The user has gone elsewhere.
      if (own.signal.aborted) throw error;
      await turnBack(next, error, own.signal);
      throw error;
    }
    asking.abort();
    // Requests about this state run until another state is shown, not just requested.
    [asking, seeking] = [own, new AbortController()];
    const isOther = !scene || there.puzzle !== state.puzzle;
    [state, scene] = [there, found];
    if (change !== 'none') visits.go(change, href(state));
    showState(isOther);
    return true;
  });
  if (isShown) askAbout(own.signal);
  return isShown === true;
}

/** Asks about the state. Does not wait for the answers: lists may be long. */
function askAbout(signal) {
  const { position, moves } = state;
  answered = null;
  asked(async () => {
    const parts = [answer.show(info(), position, question(), moves === '', signal), tables.show(info(), position, metric(), signal)];
    opened(tabs.name);
    await Promise.all(parts);
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

/** Opens the view of the tables to build. */
function showTables() {
  tabs.open('tables');
  $('views').scrollIntoView();
}

/** A view was opened: loads what it alone shows. */
function opened(name) {
  if (name === 'shapes') asked(() => tables.showShapes());
}

/** Tables of some puzzles are ready: repeats requests without an answer. */
function tablesAreReady(names) {
  if (!scene || !names.has(state.puzzle) || answer.verdict.isRefused) return;
  tables.forget();
  if ((answered?.distance ?? null) === null) askAbout(asking.signal);
  else asked(() => tables.show(info(), state.position, metric(), asking.signal));
}

/** Stays at the old state, because the new one has no scene. Without an old state, draws the solved puzzle. */
async function turnBack(next, error, signal) {
  if (error instanceof Refusal) answer.verdict.refuse(error.problem);
  // An error may mark a place in the moves, which the field does not show.
  if (next.moves) for (const problem of error.problem?.problems ?? []) delete problem.at;
  if (!scene) {
    state = { ...state, puzzle: puzzles.has(next.puzzle) ? next.puzzle : [...puzzles.keys()][0] };
    if (error instanceof Refusal) await showSolved(signal);
  }
  $('puzzle').value = state.puzzle;
  $('metric').value = metric();
  showGoal();
}

/** Shows the goal of the state among those of the puzzle. One that names a side is added. */
function showGoal() {
  // Cubes have sides, shapes have none.
  const known = info().goals.flatMap((goal) => (info().has_shapes ? [goal] : [goal, `${goal}:any`]));
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
  stopEditing();
  previewed = null;
  player.show(scene, scene.steps.length);
  document.title = `${info().title} – twistbase`;
  if (isOther) {
    $('metric-choice').hidden = info().metrics.length < 2;
    $('metric').replaceChildren(...info().metrics.map((name) => new Option(METRICS[name] ?? name, name)));
    tabs.offer((name) => ({ shapes: info().has_shapes, method: info().goals.includes(STEPS_GOAL) })[name] ?? true);
    help.show(info(), scene.choices);
    store('puzzle', state.puzzle);
  }
  $('metric').value = metric();
  showGoal();
  // Puzzles from a geometry have neither stickers to paint nor pieces to swap.
  $('edit').hidden = !scene.solids.some(({ facets }) => facets.some(({ at }) => at !== undefined));
  $('edit').textContent = scene.letters.length > 0 ? 'Paint' : 'Swap';
  search.show(info(), state.position, metric(), state.moves === '');
  lists.show(info(), question());
  method.show(info(), state.position, asking.signal);
  builds.show(state.puzzle);
  showChoices();
  showLinks();
}

function showChoices() {
  const shown = ({ text, key }) => button(text, () => choose(text), key ? { title: `Key ${key}` } : {});
  // The focus stays on the same button, for turns with the keyboard.
  const held = document.activeElement?.parentElement === $('choices') ? document.activeElement.textContent : null;
  $('choices').replaceChildren(...scene.choices.map(shown));
  [...$('choices').children].find((shown) => shown.textContent === held)?.focus();
}

/** Shows links to the API. Links solutions only if the distance is known: else there is no list of them. */
function showLinks({ distance = null } = {}) {
  const { puzzle, position } = state;
  const links = [
    ['query', { position, ...question() }],
    ...(distance === null ? [] : [['solutions', { position, ...question() }]]),
    ['scene', { position, moves: state.moves }],
    ['picture.svg', { position, view: 'perspective' }],
  ].map(([name, query]) => {
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
  if (isStaying() && !$('bar').hidden) await see(state, 'none');
  const [from, choice] = [state, scene?.choices.find((choice) => choice.text === text)];
  if (isStaying() && choice) {
    // A move begins at the state, not at a preview.
    previewed = null;
    if (player.scene !== scene) player.show(scene, scene.steps.length);
    if (!(await player.make(choice, degrees))) return;
    if (isStaying() && (await see(reached(from, choice.position, from.position, choice.moves), history))) return;
  }
  player.drop();
}

/** Plays moves from the position and goes to their result. */
async function goAfter(moves) {
  const [isLast, from] = [depart(), state];
  await asked(async () => {
    const path = await sceneOf(from.position, moves, asking.signal);
    if (!isLast()) return;
    player.show(path, 0);
    // The user may have gone elsewhere meanwhile.
    if (!(await player.play(path.steps.length)) || !isLast()) return;
    await look(reached(from, path.leads_to, path.input, moves));
  });
}

/** Previews the result of moves from the position; null ends the preview. */
async function preview(moves) {
  const isElsewhere = () => draft !== null || !$('bar').hidden || player.isPlaying;
  if (isElsewhere() || previewed === moves) return;
  previewed = moves;
  const shown = moves === null ? scene : await sceneOf(state.position, moves).catch(() => scene);
  if (previewed === moves && !isElsewhere()) player.show(shown, shown.steps.length);
}

/** Opens the player with moves from the position and plays them, or a part of them. */
async function play(moves, from = 0, to = Infinity) {
  const isLast = depart();
  await asked(async () => {
    const path = await sceneOf(state.position, moves, asking.signal);
    if (!isLast()) return;
    openPlayer(path);
    player.seek(from);
    await playTo(to);
  });
}

/** Plays the next one of some moves from the position. */
async function step(moves) {
  const isOpen = !$('bar').hidden && player.scene.steps.map(({ text }) => text).join(' ') === moves;
  if (isOpen) await playTo(Math.floor(player.at) + 1);
  else await play(moves, 0, 1);
}

function openPlayer(path) {
  stopEditing();
  previewed = null;
  $('bar').hidden = false;
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
    if (isHere) item.firstChild.setAttribute('aria-current', 'step');
  });
  const name = player.isPlaying && at < last ? ['❚❚', 'Pause'] : ['▶', 'Play'];
  [$('play').textContent] = name;
  $('play').setAttribute('aria-label', name[1]);
}

/** Starts or ends edit mode: paint stickers, or swap pieces. */
async function edit() {
  depart();
  if (draft !== null) {
    await look(state, 'none');
    return;
  }
  // An invalid link has nothing to edit.
  if (!scene) return;
  // A running request would replace the edited position.
  seeking.abort();
  answer.verdict.isLeft = false;
  if (state.moves && !(await look({ ...state, position: scene.written, moves: '' }))) return;
  closePlayer();
  // Edit mode changes a copy of the scene.
  player.show(structuredClone({ ...scene, steps: [] }), 0);
  [draft, player.isEditing] = [scene.written, true];
  $('edit').setAttribute('aria-pressed', 'true');
  $('editor').hidden = false;
  const isPainted = scene.letters.length > 0;
  $('letters').hidden = !isPainted;
  $('edit-hint').textContent = isPainted
    ? 'Choose a colour, then press stickers. The field above shows the facelets.'
    : 'To swap two pieces, drag one onto the other or press both. The field above shows the pieces.';
  const radio = ({ letter: name, colour }) => {
    const made = button(name, () => chooseLetter(name), { role: 'radio' });
    made.style.borderBottom = `.4rem solid ${colour}`;
    return made;
  };
  $('letters').replaceChildren(...scene.letters.map(radio));
  if (isPainted) chooseLetter(scene.letters.some((known) => known.letter === letter) ? letter : scene.letters[0].letter);
  $('position').value = draft;
}

function chooseLetter(name) {
  letter = name;
  for (const button of $('letters').children) button.setAttribute('aria-checked', button.textContent === name);
}

function stopEditing() {
  [draft, player.isEditing] = [null, false];
  player.choose(null);
  $('edit').setAttribute('aria-pressed', 'false');
  $('editor').hidden = true;
}

/** In edit mode, a sticker or a piece was pressed. */
function pressed(at) {
  if (scene.letters.length > 0) {
    changeDraft(draft.slice(0, at) + letter + draft.slice(at + 1));
    player.paint(at, scene.letters.find((known) => known.letter === letter).colour);
  } else if (player.chosen === null) {
    player.choose(at);
  } else {
    swapped(player.chosen, at);
  }
}

function swapped(from, to) {
  player.choose(null);
  if (scene.letters.length > 0 || from === to) return;
  const pieces = [...draft];
  [pieces[from], pieces[to]] = [pieces[to], pieces[from]];
  // The picture shows valid positions only: an invalid swap shows its error and is undone.
  changeDraft(pieces.join('')).then(() => {
    draft &&= scene.written;
  });
}

/** Takes an edited position: shows it if it is valid, else shows the reasons. */
async function changeDraft(text) {
  draft = text;
  $('position').value = text;
  await asked(async () => {
    try {
      await sceneOf(text, '');
    } catch (error) {
      if (draft === text && error instanceof Refusal) answer.verdict.refuse(error.problem);
      throw error;
    }
    if (draft !== text) return;
    if (await look({ ...state, position: text, moves: '' })) await edit();
  });
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
    openPlayer(path);
    if ((await player.play(path.steps.length, SCRAMBLE_SPEED)) && isLast()) await look({ ...from, position: moves, moves: '' });
  });
}

/** Keys on the puzzle: arrows turn the view, others make moves. */
function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const colour = draft !== null && $('letters').children[Number(event.key) - 1];
  const looks = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, 15], ArrowDown: [0, -15] };
  const choice = scene?.choices.find((choice) => choice.key === event.key);
  if (looks[event.key]) player.look(...looks[event.key]);
  else if (colour) colour.click();
  else if (choice && draft === null) keyTurn(choice.text, event.repeat);
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
    look(scene ? state : stateOfAddress(puzzles), 'none');
  });
  on('form', 'submit', (event) => {
    event.preventDefault();
    look({ ...state, position: $('position').value.trim() || info().solved, moves: '' });
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
    const [isLast, from] = [depart(), state];
    const moves = player.scene.steps.slice(0, Math.round(player.at)).map((step) => step.text).join(' ');
    asked(async () => {
      const path = await sceneOf(player.scene.input, moves);
      if (isLast()) await look(reached(from, path.leads_to, path.input, moves));
    });
  });
  on('close', 'click', close);
  on('reset-view', 'click', () => player.resetView());
  window.addEventListener('popstate', () => {
    visits.arrived();
    look(stateOfAddress(puzzles), 'none');
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
