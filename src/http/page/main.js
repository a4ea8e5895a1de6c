// The page: what is looked at, how it gets there, and its parts. The address of the page is the position.

import { Answer } from './answer.js';
import { Gone, Refusal, address, ask, isBack } from './api.js';
import { Builds } from './builds.js';
import { $, button, element, keep, kept } from './dom.js';
import { Player } from './player.js';
import { Search } from './search.js';
import { Tables } from './tables.js';

/** Moves of a scramble. */
const SCRAMBLE = 20;
/** How fast they are played, whatever speed is chosen for solutions. */
const SCRAMBLE_SPEED = 4;

/** All puzzles by name. */
const puzzles = new Map();
/**
 * What is looked at: a position, and moves after it where the scene does not write what they lead to; the metric where it is
 * not the first of the puzzle.
 */
let state = { puzzle: '', position: '', moves: '', metric: '' };
/** The scene of the state, without anything that is played. */
let scene = null;
/** What is asked for the state; stopped when another is shown. */
let asking = new AbortController();
/** What is asked to look at another state; stopped when yet another is wanted. */
let seeking = new AbortController();
/** The last look at a state: moves by hand go on from there. */
let looking = Promise.resolve();
/** The last move by hand: the next one begins when it has ended. */
let turning = Promise.resolve();
/** How many moves by hand are under way or wait. */
let turns = 0;
/** How often people have gone elsewhere than by a move by hand. */
let departures = 0;
/** The position while it is edited. */
let draft = null;
let letter = null;
/** The moves that are shown as long as somebody points at them. */
let previewed = null;
/** The answer about the state; null while there is none. */
let answered = null;

const info = () => puzzles.get(state.puzzle);
const colours = () => $('colours').value;
const metric = () => (info().metrics.length > 1 ? state.metric || info().metrics[0] : undefined);
const solved = (puzzle) => ({ puzzle, position: puzzles.get(puzzle).solved, moves: '', metric: puzzle === state.puzzle ? state.metric : '' });
const sceneOf = (position, moves, signal, puzzle = state.puzzle) => ask(`${puzzle}/scene`, { position, moves, colours: colours() }, signal);

const player = new Player($('stage'), $('view'), {
  choice: (choice, degrees) => choose(choice.text, degrees),
  press: pressed,
  swap: swapped,
  moved: showPlace,
});
const answer = new Answer({ play, goTo: goAfter, preview, asked, known });
const search = new Search({ play, asked });
const tables = new Tables({ asked, href: (position) => href({ ...state, position, moves: '' }) });
const builds = new Builds({ asked, gone: waitForServer, ready: tablesAreReady });

/** The state where moves from a position lead: as the scene writes it, or as they are where it does not. */
const reached = (from, written, position, moves) => ({ ...from, ...(written === null ? { position, moves } : { position: written, moves: '' }) });

/** The address of the page for a state. */
function href({ puzzle, position, moves, metric }) {
  const query = new URLSearchParams({ puzzle, position });
  if (moves) query.set('moves', moves);
  if (metric) query.set('metric', metric);
  return `?${query}`;
}

/** Whether people have gone nowhere else, when that is asked later. */
function staying() {
  const own = departures;
  return () => own === departures;
}

/** Goes elsewhere: moves by hand that are under way or wait are not gone on with. Tells later whether this was the last time. */
function depart() {
  departures += 1;
  return staying();
}

/** The state that the address of the page is for. */
function stateOfAddress() {
  const query = new URLSearchParams(location.search);
  const puzzle = query.get('puzzle') || [...puzzles.keys()][0];
  const { solved = '', metrics = [] } = puzzles.get(puzzle) ?? {};
  const metric = query.get('metric') ?? '';
  return {
    puzzle,
    position: query.get('position') ?? solved,
    moves: query.get('moves') ?? '',
    metric: metric === metrics[0] ? '' : metric,
  };
}

/** Refuses a state that the server need not be asked about. */
function check({ puzzle: name, position, metric }) {
  const puzzle = puzzles.get(name);
  const refuse = (detail) => {
    throw new Refusal({ detail });
  };
  if (!puzzle) refuse(`No puzzle is called “${name}”. There are ${[...puzzles.keys()].join(', ')}.`);
  if (metric && !puzzle.metrics.includes(metric)) refuse(`${puzzle.title} has no metric “${metric}”. It has ${puzzle.metrics.join(', ')}.`);
  if (position === '') refuse('The field is empty: enter a position, or a sequence of moves from solved.');
}

