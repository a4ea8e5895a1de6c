// The first screen: what a visitor sees without scrolling, and what stays true of it.

import assert from 'node:assert/strict';
import { eventually, pageTest, server } from './browser.mjs';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };
/** The superflip: its distance is 20, which no short search proves. */
const SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";

/** The bottom edge of a part. */
const bottom = async (visit, id) => {
  const { y, height } = await visit.part(id).boundingBox();
  return y + height;
};

/** Opens an address as it is. */
async function go(visit, address) {
  await visit.page.goto(`${visit.address}/${address}`);
  await visit.settled();
}

for (const [name, screen] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
  pageTest(`${name}: verdict, solution and player buttons are on the first screen`, screen, async (visit) => {
    for (const [puzzle, position] of [['cube3', "R U R' U' F2"], ['cube21', '23FE7018-BC549A6D-'], ['cube2', "R U F' R"]]) {
      await visit.open({ puzzle, position });
      const { solution } = await server.ask(`${puzzle}/query`, { position });
      await eventually(async () => assert.equal(await visit.text('best-moves'), solution));
      for (const id of ['field', 'stage', 'distance', 'best-moves', 'best-play', 'best-step', 'best-copy', 'share']) {
        assert.ok((await bottom(visit, id)) <= screen.viewport.height, `${puzzle}: ${id} ends at ${await bottom(visit, id)}`);
      }
      // The turns are in sight too, and cover none of these.
      const { y: turns } = await visit.part('turn-part').boundingBox();
      assert.ok((await bottom(visit, 'share')) <= turns, `${puzzle}: the turns begin at ${turns}`);
      assert.ok((await bottom(visit, 'choices')) <= screen.viewport.height, `${puzzle}: the turns end at ${await bottom(visit, 'choices')}`);
      await visit.shot(`first-${name}-${puzzle}`, { fullPage: false });
    }
    // A long solution, too, has its buttons above the turns.
    await visit.open({ puzzle: 'cube21', position: 'DB57681-3F9CA42E0-' });
    await eventually(async () => assert.match(await visit.text('distance'), /^10 twists/));
    const [play, turns] = [await bottom(visit, 'best-play'), (await visit.part('turn-part').boundingBox()).y];
    assert.ok(play <= turns, `the buttons end at ${play}, the turns begin at ${turns}`);
  });

  pageTest(`${name}: nothing moves by itself while the page loads`, { ...screen, refusals: [503] }, async (visit) => {
    await visit.page.addInitScript(() => {
      window.shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const query of [{}, { puzzle: 'cube3', position: "R U R' U' F2" }]) {
      await visit.open(query);
      await eventually(async () => assert.ok((await visit.part('moves').locator('*').count()) > 0));
      const shifts = await visit.page.evaluate(() => window.shifts);
      assert.ok(shifts < 2e-4, `${JSON.stringify(query)}: ${shifts}`);
    }
  });
}

pageTest('a server that is slow: a grey cube and a bar stand where puzzle and verdict come', {}, async (visit) => {
  const release = await visit.hold('**/api/v1/**');
  await visit.page.goto(`${visit.address}/?puzzle=cube2&position=R`);
  assert.equal((await visit.drawn()).length, 3);
  assert.equal(await visit.part('answer-part').getAttribute('aria-busy'), 'true');
  const bar = () => visit.part('distance').evaluate((verdict) => Number.parseFloat(getComputedStyle(verdict, '::after').width) || 0);
  assert.ok((await bar()) > 100);
  release();
  await visit.settled();
  assert.ok((await visit.drawn()).length > 20);
  assert.equal(await bar(), 0);
});

pageTest('a tetrahedron shows two of its sides at first, whatever was looked at before', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await visit.part('stage').press('ArrowLeft');
  await visit.part('puzzle').selectOption('pyraminx');
  await eventually(() => assert.equal(visit.state.puzzle, 'pyraminx'));
  const area = ({ corners }) => Math.abs(corners.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = corners[(at + 1) % corners.length];
    return sum + x * nextY - y * nextX;
  }, 0)) / 2;
  const areas = {};
  for (const sticker of await visit.drawn()) areas[sticker.fill] = (areas[sticker.fill] ?? 0) + area(sticker);
  delete areas['#1a1a1a'];
  const [small, large, ...more] = Object.values(areas).toSorted((a, b) => a - b);
  assert.equal(more.length, 0);
  assert.ok(small > 0.3 * large, JSON.stringify(areas));
});

