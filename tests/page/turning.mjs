// Positions reached by turning the puzzle: with buttons, the mouse, fingers and keys; scrambles and what else goes to a position.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Model, settled } from '../../src/http/page/model.js';
import { MOVING, assertSamePicture, eventually, pageTest, server } from './browser.mjs';

const SOLVED = {
  cube3: 'UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB',
  cube2: 'UUUURRRRFFFFDDDDLLLLBBBB',
  cube21: '01234567-89ABCDEF-',
};

for (const [puzzle, moves] of [['cube3', ['R', "U'", 'F2']], ['cube21', ['(3, 0)', '/', '(0, -3)', '/']], ['square1-corners', ['/']], ['skewb', ['R', "U'"]]]) {
  pageTest(`${puzzle}: buttons make moves`, { refusals: [503] }, async (visit) => {
    await visit.open({ puzzle });
    let { position } = visit.state;
    for (const move of moves) {
      await visit.button('choices', move).click();
      position = await server.after(puzzle, position, move);
      await visit.arrivesAt(position);
    }
    const turned = await visit.drawn();
    await visit.open({ puzzle, position });
    assertSamePicture(turned, await visit.drawn());
  });
}

pageTest('skewb: a puzzle from a geometry is drawn, solved and scrambled, and has nothing to paint', {}, async (visit) => {
  await visit.open({ puzzle: 'skewb', position: "R U' L" });
  assert.match(await visit.text('distance'), /3 moves/);
  assert.equal(await visit.part('edit').isVisible(), false);
  assert.equal(await visit.part('or-edit').textContent(), '', 'and does not offer it');
  await visit.click('random');
  await eventually(() => assert.match(visit.state.position, /^\{"CORNER"/));
  await visit.open({ puzzle: 'square1-corners' });
  assert.equal(await visit.part('edit').isVisible(), true);
});

pageTest('cube21: turns that lead between positions are kept as moves', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  await visit.button('choices', '(2, 0)').click();
  await eventually(() => assert.deepEqual(visit.state, { puzzle: 'cube21', position: SOLVED.cube21, moves: '(2, 0)' }));
  await visit.settled();
  await visit.button('choices', '(1, 0)').click();
  await visit.arrivesAt(await server.after('cube21', SOLVED.cube21, '(3, 0)'));
  assert.equal(visit.state.moves, '(2, 0) (1, 0)');
});

pageTest('moves by hand that come fast are all made, one after the other', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  for (const move of ['R', 'U', "F'"]) visit.button('choices', move).dispatchEvent('click');
  await visit.arrivesAt(await server.after('cube3', SOLVED.cube3, "R U F'"));
});

/** Drags of a sticker on the front by a way on the screen, and the moves that they make of a solved cube. */
const DRAGS = [
  [20, [190, 30], "U'"],
  [18, [-190, -30], 'U'],
  [20, [0, -190], 'R'],
  [24, [190, 30], 'D'],
  [18, [0, 190], 'L'],
  [2, [-40, 115], "R'"],
];

pageTest('cube3: a sticker that is dragged takes its layer with it', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  for (const [at, [right, down], move] of DRAGS) {
    await visit.drag(await visit.seek(at), right, down);
    await visit.arrivesAt(await server.after('cube3', SOLVED.cube3, move));
    await visit.click('solved');
    await visit.arrivesAt(SOLVED.cube3);
  }
  await visit.drag(await visit.seek(20), 0, -190);
  const turned = await server.after('cube3', SOLVED.cube3, 'R');
  await visit.arrivesAt(turned);
  const drawn = await visit.drawn();
  await visit.open({ puzzle: 'cube3', position: turned });
  assertSamePicture(drawn, await visit.drawn());
});

pageTest('a sticker that is dragged a little springs back', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const before = await visit.drawn();
  await visit.drag(await visit.placeOf(9), 30, 5);
  await eventually(async () => assertSamePicture(await visit.drawn(), before));
  assert.equal(visit.state.position, SOLVED.cube2);
});

pageTest('cube21: a layer is dragged to a place where it can stay', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  const { choices } = await server.ask('cube21/scene', { position: SOLVED.cube21 });
  const place = await visit.seek(6);
  await visit.drag(place, 150, 0);
  await eventually(() => assert.notEqual(visit.state.position + (visit.state.moves ?? ''), SOLVED.cube21));
  const reached = choices.filter(({ text }) => /, 0\)$/.test(text)).map(({ position, moves }) => position ?? moves);
  assert.ok(reached.includes(visit.state.moves ?? visit.state.position), JSON.stringify(visit.state));
});