/** Does something that asks the server, and tells people when it is gone; does it again when it is back. */
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
  $('gone').textContent = 'The server does not answer. The page goes on as soon as it does.';
  $('gone').hidden = false;
  await isBack();
  $('gone').hidden = true;
  if (puzzles.size === 0) {
    await start();
  } else {
    builds.watch();
    await look(stateOfAddress(), 'none');
  }
}

/**
 * Looks at a state, whatever is under way; `history` is what becomes of the address: `push`, `replace` or `none`. Resolves with
 * whether it is shown.
 */
function look(next, history = 'push') {
  depart();
  return (looking = see(next, history));
}

/** Asks for the scene of a state, and shows it. Resolves with whether it is shown. */
async function see(next, history) {
  seeking.abort();
  const own = (seeking = new AbortController());
  answer.isLeft = true;
  const isShown = await asked(async () => {
    $('puzzle').value = next.puzzle;
    $('position').value = next.position;
    let [there, found, change] = [next, null, history];
    try {
      check(next);
      found = await sceneOf(next.position, next.moves, own.signal, next.puzzle);
      if (next.moves && found.leads_to !== null) {
        // The moves of a link lead to a position that can be written: that is what is looked at.
        there = { ...next, position: found.leads_to, moves: '' };
        $('position').value = there.position;
        found = await sceneOf(there.position, '', own.signal, next.puzzle);
        if (history === 'none') change = 'replace';
      }
    } catch (error) {
      // Another state is wanted already.
      if (own.signal.aborted) throw error;
      await turnBack(next, error, own.signal);
      throw error;
    }
    asking.abort();
    // What is asked for this state goes on until another is shown, not just wanted.
    [asking, seeking] = [own, new AbortController()];
    const isOther = !scene || there.puzzle !== state.puzzle;
    [state, scene] = [there, found];
    if (change === 'push') window.history.pushState(null, '', href(state));
    if (change === 'replace') window.history.replaceState(null, '', href(state));
    showState(isOther);
    return true;
  });
  if (isShown) askAbout(own.signal);
  return isShown === true;
}

/** Asks what is known about the state. Nobody waits for it: there may be long lists. */
function askAbout(signal) {
  const { position, moves } = state;
  answered = null;
  const parts = () => [answer.show(info(), position, metric(), moves === '', signal), tables.show(info(), position, metric(), signal)];
  asked(async () => {
    await Promise.all(parts());
    // Perhaps a table is being built.
    if (answered === null) builds.watch();
  });
}

/** There is an answer about the state. */
function known(found) {
  answered = found;
  showLinks(found);
}

/** Tables of some puzzles have been built: asks again what had no answer. */
function tablesAreReady(names) {
  if (!scene || !names.has(state.puzzle)) return;
  tables.forget();
  if ((answered?.distance ?? null) === null) askAbout(asking.signal);
  else asked(() => tables.show(info(), state.position, metric(), asking.signal));
}

/** Stays where the page is, as a state has no scene. Where nothing has been looked at yet, the solved puzzle is drawn. */
async function turnBack(next, error, signal) {
  answer.isLeft = false;
  // Places may be those of the moves, which are not in the field.
  if (next.moves) for (const problem of error.problem?.problems ?? []) delete problem.at;
  if (!scene) {
    state = { ...state, puzzle: puzzles.has(next.puzzle) ? next.puzzle : [...puzzles.keys()][0] };
    if (error instanceof Refusal) await showSolved(signal);
  }
  $('puzzle').value = state.puzzle;
  $('metric').value = metric();
}

/** Shows the solved puzzle, where there is no state to make moves from. */
async function showSolved(signal) {
  player.show({ ...(await sceneOf(info().solved, '', signal)), choices: [] });
}

/** Shows the scene of the state, and what depends on the puzzle alone where that is another. */
function showState(isOther) {
  closePlayer();
  stopEditing();
  previewed = null;
  player.show(scene, scene.steps.length);
  document.title = `${info().title} – twistbase`;
  if (isOther) {
    $('metric-choice').hidden = info().metrics.length < 2;
    $('metric').replaceChildren(...info().metrics.map((name) => new Option(name)));
  }
  $('metric').value = metric();
  search.show(info(), state.position, metric(), state.moves === '');
  builds.show(state.puzzle);
  showChoices();
  showLinks();
}

function showChoices() {
  const keys = scene.choices.filter((choice) => choice.key).map((choice) => choice.key);
  $('keys').textContent = `Drag to turn. With the keyboard here: arrows turn the view, ${keys.join(' ')} make moves.`;
  const shown = ({ text, key }) => button(text, () => choose(text), key ? { title: `Key ${key}` } : {});
  // Whoever turns with the keyboard stays on the button.
  const held = document.activeElement?.parentElement === $('choices') ? document.activeElement.textContent : null;
  $('choices').replaceChildren(...scene.choices.map(shown));
  [...$('choices').children].find((shown) => shown.textContent === held)?.focus();
}

