// Positions edited in the picture: stickers painted, pieces exchanged.

import assert from 'node:assert/strict';
import { assertSamePicture, eventually, pageTest, server } from './browser.mjs';

/** Paints every sticker that differs in another position; the texts between, with what the page said of each. */
async function paint(visit, from, to) {
  const texts = [];
  let text = from;
  for (const letter of new Set(to)) {
    await visit.part('letters').getByRole('radio', { name: letter, exact: true }).click();
    for (let at = 0; at < to.length; at += 1) {
      if (to[at] !== letter || text[at] === letter) continue;
      const place = await visit.seek(at);
      await visit.page.mouse.click(place.x, place.y);
      text = text.slice(0, at) + letter + text.slice(at + 1);
      await eventually(async () => assert.equal(await visit.value('position'), text));
      if (text !== to) await eventually(async () => assert.notEqual(await visit.text('reasons'), ''));
      texts.push([text, await visit.part('reasons').locator('li').allInnerTexts()]);
    }
  }
  return texts;
}

for (const [puzzle, moves] of [['cube2', 'F'], ['cube3', 'R2']]) {
  pageTest(`${puzzle}: stickers are painted until they are another position`, { refusals: [400, 503] }, async (visit) => {
    await visit.open({ puzzle });
    const solved = visit.state.position;
    const goal = await server.after(puzzle, solved, moves);
    await visit.click('edit');
    await visit.part('letters').waitFor();
    const painted = await paint(visit, solved, goal);
    assert.ok(painted.length >= 8);
    const [middle, reasons] = painted[Math.floor(painted.length / 2)];
    const { problems } = await server.ask(`${puzzle}/scene`, { position: middle });
    assert.deepEqual(reasons, problems.map(({ message }) => message));
    await visit.arrivesAt(goal);
    await eventually(async () => assert.equal(await visit.text('reasons'), ''));
    assert.equal(await visit.part('edit').getAttribute('aria-pressed'), 'true', 'editing goes on');
    await visit.shot(`editing-${puzzle}`);
    const drawn = await visit.drawn();
    await visit.click('edit');
    await eventually(async () => assert.ok(await visit.part('editor').isHidden()));
    assertSamePicture(await visit.drawn(), drawn);
  });
}

pageTest('cube3: an edit that is no position is left by ending it', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  const { position } = visit.state;
  const before = await visit.drawn();
  await visit.click('edit');
  await visit.part('letters').getByRole('radio', { name: 'B', exact: true }).click();
  const { x, y } = await visit.seek(20);
  await visit.page.mouse.click(x, y);
  await eventually(async () => assert.match(await visit.text('reasons'), /colour/));
  assert.equal(visit.state.position, position);
  await visit.shot('editing-wrong');
  await visit.click('edit');
  await eventually(async () => assert.equal(await visit.text('reasons'), ''));
  await eventually(async () => assertSamePicture(await visit.drawn(), before));
  assert.equal(await visit.value('position'), '', 'the solved position leaves the field empty');
});

/** A position with two of its characters exchanged. */
const exchanged = (position, a, b) => {
  const pieces = [...position];
  [pieces[a], pieces[b]] = [pieces[b], pieces[a]];
  return pieces.join('');
};

for (const puzzle of ['cube21', 'square1-corners']) {
  pageTest(`${puzzle}: pieces change places, dragged and pressed`, {}, async (visit) => {
    await visit.open({ puzzle });
    await visit.click('edit');
    await visit.part('editor').waitFor();
    // Two corners of different colours or places, seen from above both.
    let { position } = visit.state;
    for (let turns = 0; turns < 2; turns += 1) await visit.page.keyboard.press('ArrowUp');
    const [a, b] = [await visit.seek(0), await visit.placeOf(4)];
    assert.ok(b, 'both corners are seen');
    await visit.drag(a, b.x - a.x, b.y - a.y);
    position = exchanged(position, 0, 4);
    await visit.arrivesAt(position);
    await eventually(async () => assert.equal(await visit.part('edit').getAttribute('aria-pressed'), 'true'));
    for (const at of [2, 6]) {
      const place = await visit.placeOf(at);
      await visit.page.mouse.click(place.x, place.y);
      if (at === 2) await eventually(async () => assert.ok((await visit.part('view').locator('.chosen').count()) > 0));
    }
    position = exchanged(position, 2, 6);
    await visit.arrivesAt(position);
    const { hex } = await server.ask(`${puzzle}/query`, { position });
    await eventually(async () => assert.ok((await visit.part('copies').textContent()).includes(hex)));
    await visit.shot(`editing-${puzzle}`);
  });
}

pageTest('cube21: a corner and an edge change places, and the shape with them', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21', position: '02134567-89ABCDEF-' });
  await visit.click('edit');
  await visit.part('editor').waitFor();
  const { position } = visit.state;
  const [a, b] = [await visit.seek(6), await visit.placeOf(7)];
  assert.ok(b, 'both pieces are seen');
  await visit.drag(a, b.x - a.x, b.y - a.y);
  await eventually(() => assert.notEqual(visit.state.position, position));
  assert.equal(visit.state.position, exchanged(position, 6, 7));
});