pageTest('a drag beside the puzzle turns the view, and moves nothing', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const before = await visit.drawn();
  const { x, y } = await visit.part('stage').boundingBox();
  await visit.drag({ x: x + 12, y: y + 12 }, 120, 60);
  assert.notDeepEqual(await visit.drawn(), before);
  assert.equal(visit.state.position, SOLVED.cube2);
  assert.match(await visit.text('distance'), /^Solved/);
});

pageTest('cube3: a finger turns a layer', { hasTouch: true, isMobile: true, viewport: { width: 400, height: 800 }, refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  const { x, y } = await visit.placeOf(20);
  const client = await visit.page.context().newCDPSession(visit.page);
  const touch = (type, ...touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
  const scrolled = await visit.page.evaluate(() => scrollY);
  await touch('touchStart', { x, y });
  for (let step = 1; step <= 6; step += 1) await touch('touchMove', { x: x + step * 2, y: y - step * 20 });
  await touch('touchEnd');
  await visit.arrivesAt(await server.after('cube3', SOLVED.cube3, 'R'));
  assert.equal(await visit.page.evaluate(() => scrollY), scrolled, 'the page stays where it is');
});

pageTest('keys on the puzzle make moves, and arrows turn the view', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  await visit.part('stage').focus();
  const pressed = async (key, puzzle, position, move) => {
    await visit.page.keyboard.press(key);
    await visit.arrivesAt(await server.after(puzzle, position, move));
  };
  await pressed('u', 'cube3', SOLVED.cube3, 'U');
  await pressed('U', 'cube3', await visit.here(), "U'");
  assert.equal(await visit.here(), SOLVED.cube3);
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
    const before = await visit.drawn();
    await visit.page.keyboard.press(key);
    assert.notDeepEqual(await visit.drawn(), before, key);
  }
  assert.equal(visit.state.moves, "U U'");
  await visit.open({ puzzle: 'cube21' });
  await visit.part('stage').focus();
  await pressed('/', 'cube21', SOLVED.cube21, '/');
  await pressed('/', 'cube21', await visit.here(), '/');
  await pressed('!', 'cube21', SOLVED.cube21, 'x2');
});

pageTest('the puzzle turned over is the position turned over', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21', position: '23FE7018-BC549A6D-' });
  const expected = await server.after('cube21', '23FE7018-BC549A6D-', 'x2');
  const distance = await visit.text('distance');
  await visit.button('choices', 'x2').click();
  await visit.arrivesAt(expected);
  assert.equal((await visit.text('distance')).split(' ')[0], distance.split(' ')[0], 'as far as before');
});

for (const puzzle of ['cube21', 'cube2']) {
  pageTest(`${puzzle}: a scramble is played, and ends where its moves lead`, MOVING, async (visit) => {
    await visit.open({ puzzle });
    await visit.stopClock();
    const drawn = visit.page.waitForResponse((response) => response.url().includes('/random?walk='));
    await visit.click('scramble');
    const [{ moves }] = await (await drawn).json();
    await visit.part('bar').waitFor();
    await visit.passes(300);
    assert.ok(Number(await visit.value('along')) > 0);
    assert.equal(await visit.value('position'), moves, 'the scramble is in the field while it is played');
    assert.notEqual(visit.state.position, moves);
    await visit.passes(5000);
    await visit.arrivesAt(moves);
    assert.equal(await visit.value('position'), moves, 'and stays there');
    assert.ok(await visit.part('bar').isHidden());
    const played = await visit.drawn();
    await visit.open(visit.state);
    assertSamePicture(played, await visit.drawn());
  });
}

pageTest('a random position, and back to the solved one', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const positions = new Set();
  for (let count = 0; count < 3; count += 1) {
    const { position } = visit.state;
    await visit.click('random');
    await eventually(() => assert.notEqual(visit.state.position, position));
    await visit.arrivesAt(visit.state.position);
    positions.add(visit.state.position);
  }
  assert.equal(positions.size, 3);
  await visit.click('solved');
  await visit.arrivesAt(SOLVED.cube2);
  assert.match(await visit.text('distance'), /^Solved/);
});

/** Turns slowly, makes a move with a key, and does something in the page while it is under way. */
const whileTurning = async (visit, action, keys = 'u') => {
  await visit.stopClock();
  await visit.part('stage').evaluate((stage, keys) => {
    for (const key of keys) stage.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  }, keys);
  await visit.passes(60);
  await visit.page.evaluate(action);
};
/** Lets time pass in which a move that is under way would have been made. */
const afterTurning = (visit) => visit.passes(600);