/** Shows what the API is asked; for solutions where the answer tells how far the position is: else there is no list of them. */
function showLinks({ distance = null } = {}) {
  const { puzzle, position } = state;
  const links = [
    ['query', { position, metric: metric() }],
    ...(distance === null ? [] : [['solutions', { position, metric: metric() }]]),
    ['scene', { position, moves: state.moves }],
    ['picture.svg', { position, view: 'perspective' }],
  ].map(([name, query]) => {
    const href = address(`${puzzle}/${name}`, query);
    return element('li', {}, element('a', { href }, decodeURIComponent(href.replaceAll('+', ' '))));
  });
  $('links').replaceChildren(...links);
}

/** Every reason why a question has no answer, each at its place in the text. */
function showReasons({ detail, problems = [], remedy }) {
  const parts = [];
  const text = $('position').value;
  // Places are counted in bytes.
  const bytes = new TextEncoder().encode(text);
  const places = problems.map((problem) => problem.at).filter((at) => at && at.end <= bytes.length + 1);
  if (places.length > 0) {
    const piece = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
    const shown = element('pre');
    let end = 0;
    for (const at of places.toSorted((a, b) => a.start - b.start)) {
      if (at.start < end) continue;
      const next = Math.max(at.end, at.start + 1);
      shown.append(piece(end, at.start), element('mark', {}, piece(at.start, next) || '␣'));
      end = next;
    }
    shown.append(piece(end));
    parts.push(shown);
  }
  const reasons = problems.length > 0 ? problems.map((problem) => problem.message) : [detail];
  if (remedy) reasons.push(`Whoever runs the server can do this: ${remedy}`);
  $('reasons').replaceChildren(...parts, element('ul', {}, ...reasons.map((reason) => element('li', {}, reason))));
}

/** Makes a move by its name, from where its solids are held; one after the other, until people go elsewhere. */
function choose(text, degrees = 0, history = 'push') {
  const isStaying = staying();
  turns += 1;
  const before = turning;
  turning = (async () => {
    // What went wrong with one move is no reason to refuse the next.
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
    // What is pointed at, or on the way to another position, is not where the move begins.
    previewed = null;
    if (player.scene !== scene) player.show(scene, scene.steps.length);
    if (!(await player.make(choice, degrees))) return;
    if (isStaying() && (await see(reached(from, choice.position, from.position, choice.moves), history))) return;
  }
  player.drop();
}

/** Goes where moves from the position lead. */
async function goAfter(moves) {
  const [isLast, from] = [depart(), state];
  await asked(async () => {
    const path = await sceneOf(from.position, moves, asking.signal);
    if (!isLast()) return;
    player.show(path, 0);
    // Whoever goes elsewhere meanwhile stays there.
    if (!(await player.play(path.steps.length)) || !isLast()) return;
    await look(reached(from, path.leads_to, path.input, moves));
  });
}

/** Shows what moves from the position lead to, as long as somebody points at them; none ends that. */
async function preview(moves) {
  const isElsewhere = () => draft !== null || !$('bar').hidden || player.isPlaying;
  if (isElsewhere() || previewed === moves) return;
  previewed = moves;
  const shown = moves === null ? scene : await sceneOf(state.position, moves).catch(() => scene);
  if (previewed === moves && !isElsewhere()) player.show(shown, shown.steps.length);
}

/** Opens the player for moves from the position, and plays them. */
async function play(moves) {
  const isLast = depart();
  await asked(async () => {
    const path = await sceneOf(state.position, moves, asking.signal);
    if (!isLast()) return;
    openPlayer(path);
    await player.play(path.steps.length);
    showPlace(player.at);
  });
}

function openPlayer(path) {
  stopEditing();
  previewed = null;
  $('bar').hidden = false;
  $('along').max = path.steps.length;
  const step = ({ text }, number) => element('li', {}, button(text, () => playTo(number + 1)));
  $('steps').replaceChildren(...path.steps.map(step));
  player.show(path, 0);
  // On a narrow page the lists are far below.
  $('stage').scrollIntoView({ block: 'nearest' });
}

/** Plays to a number of moves. */
const playTo = (at) => player.play(at).then(() => showPlace(player.at));

function closePlayer() {
  $('bar').hidden = true;
  $('steps').replaceChildren();
}

/** Shows where along the moves the puzzle is. */
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

/** Edits the position itself: stickers are painted, pieces exchanged. */
async function edit() {
  depart();
  if (draft !== null) {
    await look(state, 'none');
    return;
  }
  // A link that leads nowhere has nothing to edit.
  if (!scene) return;
  // What is asked for a move would take the place of what is edited.
  seeking.abort();
  answer.isLeft = false;
  if (state.moves && !(await look({ ...state, position: scene.written, moves: '' }))) return;
  closePlayer();
  // The scene is the page's own from now on.
  player.show(structuredClone({ ...scene, steps: [] }), 0);
  [draft, player.isEditing] = [scene.written, true];
  $('edit').setAttribute('aria-pressed', 'true');
  $('editor').hidden = false;
  const isPainted = scene.letters.length > 0;
  $('letters').hidden = !isPainted;
  $('edit-hint').textContent = isPainted
    ? 'Choose a colour and press stickers. The facelets are in the field above, too.'
    : 'Drag a piece to another, or press both: they change places. The pieces are in the field above, too.';
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

/** A sticker or a piece was pressed while the position is edited. */
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
  // The picture shows positions alone: what is none is told, and not gone on with.
  changeDraft(pieces.join('')).then(() => {
    draft &&= scene.written;
  });
}

/** Takes an edited position: looks at it if it is one, else tells why it is none. */
async function changeDraft(text) {
  draft = text;
  $('position').value = text;
  await asked(async () => {
    await sceneOf(text, '');
    if (draft !== text) return;
    if (await look({ ...state, position: text, moves: '' })) await edit();
  });
}

/** A random position, and the moves of the walk to it where it is the end of one. */
async function drawOne(puzzle, query) {
  const [{ facelets, hex, moves }] = await ask(`${puzzle}/random`, query);
  return { position: facelets ?? hex, moves };
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
    const { position, moves } = await drawOne(from.puzzle, { walk: SCRAMBLE });
    if (!isLast()) return;
    const path = await sceneOf(solved(from.puzzle).position, moves, asking.signal, from.puzzle);
    if (!isLast()) return;
    openPlayer(path);
    if ((await player.play(path.steps.length, SCRAMBLE_SPEED)) && isLast()) await look({ ...from, position, moves: '' });
  });
}