pageTest('the first visit shows the cube, later ones the puzzle of the last', { refusals: [503] }, async (visit) => {
  await go(visit, '');
  assert.equal(visit.state.puzzle, 'cube3');
  assert.equal(await visit.text('distance'), 'Solved');
  assert.match(await visit.text('entry-part'), /How far is your puzzle from solved/);
  await visit.part('puzzle').selectOption('skewb');
  await eventually(() => assert.equal(visit.state.puzzle, 'skewb'));
  await visit.settled();
  await go(visit, '');
  assert.equal(visit.state.puzzle, 'skewb');
});

pageTest('?q= is a scramble of the cube', { refusals: [503] }, async (visit) => {
  await go(visit, "?q=R+U+R'");
  assert.deepEqual(visit.state, { puzzle: 'cube3', position: "R U R'" });
  assert.equal(await visit.text('distance'), '3 moves from solved');
});

pageTest('without JavaScript, ?q= gives the verdict', { javaScriptEnabled: false }, async (visit) => {
  const seen = async (address) => {
    await visit.page.goto(`${visit.address}/${address}`);
    return visit.page.locator('body').innerText();
  };
  assert.match(await seen("?q=R+U+R'"), /3 moves from solved: R U' R'/);
  assert.match(await seen('?q=solved'), /Solved\./);
  assert.match(await seen('?q=R+Q'), /"Q" is no move/);
  assert.match(await seen(''), /Scramble of the Rubik's cube/);
  await visit.page.getByRole('textbox').fill('R U');
  await visit.page.getByRole('button').click();
  assert.match(await visit.page.locator('body').innerText(), /2 moves from solved: U' R'/);
  // The browser refuses the scripts.
  for (const fault of visit.faults.splice(0)) assert.match(fault, /^request failed: .*\.js csp$/);
});

pageTest('a far position is searched at once: bounds, then a solution', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: SUPERFLIP });
  await eventually(async () => assert.match(await visit.text('distance'), /^1[5-9] to 2\d moves$/));
  await eventually(async () => assert.match(await visit.text('note'), /^A solution of 2\d moves\. Every solution has at least 1[5-9]\.$/));
  const { leads_to: end } = await server.ask('cube3/scene', { position: SUPERFLIP, moves: await visit.text('best-moves') });
  assert.match(end, /^U{9}R{9}/);
  await visit.click('exact');
  await eventually(async () => assert.match(await visit.text('note'), /Searching/));
  await visit.click('solved');
  await eventually(async () => assert.equal(await visit.text('distance'), 'Solved'));
});

for (const [name, screen] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
  pageTest(`${name}: the player takes the place of the solution, and the turns stay where they are`, { ...screen, refusals: [503] }, async (visit) => {
    await visit.open({ puzzle: 'cube3', position: "R U F' L D B2 R2 U' F" });
    await eventually(async () => assert.equal(await visit.text('distance'), '9 moves from solved'));
    const moves = (await visit.text('best-moves')).split(' ');
    const turns = async () => (await visit.part('turn-part').boundingBox()).y;
    const before = await turns();
    await visit.part('best-step').focus();
    await visit.page.keyboard.press('Enter');
    await visit.playedTo(1);
    for (const id of ['best', 'best-play', 'best-step']) assert.ok(await visit.part(id).isHidden(), id);
    assert.equal(await visit.page.locator('button:visible').filter({ hasText: '▶' }).count(), 2, 'to play, and to go on by a move');
    assert.deepEqual(await visit.part('steps').getByRole('button').allInnerTexts(), moves);
    assert.equal(await visit.page.evaluate(() => document.activeElement.id), 'play', 'the focus is in the player');
    if (name === 'desktop') assert.ok(Math.abs((await turns()) - before) < 0.5, `the turns move from ${before} to ${await turns()}`);
    await visit.click('close');
    await visit.part('best-play').waitFor();
    assert.ok(await visit.part('bar').isHidden());
  });
}

pageTest('the solution is played, stepped and copied; the link is shared', { permissions: ['clipboard-read', 'clipboard-write'] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: "R U F' R" });
  const copied = () => visit.page.evaluate(() => navigator.clipboard.readText());
  const solution = await visit.text('best-moves');
  await visit.click('best-step');
  await visit.playedTo(1);
  await visit.click('next');
  await visit.playedTo(2);
  await visit.click('play');
  await visit.playedTo(4);
  await visit.click('close');
  await visit.click('best-play');
  await visit.playedTo(4);
  await visit.click('close');
  await visit.click('best-copy');
  await eventually(async () => assert.equal(await copied(), solution));
  assert.equal(await visit.text('toast'), 'Copied.');
  await visit.click('share');
  await eventually(async () => assert.equal(await copied(), visit.page.url()));
  await visit.part('copy-as').locator('summary').click();
  const { facelets } = await server.ask('cube2/query', { position: "R U F' R" });
  await visit.part('copies').getByRole('button', { name: 'Facelets' }).click();
  await eventually(async () => assert.equal(await copied(), facelets));
});