const ELSEWHERE = {
  Solved: [() => document.getElementById('solved').click(), { position: SOLVED.cube2 }],
  'a text': [() => {
    document.getElementById('position').value = 'F';
    document.getElementById('form').requestSubmit();
  }, { position: 'F' }],
  Back: [() => history.back(), { position: 'R' }],
  'another puzzle': [() => {
    const puzzle = document.getElementById('puzzle');
    puzzle.value = 'cube3';
    puzzle.dispatchEvent(new Event('change'));
  }, { puzzle: 'cube3', position: SOLVED.cube3 }],
};

for (const [name, [action, end]] of Object.entries(ELSEWHERE)) {
  for (const isLate of [false, true]) {
    pageTest(`whoever goes elsewhere within a move stays there: ${name}${isLate ? ', of a server that is slow' : ''}`, { ...MOVING, refusals: [503] }, async (visit) => {
      await visit.open({ puzzle: 'cube2', position: 'R' });
      await visit.enter('R U');
      await visit.arrivesAt('R U');
      const release = isLate ? await visit.hold('**/scene?*') : () => {};
      await whileTurning(visit, action);
      if (isLate) await afterTurning(visit);
      release();
      const { position } = end;
      await visit.arrivesAt(position);
      await afterTurning(visit);
      assert.deepEqual(visit.state, { puzzle: 'cube2', ...end });
      assert.equal(await visit.value('position'), Object.values(SOLVED).includes(position) ? '' : position);
      assert.equal(await visit.value('puzzle'), visit.state.puzzle);
      assert.match(await visit.text('distance'), position.length > 1 ? /^Solved/ : /^1 move /);
      const drawn = await visit.drawn();
      await visit.open(visit.state);
      assertSamePicture(drawn, await visit.drawn());
    });
  }
}

pageTest('whoever goes elsewhere within a move leaves those that wait', MOVING, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await whileTurning(visit, ELSEWHERE.Solved[0], 'urfurfur');
  await afterTurning(visit);
  await afterTurning(visit);
  await visit.arrivesAt(SOLVED.cube2);
  assert.deepEqual(visit.state, { puzzle: 'cube2', position: SOLVED.cube2 });
  assert.match(await visit.text('distance'), /^Solved/);
});

pageTest('a text within a move that is no position leaves the puzzle as it was', { ...MOVING, refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  const before = await visit.drawn();
  await whileTurning(visit, () => {
    document.getElementById('position').value = 'nonsense';
    document.getElementById('form').requestSubmit();
  });
  await afterTurning(visit);
  await eventually(async () => assert.notEqual(await visit.text('reasons'), ''));
  assert.equal(visit.state.position, 'R');
  assertSamePicture(await visit.drawn(), before);
});

pageTest('a move that is made while another position is awaited goes on from there', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  const release = await visit.hold('**/scene?*');
  await visit.click('solved');
  await visit.part('stage').press('u');
  release();
  await visit.arrivesAt(await server.after('cube2', SOLVED.cube2, 'U'));
});

for (const [key, id] of [['u', 'stage'], ['Enter', 'choices']]) {
  pageTest(`a key that is held makes one move after the other, and no more when it is let go: ${key}`, MOVING, async (visit) => {
    await visit.open({ puzzle: 'cube2' });
    await visit.stopClock();
    const held = id === 'stage' ? visit.part(id) : visit.button(id, 'U');
    await held.focus();
    const length = () => visit.page.evaluate(() => history.length);
    const before = await length();
    let asked = 0;
    visit.page.on('request', (request) => {
      asked += Number(request.url().includes('/scene?'));
    });
    const presses = 30;
    for (let press = 0; press < presses; press += 1) {
      await visit.page.keyboard.down(key);
      await visit.passes(40);
    }
    await visit.page.keyboard.up(key);
    const until = asked;
    assert.ok(until >= 2 && until < presses, `${until} moves of ${presses} presses`);
    await afterTurning(visit);
    assert.ok(asked <= until + 1, `${asked - until} moves after the key was let go`);
    assert.equal(await length(), before + 1, 'it is one entry of the history');
    await visit.page.goBack();
    await visit.arrivesAt(SOLVED.cube2);
  });
}

