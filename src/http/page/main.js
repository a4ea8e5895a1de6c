// The page: what is looked at, how it gets there, and its parts. The address of the page is the position.

import { Answer } from './answer.js';
import { Gone, Refusal, address, ask, isBack } from './api.js';
import { $, button, element, keep, kept } from './dom.js';
import { Player } from './player.js';
import { Search } from './search.js';
import { Tables } from './tables.js';

/** Moves of a scramble. */
const SCRAMBLE = 20;

/** All puzzles by name. */
const puzzles = new Map();
/** What is looked at: a position, and moves after it where what they lead to cannot be written. */
let state = { puzzle: '', position: '', moves: '' };
/** The scene of the state, without anything that is played. */
let scene = null;
/** What is asked for the state; stopped when another is looked at. */
let asking = new AbortController();
/** The last move by hand: the next one begins when it has ended. */
let turning = Promise.resolve();
/** The position while it is edited. */
let draft = null;
let letter = null;
/** The moves that are shown as long as somebody points at them. */
let previewed = null;

const info = () => puzzles.get(state.puzzle);
const colours = () => $('colours').value;
const metric = () => (info().metrics.length > 1 ? $('metric').value : undefined);
const sceneOf = (position, moves, signal, puzzle = state.puzzle) => ask(`${puzzle}/scene`, { position, moves, colours: colours() }, signal);

const player = new Player($('stage'), $('view'), {
  choice: (choice, degrees) => choose(choice.text, degrees),
  press: pressed,
  swap: swapped,
  moved: showPlace,
});
const answer = new Answer({ play, goTo: goAfter, preview, asked });
const search = new Search({ play, asked });
const tables = new Tables({ asked });

/** The state where moves from a position lead: as it is written, or as they are where that cannot be. */
const reached = (written, position, moves) => ({ ...state, ...(written === null ? { position, moves } : { position: written, moves: '' }) });

/** The address of the page for a state. */
function href({ puzzle, position, moves }) {
  const query = new URLSearchParams({ puzzle, position });
  if (moves) query.set('moves', moves);
  return `?${query}`;
}

/** The state that the address of the page is for. */
function stateOfAddress() {
  const query = new URLSearchParams(location.search);
  const puzzle = puzzles.has(query.get('puzzle')) ? query.get('puzzle') : [...puzzles.keys()][0];
  return { puzzle, position: query.get('position') ?? puzzles.get(puzzle).solved, moves: query.get('moves') ?? '' };
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
  if (puzzles.size === 0) await start();
  else await look(stateOfAddress(), 'none');
}