pageTest('facts have labels in words, and terms a line of explanation', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: "R U R' U' F2" });
  await eventually(async () => assert.equal(await visit.text('distance'), '5 moves from solved'));
  await visit.part('more').locator('summary').click();
  const facts = await visit.text('facts');
  assert.match(facts, /Moves to H\s+\d/);
  assert.match(facts, /H: The positions that U, D, R2, F2, L2, B2 reach from solved\./);
  assert.doesNotMatch(facts, /to_h|in_h|to h|in h|UUU|reid/);
});

pageTest('undo and redo go through positions, by buttons and keys, and leave fields alone', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  assert.ok(await visit.part('undo').isDisabled());
  await visit.button('choices', 'U').click();
  const turned = await server.after('cube2', 'R', 'U');
  await visit.arrivesAt(turned);
  assert.ok(await visit.part('redo').isDisabled());
  await visit.click('undo');
  await visit.arrivesAt('R');
  await eventually(async () => assert.ok(await visit.part('undo').isDisabled()));
  await visit.click('redo');
  await visit.arrivesAt(turned);
  await visit.part('stage').focus();
  await visit.page.keyboard.press('Control+z');
  await visit.arrivesAt('R');
  await visit.page.keyboard.press('Control+y');
  await visit.arrivesAt(turned);
  await visit.part('position').focus();
  await visit.page.keyboard.press('Control+z');
  await visit.inPage(100);
  assert.deepEqual(visit.state, { puzzle: 'cube2', position: 'R', moves: 'U' });
});

pageTest('the view is reset', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  const before = await visit.drawn();
  await visit.part('stage').focus();
  for (const key of ['ArrowLeft', 'ArrowUp']) await visit.page.keyboard.press(key);
  assert.notDeepEqual(await visit.drawn(), before);
  await visit.click('reset-view');
  assert.deepEqual(await visit.drawn(), before);
});

pageTest('painting has keys for colours, and no verdict of another position', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  await visit.click('edit');
  await visit.part('stage').focus();
  await visit.page.keyboard.press('3');
  for (const id of ['drag-hint', 'turn-part']) await visit.part(id).waitFor({ state: 'hidden' });
  const checked = visit.part('letters').locator('[aria-checked="true"]');
  await eventually(async () => assert.equal(await checked.innerText(), 'F'));
  const { x, y } = await visit.seek(10);
  await visit.page.mouse.click(x, y);
  await eventually(async () => assert.match(await visit.text('reasons'), /colour/));
  assert.equal(await visit.text('distance'), '');
  assert.ok(await visit.part('best').isHidden());
});

pageTest('phone: a finger beside the puzzle scrolls the page', PHONE, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  const { x, y, height } = await visit.part('stage').boundingBox();
  const client = await visit.page.context().newCDPSession(visit.page);
  const touch = (type, ...touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
  await touch('touchStart', { x: x + 12, y: y + height - 20 });
  for (let step = 1; step <= 8; step += 1) await touch('touchMove', { x: x + 12, y: y + height - 20 - step * 20 });
  await touch('touchEnd');
  await eventually(async () => assert.ok((await visit.page.evaluate(() => scrollY)) > 50));
  assert.equal(visit.state.position, 'R U');
});

for (const viewport of [PHONE.viewport, { width: 360, height: 740 }]) {
  pageTest(`phone of ${viewport.height} pixels: puzzle, verdict and player are in sight while a solution is played`, { ...PHONE, viewport, refusals: [503] }, async (visit) => {
    for (const [puzzle, position] of [['cube3', "R U R' U' F2"], ['cube21', '23FE7018-BC549A6D-']]) {
      await visit.open({ puzzle, position });
      await visit.part('best-play').tap();
      await visit.part('bar').waitFor();
      const { y: top } = await visit.part('bar').boundingBox();
      for (const id of ['stage', 'distance']) {
        const { y } = await visit.part(id).boundingBox();
        assert.ok(y > -1, `${puzzle}: ${id} begins at ${y}`);
        assert.ok((await bottom(visit, id)) <= top, `${puzzle}: ${id} ends at ${await bottom(visit, id)}, the player begins at ${top}`);
      }
      assert.ok((await bottom(visit, 'bar')) <= viewport.height + 1);
      for (const id of ['first', 'back', 'play', 'next', 'here', 'close']) {
        const { x, width } = await visit.part(id).boundingBox();
        assert.ok(x >= 0 && x + width <= viewport.width, `${id} is at ${x} to ${x + width}`);
      }
    }
  });
}

