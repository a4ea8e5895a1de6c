// Solutions that are played.

import assert from 'node:assert/strict';
import { MOVING, assertSamePicture, eventually, pageTest, server } from './browser.mjs';

/** The first solution that is listed, once it is there. */
async function firstSolution(visit) {
  await visit.view('solutions');
  const button = visit.part('solutions').getByRole('button').first();
  await button.waitFor();
  return { button, moves: await button.innerText() };
}

for (const [puzzle, position] of [['cube2', "R U F'"], ['cube21', '(1, 0) / (3, 3) / (-1, 0)'], ['square1-corners', '/ (3, 0) / (0, 3) /']]) {
  pageTest(`${puzzle}: a solution is played, and the picture at its end is solved`, {}, async (visit) => {
    await visit.open({ puzzle, position });
    await visit.speed('4');
    const { button, moves } = await firstSolution(visit);
    const { steps, leads_to: end } = await server.ask(`${puzzle}/scene`, { position, moves });
    const { distance } = await server.ask(`${puzzle}/query`, { position: end });
    assert.equal(distance, 0);
    await button.click();
    await visit.part('bar').waitFor();
    await visit.playedTo(steps.length);
    await visit.shot(`player-${puzzle}`);
    assert.deepEqual(await visit.part('steps').getByRole('button').allInnerTexts(), steps.map(({ text }) => text));
    const played = await visit.drawn();
    await visit.click('here');
    await visit.arrivesAt(end);
    assertSamePicture(await visit.drawn(), played);
    assert.match(await visit.text('distance'), /^Solved/);
  });
}

pageTest('the player steps, goes back, is dragged along, and is closed', MOVING, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: "R U F' R U2" });
  await visit.speed('4');
  const start = await visit.drawn();
  const { button, moves } = await firstSolution(visit);
  await button.click();
  const { steps } = await server.ask('cube2/scene', { position: visit.state.position, moves });
  const last = steps.length;
  await visit.playedTo(last);
  const end = await visit.drawn();
  const current = () => visit.part('steps').locator('[aria-current="step"]').allInnerTexts();
  assert.deepEqual(await current(), [steps.at(-1).text]);

  await visit.click('back');
  await visit.playedTo(last - 1);
  assert.deepEqual(await current(), [steps.at(-2).text]);
  await visit.click('first');
  await visit.playedTo(0);
  assertSamePicture(await visit.drawn(), start);
  // There is nothing before the start.
  await visit.click('back');
  await visit.playedTo(0);
  await visit.click('next');
  await visit.playedTo(1);
  await visit.part('steps').getByRole('button').nth(2).click();
  await visit.playedTo(3);

  // The slider, with the mouse: to its end and to its start.
  const { x, y, width, height } = await visit.part('along').boundingBox();
  const { mouse } = visit.page;
  await mouse.move(x + width / 2, y + height / 2);
  await mouse.down();
  await mouse.move(x + width * 0.3, y + height / 2, { steps: 5 });
  const at = Number(await visit.value('along'));
  assert.ok(at > 0 && at < last, `${at} is between moves`);
  await mouse.move(x + width + 20, y + height / 2, { steps: 5 });
  await mouse.up();
  await visit.playedTo(last);
  assertSamePicture(await visit.drawn(), end);

  // Back to a place, and from there on by hand.
  await visit.click('first');
  await visit.click('next');
  await visit.playedTo(1);
  await visit.click('here');
  const there = await server.after('cube2', "R U F' R U2", steps[0].text);
  await visit.arrivesAt(there);
  assert.match(await visit.text('distance'), new RegExp(`^${last - 1} moves`));
  await visit.page.goBack();
  await visit.arrivesAt("R U F' R U2");
  await eventually(async () => assertSamePicture(await visit.drawn(), start));

  await (await firstSolution(visit)).button.click();
  await visit.playedTo(last);
  await visit.click('close');
  await eventually(async () => assert.ok(await visit.part('bar').isHidden()));
  assert.equal(visit.state.position, "R U F' R U2");
  await eventually(async () => assertSamePicture(await visit.drawn(), start));
});