pageTest('cube2: pointing at moves leaves what is edited as it is', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  const move = visit.part('moves').locator('.move').first();
  await move.waitFor();
  await visit.click('edit');
  await visit.part('net').waitFor();
  const edited = await visit.drawn();
  await move.hover();
  await visit.inPage(0);
  assert.deepEqual(await visit.drawn(), edited);
  await visit.part('position').hover();
  assert.deepEqual(await visit.drawn(), edited);
  assert.equal(await visit.part('edit').getAttribute('aria-pressed'), 'true');
});

pageTest('cube2: an edit that begins while the server is awaited is one of the turned position, and stays', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const turned = await server.after('cube2', visit.state.position, 'R');
  const release = await visit.hold('**/scene?**');
  const asked = visit.page.waitForRequest('**/scene?**');
  await visit.button('choices', 'R').click();
  await asked;
  await visit.click('edit');
  release();
  await eventually(async () => assert.equal(await visit.value('position'), turned));
  await visit.inPage(300);
  assert.equal(await visit.part('edit').getAttribute('aria-pressed'), 'true');
  assert.equal(await visit.value('position'), turned);
});

/** The button of a sticker in the flat net. */
const onNet = (visit, at) => visit.part('net').locator(`[data-at="${at}"]`);
/** The stickers marked as wrong in the net. */
const wrongOnes = (visit) => visit.part('net').locator('.wrong').evaluateAll((all) => all.map(({ dataset }) => Number(dataset.at)));

pageTest('cube3: a cube is painted on the flat net from nothing, with keys for colours', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  const goal = await server.after('cube3', visit.state.position, "R U F'");
  await visit.click('edit');
  await visit.click('blank');
  assert.equal(await visit.text('distance'), '48 stickers to paint', 'the centres are there');
  for (const [number, letter] of [...'URFDLB'].entries()) {
    const places = [...goal].map((own, at) => (own === letter && at % 9 !== 4 ? at : -1)).filter((at) => at >= 0);
    // The key works wherever the focus is, but in a field.
    await visit.page.keyboard.press(String(number + 1));
    for (const at of places) await onNet(visit, at).click();
    assert.deepEqual(await wrongOnes(visit), [], `after ${letter}`);
  }
  await visit.arrivesAt(goal);
  await eventually(async () => assert.equal(await visit.text('distance'), '3 moves from solved'));
  const colours = await visit.part('net').locator('[data-at]').evaluateAll((all) => all.map(({ style }) => style.background));
  assert.equal(new Set(colours.slice(9, 18)).size, new Set(goal.slice(9, 18)).size, 'the net shows the colours');
});

pageTest('cube3: errors of a painting are marked on their stickers as they arise', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  await visit.click('edit');
  await visit.click('blank');
  const paint = async (letter, ...places) => {
    await visit.part('letters').getByRole('radio', { name: letter, exact: true }).click();
    for (const at of places) await onNet(visit, at).click();
  };
  const place = () => visit.part('net').boundingBox();
  const before = await place();
  // The edge UF: white twice is no piece.
  await paint('U', 7, 19);
  assert.deepEqual(await wrongOnes(visit), [7, 19]);
  assert.match(await visit.text('reasons'), /no piece has the colours U, U/);
  assert.ok((await visit.part('view').locator('.wrong').count()) > 0, 'the cube shows them too');
  assert.deepEqual(await place(), before, 'the net stays where it is');
  await paint('F', 19);
  assert.deepEqual(await wrongOnes(visit), []);
  assert.equal(await visit.text('reasons'), '');
  // The edge UR with the colours of UF: both are marked.
  await paint('F', 10);
  await paint('U', 5);
  assert.deepEqual(await wrongOnes(visit), [5, 7, 10, 19]);
  assert.match(await visit.text('reasons'), /the piece with the colours F, U appears twice/);
});

pageTest('a painting that is not finished is kept, and offered again', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await visit.click('edit');
  await visit.part('net').waitFor();
  assert.ok(await visit.part('resume').isHidden());
  await visit.click('blank');
  await visit.part('letters').getByRole('radio', { name: 'B', exact: true }).click();
  for (const at of [0, 1, 2]) await onNet(visit, at).click();
  const draft = await visit.value('position');
  await visit.click('edit');
  await eventually(async () => assert.equal(await visit.text('distance'), 'Solved'));
  await visit.open({ puzzle: 'cube2', position: 'R' });
  await visit.click('edit');
  await visit.part('net').waitFor();
  assert.equal(await visit.text('resume'), 'Continue your painting (13 %)');
  await visit.click('resume');
  assert.equal(await visit.value('position'), draft);
  assert.equal(await visit.text('distance'), '21 stickers to paint');
  // Another puzzle has its own.
  await visit.open({ puzzle: 'cube3' });
  await visit.click('edit');
  await visit.part('net').waitFor();
  assert.ok(await visit.part('resume').isHidden());
});

pageTest('arrows go over the flat net', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await visit.click('edit');
  await onNet(visit, 0).focus();
  const seen = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) {
    await visit.page.keyboard.press(key);
    seen.push(await visit.page.evaluate(() => document.activeElement.dataset.name));
  }
  assert.deepEqual(seen, ['U3', 'F1', 'F2', 'R1', 'F2', 'F1', 'L2']);
});