pageTest('a reason why a text is no position stands in place of the verdict, once', { ...PHONE, refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  await visit.enter('R Q');
  await visit.part('reasons').getByRole('listitem').waitFor();
  const [{ message }] = (await server.ask('cube2/scene', { position: 'R Q' })).problems;
  assert.equal((await visit.page.locator('body').innerText()).split(message).length - 1, 1);
  const size = await visit.part('reasons').locator('li').evaluate((reason) => Number.parseFloat(getComputedStyle(reason).fontSize));
  assert.ok(size >= 18, `${size} pixels`);
  assert.ok((await bottom(visit, 'reasons')) < PHONE.viewport.height);
  assert.notEqual(await visit.page.evaluate(() => document.activeElement.id), 'position', 'no keyboard covers it');
});

pageTest('a position with several shortest solutions leads to all of them', {}, async (visit) => {
  const position = '(1, 0) / (3, 3) /';
  await visit.open({ puzzle: 'cube21', position });
  const { solutions } = await server.ask('cube21/query', { position });
  assert.ok(solutions > 1);
  assert.equal(await visit.text('note'), `${solutions} shortest solutions.`);
  await visit.click('to-solutions');
  await eventually(async () => assert.equal(await visit.part('solutions').getByRole('button').count(), solutions));
  assert.ok(await visit.part('solutions-view').isVisible());
  await visit.enter('(1, 0) /');
  await eventually(async () => assert.equal(await visit.text('note'), 'One shortest solution.'));
  assert.ok(await visit.part('to-solutions').isHidden());
});

pageTest('the terms of a goal are explained under its distance', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: "R U F'", goal: 'eo' });
  assert.match(await visit.text('distance'), /from EO$/);
  assert.match(await visit.text('meaning'), /^EO: Edge orientation\. /);
  // One that these turns do not lead to.
  await visit.part('goal').selectOption('dr-from-eo');
  await eventually(async () => assert.equal(await visit.text('distance'), 'The goal is out of reach'));
  assert.match(await visit.text('note'), /^No turns of U U2 .* lead from here to the goal dr-from-eo\.$/);
  assert.match(await visit.text('meaning'), /EO: [^]*DR: Domino reduction\. /);
  await visit.part('goal').selectOption('cross');
  await eventually(async () => assert.match(await visit.text('distance'), /from cross$/));
  assert.equal(await visit.text('meaning'), '');
});

pageTest('phone: a row that scrolls fades where there is more of it', { ...PHONE, refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  for (const id of ['choices', 'tabs']) {
    const fades = () => visit.part(id).evaluate((row) => {
      const style = getComputedStyle(row);
      return ['--before', '--behind'].map((name) => Number.parseFloat(style.getPropertyValue(name)));
    });
    const scroll = (where) => visit.part(id).evaluate((row, where) => row.scrollTo(where * (row.scrollWidth - row.clientWidth), 0), where);
    for (const [where, before, behind] of [[0, 0, 48], [0.5, 48, 48], [1, 48, 0]]) {
      await scroll(where);
      await eventually(async () => assert.deepEqual(await fades(), [before, behind], `${id} at ${where}`));
    }
  }
  // One that has all its moves in sight does not.
  await visit.page.setViewportSize(DESKTOP.viewport);
  assert.match(await visit.part('tabs').evaluate((row) => getComputedStyle(row).getPropertyValue('--behind')), /^0px$/);
});

pageTest('the first screen takes less than 150 kB, and the net to paint comes when it is needed', { refusals: [503] }, async (visit) => {
  await visit.open();
  const loaded = () => visit.page.evaluate(() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .map(({ name, encodedBodySize }) => [name, encodedBodySize]));
  const first = await loaded();
  const bytes = first.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(first.length > 15 && bytes < 150_000, `${bytes} bytes in ${first.length} files`);
  const hasNet = async () => (await loaded()).some(([name]) => name.endsWith('/net.js'));
  assert.equal(await hasNet(), false);
  await visit.click('edit');
  await visit.part('net').waitFor();
  assert.ok(await hasNet());
  // So do views: each in a file of its own, and nothing is asked about them before.
  const has = async (file) => (await loaded()).some(([name]) => name.includes(file));
  await visit.open({ puzzle: 'cube3', position: 'R' });
  for (const [view, file] of [['distribution', '/tables.js'], ['method', '/method.js'], ['lists', '/lists.js'], ['help', '/help.js']]) {
    assert.equal(await has(file), false, file);
    await visit.view(view);
    await eventually(async () => assert.ok(await has(file), file));
  }
});