pageTest('the player pauses, and plays on at another speed', MOVING, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: "R U F' R U2 F R' U" });
  await visit.speed('0.5');
  const { button } = await firstSolution(visit);
  // Within the page, where nothing holds up the pause until all is played.
  await button.evaluate(async (button) => {
    const part = (id) => document.getElementById(id);
    button.click();
    while (!(Number(part('along').value) > 0)) await new Promise((done) => requestAnimationFrame(done));
    part('play').click();
  });
  const paused = await visit.drawn();
  const at = Number(await visit.value('along'));
  const last = await visit.part('steps').getByRole('button').count();
  assert.ok(at > 0 && at < last, `${at} of ${last}`);
  assert.equal(await visit.part('play').getAttribute('aria-label'), 'Play');
  assertSamePicture(await visit.drawn(), paused);
  assert.equal(Number(await visit.value('along')), at);
  await visit.part('speed').selectOption('4');
  await visit.click('play');
  await visit.playedTo(last);
});

pageTest('with reduced motion, what is played is at its end at once', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21', position: '23FE7018-BC549A6D-' });
  const { button, moves } = await firstSolution(visit);
  await visit.page.evaluate(() => {
    window.places = new Set();
    const along = document.getElementById('along');
    const note = () => window.places.add(Number(along.value));
    new MutationObserver(note).observe(along, { attributes: true });
    new MutationObserver(note).observe(document.getElementById('view'), { attributes: true, subtree: true, childList: true });
  });
  await button.click();
  const { steps } = await server.ask('cube21/scene', { position: visit.state.position, moves });
  await visit.playedTo(steps.length);
  const places = await visit.page.evaluate(() => [...window.places]);
  assert.ok(places.every((place) => place === 0 || place === steps.length), String(places));
  await visit.button('bar', 'Keep').click();
  await eventually(async () => assert.match(await visit.text('distance'), /^Solved/));
});

pageTest('cube3: the screen is drawn all the while a solution is played', { ...MOVING, refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: "R U F' L D2 B" });
  await visit.view('solutions');
  await visit.button('methods', 'Optimal').click();
  const found = visit.part('found').getByRole('button').first();
  await found.waitFor();
  await visit.page.evaluate(() => {
    window.frames_ = [];
    const frame = (now) => {
      window.frames_.push(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await found.click();
  await visit.part('bar').waitFor();
  const last = await visit.part('steps').getByRole('button').count();
  assert.equal(last, 6);
  await visit.playedTo(last);
  const times = await visit.page.evaluate(() => window.frames_);
  const mean = (times.at(-1) - times[0]) / (times.length - 1);
  console.log(`cube3 is played at ${mean.toFixed(1)} ms a frame (mean of ${times.length - 1})`);
  assert.ok(times.length > last, `${times.length} frames of ${last} moves`);
  const played = await visit.drawn();
  await visit.open({ puzzle: 'cube3' });
  assertSamePicture(played, await visit.drawn());
});

pageTest('two scrambles at once leave the speed as it was', MOVING, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await visit.stopClock();
  await visit.click('scramble');
  await visit.part('bar').waitFor();
  await visit.passes(500);
  const first = await visit.value('position');
  await visit.click('scramble');
  await eventually(async () => assert.notEqual(await visit.value('position'), first));
  await visit.passes(5000);
  await eventually(() => assert.notEqual(visit.state.position, 'UUUURRRRFFFFDDDDLLLLBBBB'));
  await visit.enter("R U F' R");
  await visit.arrivesAt("R U F' R");
  await (await firstSolution(visit)).button.click();
  await visit.part('bar').waitFor();
  await visit.passes(900);
  const at = Number(await visit.value('along'));
  assert.ok(at > 2 && at < 4, `${at} of four turns take 900 ms`);
  await visit.passes(900);
  await visit.playedTo(4);
});

pageTest('cube3: the solution that is known of a position in no table is played', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: "R U F' L D" });
  await visit.speed('4');
  const { button, moves } = await firstSolution(visit);
  const { steps, leads_to: end } = await server.ask('cube3/scene', { position: "R U F' L D", moves });
  await button.click();
  await visit.playedTo(steps.length);
  await visit.click('here');
  await visit.arrivesAt(end);
  await eventually(async () => assert.match(await visit.text('distance'), /^Solved/));
});