pageTest('cube3: a layer that is held when a key makes a move is let go of', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  const place = await visit.seek(20);
  const { mouse, keyboard } = visit.page;
  await mouse.move(place.x, place.y);
  await mouse.down();
  await mouse.move(place.x, place.y - 40, { steps: 4 });
  await keyboard.press('u');
  const turned = await server.after('cube3', SOLVED.cube3, 'U');
  await visit.arrivesAt(turned);
  await mouse.move(place.x, place.y - 80, { steps: 4 });
  await mouse.up();
  await visit.button('choices', 'R').click();
  await visit.arrivesAt(await server.after('cube3', turned, 'R'));
});

pageTest('moves by hand leave the typed scramble, and lead back one by one', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: 'R U' });
  for (const [count, move] of ['F', 'L2', "D'"].entries()) {
    await visit.button('choices', move).click();
    await eventually(async () => assert.equal(await visit.part('made-moves').getByRole('button').count(), count + 1));
  }
  assert.equal(await visit.value('position'), 'R U');
  assert.deepEqual(visit.state, { puzzle: 'cube3', position: 'R U', moves: "F L2 D'" });
  await visit.arrivesAt(await server.after('cube3', 'R U', "F L2 D'"));
  assert.match(await visit.text('distance'), /^5 moves/);
  assert.match(await visit.text('made'), /^Then by hand:/);
  const drawn = await visit.drawn();
  await visit.page.reload();
  await visit.settled();
  assertSamePicture(await visit.drawn(), drawn);
  await visit.part('made-moves').getByRole('button').first().click();
  await visit.arrivesAt(await server.after('cube3', 'R U', 'F'));
  await visit.click('undo');
  await eventually(async () => assert.equal(await visit.part('made-moves').getByRole('button').count(), 3));
  // What is typed next begins anew.
  await visit.enter("R U B'");
  await visit.arrivesAt("R U B'");
  assert.equal(await visit.text('made'), '');
});

for (const [puzzle, moves] of [['cube3', ['R', 'U', "F'", 'D2']], ['cube21', ['(3, 0)', '/', '(0, -3)']], ['skewb', ['R', "U'", 'L']]]) {
  pageTest(`${puzzle}: turning needs no server, and the verdict follows when the server answers`, { refusals: [503] }, async (visit) => {
    await visit.open({ puzzle });
    const solved = await visit.drawn();
    const release = await visit.hold('**/api/v1/**');
    const { position } = visit.state;
    for (const move of moves) await visit.button('choices', move).click();
    await eventually(() => assert.equal(visit.state.moves, moves.join(' ')));
    assert.equal(await visit.text('distance'), '');
    const turned = await visit.drawn();
    // Undo and redo need no server, either.
    for (const _ of moves) await visit.click('undo');
    await eventually(async () => assertSamePicture(await visit.drawn(), solved));
    for (const _ of moves) await visit.click('redo');
    await eventually(async () => assertSamePicture(await visit.drawn(), turned));
    release();
    await visit.arrivesAt(await server.after(puzzle, position, moves.join(' ')));
    assertSamePicture(await visit.drawn(), turned);
    await visit.page.reload();
    await visit.settled();
    assertSamePicture(await visit.drawn(), turned);
  });
}

pageTest('a scene of the server that differs from the turned puzzle replaces it, and the page turns no further ahead', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  // The server takes every R for U.
  await visit.page.route('**/scene?*', (route) => route.continue({ url: route.request().url().replace('moves=R', 'moves=U') }));
  await visit.button('choices', 'R').click();
  const expected = await server.ask('cube2/scene', { position: 'U' });
  await eventually(() => assert.equal(visit.faults.filter((fault) => fault.includes('otherwise than the server')).length, 1));
  visit.faults.splice(0);
  await visit.page.unroute('**/scene?*');
  await eventually(async () => assert.equal(await visit.text('distance'), '1 move from solved'));
  const drawn = await visit.drawn();
  await visit.open({ puzzle: 'cube2', position: expected.written });
  assertSamePicture(drawn, await visit.drawn());
});