/** Looks at a state; `history` is what becomes of the address: `push`, `replace` or `none`. */
async function look(next, history = 'push') {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  await asked(async () => {
    const isOther = !scene || next.puzzle !== state.puzzle;
    $('puzzle').value = next.puzzle;
    $('position').value = next.position;
    let found;
    try {
      found = await sceneOf(next.position, next.moves, signal, next.puzzle);
    } catch (error) {
      // Another state is looked at already.
      if (signal.aborted) throw error;
      if (!scene) {
        state = { ...state, puzzle: next.puzzle };
        if (error instanceof Refusal) player.show({ ...(await sceneOf(info().solved, '', signal)), choices: [] });
      }
      $('puzzle').value = state.puzzle;
      throw error;
    }
    [state, scene] = [next, found];
    if (history === 'push') window.history.pushState(null, '', href(state));
    if (history === 'replace') window.history.replaceState(null, '', href(state));
    showState(isOther);
    await Promise.all([answer.show(info(), state.position, metric(), state.moves === '', signal), tables.show(info(), state.position, metric(), signal)]);
  });
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
  search.show(info(), state.position, metric(), state.moves === '');
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

function showLinks() {
  const { puzzle, position } = state;
  const links = [
    ['query', { position, metric: metric() }],
    ['solutions', { position, metric: metric() }],
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

/** Makes a move by its name, from where its solids are held; one after the other. */
function choose(text, degrees = 0) {
  // What went wrong with one move is no reason to refuse the next.
  turning = turning.catch(() => {}).then(async () => {
    if (!$('bar').hidden) await look(state, 'none');
    const choice = scene?.choices.find((choice) => choice.text === text);
    if (!choice) return;
    if (previewed) await preview(null);
    await player.make(choice, degrees);
    await look(reached(choice.position, state.position, choice.moves));
  });
  return turning;
}

/** Goes where moves from the position lead. */
async function goAfter(moves) {
  await asked(async () => {
    const path = await sceneOf(state.position, moves, asking.signal);
    player.show(path, 0);
    // Whoever goes elsewhere meanwhile stays there.
    if (!(await player.play(path.steps.length))) return;
    await look(reached(path.leads_to, path.input, moves));
  });
}

/** Shows what moves from the position lead to, as long as somebody points at them; none ends that. */
async function preview(moves) {
  if (!$('bar').hidden || player.isPlaying || previewed === moves) return;
  previewed = moves;
  const shown = moves === null ? scene : await sceneOf(state.position, moves).catch(() => scene);
  if (previewed === moves && $('bar').hidden && !player.isPlaying) player.show(shown, shown.steps.length);
}

/** Opens the player for moves from the position, and plays them. */
async function play(moves) {
  await asked(async () => {
    const path = await sceneOf(state.position, moves, asking.signal);
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
  if (draft !== null) {
    await look(state, 'none');
    return;
  }
  // A link that leads nowhere has nothing to edit.
  if (!scene) return;
  if (state.moves) await look({ ...state, position: scene.written, moves: '' });
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
  if (isPainted) chooseLetter(letter ?? scene.letters[0].letter);
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
    await look({ ...state, position: text, moves: '' });
    await edit();
  });
}

/** A random position, and the moves of the walk to it where it is the end of one. */
async function drawOne(query) {
  const [{ facelets, hex, moves }] = await ask(`${state.puzzle}/random`, query);
  return { position: facelets ?? hex, moves };
}

/** Goes to a random position. */
async function random() {
  await asked(async () => {
    const { position } = await drawOne();
    await look({ ...state, position, moves: '' });
  });
}

/** Scrambles the solved puzzle, move by move. */
async function scramble() {
  await asked(async () => {
    const { position, moves } = await drawOne({ walk: SCRAMBLE });
    const path = await sceneOf(info().solved, moves, asking.signal);
    openPlayer(path);
    const { speed } = player;
    player.speed = 4;
    const isThere = await player.play(path.steps.length);
    player.speed = speed;
    if (isThere) await look({ ...state, position, moves: '' });
  });
}

/** Keys on the puzzle: arrows turn the view, others make the moves that have them. */
function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const looks = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, 15], ArrowDown: [0, -15] };
  const choice = scene?.choices.find((choice) => choice.key === event.key);
  if (looks[event.key]) player.look(...looks[event.key]);
  else if (choice && draft === null) choose(choice.text);
  else return;
  event.preventDefault();
}

function listen() {
  const on = (id, event, action) => $(id).addEventListener(event, action);
  on('puzzle', 'change', () => look({ puzzle: $('puzzle').value, position: puzzles.get($('puzzle').value).solved, moves: '' }));
  on('metric', 'change', () => look(state, 'none'));
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
  on('solved', 'click', () => look({ ...state, position: info().solved, moves: '' }));
  on('edit', 'click', edit);
  on('stage', 'keydown', key);
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
  on('here', 'click', () => asked(async () => {
    const moves = player.scene.steps.slice(0, Math.round(player.at)).map((step) => step.text).join(' ');
    const path = await sceneOf(player.scene.input, moves);
    await look(reached(path.leads_to, path.input, moves));
  }));
  on('close', 'click', () => look(state, 'none'));
  window.addEventListener('popstate', () => look(stateOfAddress(), 'none'));
}

async function start() {
  await asked(async () => {
    for (const puzzle of await ask('puzzles')) puzzles.set(puzzle.puzzle, puzzle);
    $('puzzle').replaceChildren(...[...puzzles.values()].map(({ puzzle, title }) => new Option(title, puzzle)));
    $('colours').value = kept('colours') ?? 'wca';
    await look(stateOfAddress(), 'replace');
  });
}

listen();
start();