/** Keys on the puzzle: arrows turn the view, others make the moves that have them. */
function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const looks = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, 15], ArrowDown: [0, -15] };
  const choice = scene?.choices.find((choice) => choice.key === event.key);
  if (looks[event.key]) player.look(...looks[event.key]);
  else if (choice && draft === null) keyTurn(choice.text, event.repeat);
  else return;
  event.preventDefault();
}

/** Makes a move with a key. One that is held makes the next move when the last has ended, all in one entry of the history. */
function keyTurn(text, isHeld) {
  if (!isHeld) choose(text);
  else if (turns === 0) choose(text, 0, 'replace');
}

/** Keys on the buttons that make moves: one that is held would press them faster than moves are made. */
function choiceKey(event) {
  if (!event.repeat || event.key !== 'Enter') return;
  keyTurn(event.target.textContent, true);
  event.preventDefault();
}

/** Ends what is played; the state is shown as it was. */
function close() {
  if (scene) return look(state, 'none');
  depart();
  closePlayer();
  return asked(showSolved);
}

function listen() {
  const on = (id, event, action) =>
    $(id).addEventListener(event, (happened) => {
      // Nothing can be asked before it is known what puzzles there are, and no form is sent.
      if (puzzles.size > 0) action(happened);
      else if (event === 'submit') happened.preventDefault();
    });
  on('puzzle', 'change', () => look(solved($('puzzle').value)));
  on('metric', 'change', () => {
    const name = $('metric').value;
    look({ ...state, metric: name === info().metrics[0] ? '' : name });
  });
  on('colours', 'change', () => {
    keep('colours', colours());
    look(scene ? state : stateOfAddress(), 'none');
  });
  on('form', 'submit', (event) => {
    event.preventDefault();
    look({ ...state, position: $('position').value.trim(), moves: '' });
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
  window.addEventListener('popstate', () => look(stateOfAddress(), 'none'));
}

async function start() {
  await asked(async () => {
    // Which tables are built is known before the first question about one.
    const [list] = await Promise.all([ask('puzzles'), builds.watch()]);
    for (const puzzle of list) puzzles.set(puzzle.puzzle, puzzle);
    $('puzzle').replaceChildren(...[...puzzles.values()].map(({ puzzle, title }) => new Option(title, puzzle)));
    $('colours').value = kept('colours') ?? 'wca';
    await look(stateOfAddress(), 'replace');
  });
}

listen();
start();