pageTest('a move that the server refuses is taken back', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  const before = await visit.drawn();
  const problem = JSON.stringify({ type: 'about:blank', title: 'Busy', status: 503, code: 'busy', detail: 'as many wait as may' });
  await visit.page.route('**/scene?*', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: problem }));
  await visit.button('choices', 'U').click();
  await eventually(async () => assert.match(await visit.text('reasons'), /as many wait as may/));
  assert.deepEqual(visit.state, { puzzle: 'cube2', position: 'R' });
  assert.equal(await visit.text('distance'), '');
  assertSamePicture(await visit.drawn(), before);
  assert.equal(await visit.text('made'), '');
  // So is a step back.
  await visit.page.unroute('**/scene?*');
  await visit.enter('R U2');
  await visit.arrivesAt('R U2');
  const after = await visit.drawn();
  await visit.page.route('**/scene?*', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: problem }));
  await visit.click('undo');
  await eventually(async () => assert.match(await visit.text('reasons'), /as many wait as may/));
  assert.equal(await visit.value('position'), 'R U2');
  assert.equal(visit.state.position, 'R U2');
  assertSamePicture(await visit.drawn(), after);
});

for (const puzzle of ['cube21', 'square1-corners']) {
  pageTest(`${puzzle}: a twist that is blocked says why, and which turn frees it`, {}, async (visit) => {
    await visit.open({ puzzle });
    const twist = visit.button('choices', '/');
    assert.equal(await twist.getAttribute('aria-disabled'), null);
    await visit.button('choices', '(2, 0)').click();
    await eventually(async () => assert.equal(await visit.text('distance'), 'The cut is blocked'));
    assert.match(await visit.text('note'), /^A corner of the upper layer lies across the cut\. Turn that layer first: .*by 30°/);
    assert.equal(await twist.getAttribute('aria-disabled'), 'true');
    await twist.click({ force: true });
    assert.match(await visit.text('toast'), /A corner of the upper layer lies across the cut/);
    // Picture, field and address agree.
    assert.equal(await visit.value('position'), '');
    assert.match(await visit.text('made'), /By hand:\s+\(2, 0\)/);
    assert.equal(visit.state.moves, '(2, 0)');
    // A link to there says the same.
    await visit.page.reload();
    await eventually(async () => assert.match(await visit.text('note'), /A corner of the upper layer/));
    // Every turn that is named frees the twist.
    const named = (await visit.text('note')).replaceAll('\u00a0', ' ').match(/\(-?\d, -?\d\)/g);
    for (const turn of named) {
      const { choices } = await server.ask(`${puzzle}/scene`, { position: visit.state.position, moves: `(2, 0) ${turn}` });
      assert.ok(choices.some(({ text }) => text === '/'), turn);
    }
    await visit.button('choices', named[0]).click();
    await eventually(async () => assert.match(await visit.text('distance'), /^Solved/));
    await visit.part('stage').press('/');
    await eventually(async () => assert.match(await visit.text('distance'), /^1 twist/));
  });
}

/** Numbers from 0 to 1, the same each time. */
function* numbers() {
  for (let seed = 1; ; seed = (seed * 48271) % 2147483647) yield seed / 2147483647;
}

test('every puzzle: the model of the page turns it as the server does, and has the same moves', { timeout: 60_000 }, async () => {
  const random = numbers();
  const puzzles = (await server.ask('puzzles')).filter(({ has_pictures: hasPictures }) => hasPictures);
  assert.ok(puzzles.length > 10);
  let blocked = 0;
  for (const { puzzle, solved } of puzzles) {
    const model = new Model();
    let scene = settled(await server.ask(`${puzzle}/scene`, { position: solved }));
    model.learn(scene);
    const moves = [];
    for (let count = 0; count < 12; count += 1) {
      const choice = scene.choices[Math.floor(random.next().value * scene.choices.length)];
      moves.push(choice.text);
      scene = model.after(scene, choice);
      assert.ok(scene, `${puzzle}: ${moves}`);
      const expected = settled(await server.ask(`${puzzle}/scene`, { position: solved, moves: moves.join(' ') }));
      assert.ok(model.agrees(scene, expected), `${puzzle}: ${moves.join(' ')}`);
      blocked += scene.blocked.length;
    }
  }
  assert.ok(blocked > 5, `${blocked} twists were blocked`);
});

test('a model notices a solid that is elsewhere, and a move that turns others', async () => {
  const model = new Model();
  const [solved, turned] = await Promise.all(['', 'R'].map(async (position) => settled(await server.ask('cube3/scene', { position }))));
  model.learn(solved);
  assert.ok(model.agrees(solved, solved));
  assert.ok(!model.agrees(solved, turned));
  const [first, ...others] = solved.choices;
  const other = { ...first, turns: others[3].turns };
  assert.ok(!model.agrees(solved, { ...solved, choices: [other, ...others] }));
  assert.ok(!model.agrees(solved, { ...solved, choices: others }));
});
