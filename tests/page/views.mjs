// The views under the verdict: one at a time, each with its own contents.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { eventually, pageTest, server } from './browser.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

pageTest('one view is open, the address names it, and it stays', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  assert.ok(await visit.part('moves-view').isVisible());
  await visit.view('help');
  assert.ok(await visit.part('moves-view').isHidden());
  assert.ok(await visit.part('help-view').isVisible());
  // It lies under the puzzle: the page scrolls to it.
  assert.ok(await visit.page.evaluate(() => document.getElementById('tabs').getBoundingClientRect().top <= innerHeight / 2 + 1));
  assert.ok(visit.page.url().endsWith('#help'));
  await visit.enter('R U');
  await visit.arrivesAt('R U');
  assert.ok(visit.page.url().endsWith('#help'));
  await visit.page.reload();
  await visit.settled();
  assert.ok(await visit.part('help-view').isVisible());
  assert.equal(await visit.part('tab-help').getAttribute('aria-selected'), 'true');
  // Steps are of puzzles with such goals alone; another view takes their place.
  assert.ok(await visit.part('tab-method').isHidden());
  await visit.part('tab-help').press('Home');
  assert.ok(await visit.part('moves-view').isVisible());
});

pageTest('moves that lead farther are folded, with their number', {}, async (visit) => {
  const position = '23FE7018-BC549A6D-';
  await visit.open({ puzzle: 'cube21', position });
  const { distance, moves } = await server.ask('cube21/query', { position });
  const farther = moves.filter((move) => move.distance > distance).length;
  const summary = visit.part('moves').locator('summary');
  await eventually(async () => assert.equal(await summary.innerText(), `${farther} moves lead farther`));
  const seen = () => visit.part('moves').locator('.move:visible').count();
  assert.equal(await seen(), moves.length - farther);
  await summary.click();
  assert.equal(await seen(), moves.length);
  const distances = await visit.part('moves').locator('.move b').allInnerTexts();
  assert.deepEqual(distances.map(Number), distances.map(Number).toSorted((a, b) => a - b));
});

pageTest('the distribution says where the position stands, on two scales', {}, async (visit) => {
  const position = "R U F'";
  await visit.open({ puzzle: 'cube2', position });
  await visit.view('distribution');
  const { levels } = await server.ask('cube2/stats', { table: 'cube2' });
  const sum = (isCounted) => levels.filter(isCounted).reduce((total, { positions }) => total + positions, 0);
  const share = (100 * sum(({ distance }) => distance > 3)) / sum(() => true);
  await eventually(async () => assert.match(await visit.text('standing'), / % of all positions are farther, .* % nearer\.$/));
  assert.ok(Math.abs(Number.parseFloat(await visit.text('standing')) - share) < 0.02, `${await visit.text('standing')}: ${share}`);
  const heights = () => visit.part('plot').locator('rect').evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))));
  const logarithmic = await heights();
  await visit.part('scale').selectOption('linear');
  await eventually(async () => assert.match(await visit.text('plot'), /linear scale/));
  const linear = await heights();
  const most = Math.max(...levels.map(({ positions }) => positions));
  linear.forEach((height, at) => assert.ok(Math.abs(height / Math.max(...linear) - levels[at].positions / most) < 1e-3));
  assert.ok(logarithmic[2] > linear[2]);
  await visit.page.reload();
  await visit.settled();
  assert.equal(await visit.value('scale'), 'linear');
});

/** Enters a list and waits for its distances. */
async function measure(visit, positions) {
  await visit.part('list-text').fill(positions.join('\n'));
  await visit.part('list-form').getByRole('button').click();
  await eventually(async () => assert.match(await visit.text('list-state'), /are exact/));
}

pageTest('a list of positions: distances, sorted, as a file, as links', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await visit.view('lists');
  await measure(visit, ["R U F'", 'R', 'R Q', 'R U']);
  assert.equal(await visit.text('list-state'), '3 of 4 distances are exact. One line is not a position.');
  const rows = async () => (await visit.part('list-result').locator('tbody tr').allInnerTexts()).map((text) => text.split('\t'));
  const [first, , wrong] = await rows();
  assert.deepEqual(first, ['1', "R U F'", '3 moves']);
  assert.match(wrong[2], /"Q" is no move/);
  const sorted = async () => (await rows()).map(([line]) => line);
  await visit.button('list-result', 'Distance').click();
  assert.deepEqual(await sorted(), ['2', '4', '1', '3']);
  await visit.button('list-result', 'Distance').click();
  assert.deepEqual(await sorted(), ['3', '1', '4', '2']);
  assert.equal(await visit.part('list-result').locator('[aria-sort]').getAttribute('aria-sort'), 'descending');
  const saved = visit.page.waitForEvent('download');
  await visit.click('list-csv');
  const chunks = await (await (await saved).createReadStream()).toArray();
  const lines = Buffer.concat(chunks).toString().trim().split('\n');
  assert.deepEqual(lines.slice(0, 3), ['position,distance,at_least,error', "R U F',3,3,", 'R,1,1,']);
  assert.match(lines[3], /^R Q,,,"""Q"" is no move/);
  await visit.part('list-result').getByRole('link', { name: 'R U', exact: true }).click();
  await visit.arrivesAt('R U');
});

pageTest('a list that is dropped as a file; distances that are searched', {}, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  await visit.view('lists');
  await visit.part('list-text').evaluate((field) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["R U F\nU R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2\n"], 'list.txt', { type: 'text/plain' }));
    field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await eventually(async () => assert.equal(await visit.text('list-state'), '1 of 2 distances are exact. The others are lower bounds: no solution is shorter.'));
  const distances = await visit.part('list-result').locator('tbody td:last-child').allInnerTexts();
  assert.equal(distances[0], '3 moves');
  assert.match(distances[1], /^at least 1\d moves$/);
});

pageTest('cube3: a solution in steps, each of them played', { refusals: [422, 503] }, async (visit) => {
  const position = "R U F2 D L2 B' R";
  await visit.open({ puzzle: 'cube3', position });
  await visit.speed('4');
  await visit.view('method');
  // The view's file is loaded first.
  await eventually(async () => {
    for (const term of [/EO\s+Edge orientation/, /DR\s+Domino reduction/, /HTR\s+Half-turn reduction/]) assert.match(await visit.text('step-terms'), term);
  });
  await visit.part('steps-count').selectOption('1');
  await visit.part('steps-form').getByRole('button').click();
  const solutions = visit.part('steps-solutions').locator('> li');
  await eventually(async () => assert.equal(await solutions.count(), 1));
  const [{ steps, length, solution }] = await server.ask('cube3/steps', { position });
  const names = await solutions.locator('tbody th').allInnerTexts();
  assert.deepEqual(names.map((name) => name.split(' ')[0].toLowerCase()), steps.map(({ goal }) => goal.split(':')[0]));
  const [first] = steps;
  assert.ok(first.normal && !first.inverse, 'the first step is made on the scramble');
  await visit.button('steps-solutions', first.normal).click();
  await visit.playedTo(first.normal.split(' ').length);
  // A step on the inverse is a part of the end.
  const inverse = steps.find((step) => step.inverse && !step.normal);
  await visit.button('steps-solutions', `(${inverse.inverse})`).click();
  await eventually(async () => assert.ok(Number(await visit.value('along')) > first.length));
  await visit.part('steps-solutions').getByRole('button', { name: /Play all/ }).click();
  await visit.playedTo(length);
  assert.equal((await visit.part('steps').getByRole('button').allInnerTexts()).join(' '), solution);
  await visit.click('here');
  await eventually(async () => assert.equal(await visit.text('distance'), 'Solved'));
  assert.equal(await solutions.count(), 0, 'they were of another position');
  await visit.part('steps-steps').fill('nonsense');
  await visit.part('steps-form').getByRole('button').click();
  await eventually(async () => assert.match(await visit.text('steps-state'), /nonsense/));
});

pageTest('cube3: a skeleton is finished by insertions', { refusals: [400, 503] }, async (visit) => {
  const [position, skeleton] = ["R U F2 D L2 B' R", "R' U"];
  await visit.open({ puzzle: 'cube3', position });
  await visit.speed('4');
  await visit.view('method');
  const find = async (text) => {
    await visit.part('skeleton').fill(text);
    await visit.part('skeleton').press('Enter');
  };
  await find(skeleton);
  const cards = visit.part('insertions-solutions').locator('> li');
  const [best, ...more] = await server.ask('cube3/insertions', { position, skeleton, count: 3 });
  await eventually(async () => assert.equal(await cards.count(), 1 + more.length));
  const [{ before, inserted, after, total }] = best.insertions;
  assert.equal((await cards.first().locator('td').allInnerTexts()).join(), `${before} [${inserted}] ${after},${total}`);
  await cards.first().getByRole('button').click();
  await visit.playedTo(best.length);
  assert.equal((await visit.part('steps').getByRole('button').allInnerTexts()).join(' '), best.solution);
  await visit.click('here');
  await eventually(async () => assert.equal(await visit.text('distance'), 'Solved'));
  assert.equal(await cards.count(), 0, 'they were of another position');
  await find('R Q');
  await eventually(async () => assert.match(await visit.text('insertions-state'), /"Q" is no move/));
});

pageTest('help: an example is tried by a press; keys and words are explained', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  await visit.view('help');
  await visit.button('examples', "R U R' U' F2").click();
  await visit.arrivesAt("R U R' U' F2");
  assert.equal(await visit.value('position'), "R U R' U' F2");
  assert.match(await visit.text('key-table'), /Ctrl\+Z/);
  assert.match(await visit.text('terms'), /What is H\?\s+The positions that U, D/);
  for (const puzzle of ['skewb', 'cube21', 'square1-corners']) {
    await visit.open({ puzzle });
    await visit.view('help');
    for (const text of await visit.part('examples').getByRole('button').allInnerTexts()) {
      const { detail } = await server.ask(`${puzzle}/scene`, { position: text });
      assert.equal(detail, undefined, `${puzzle}: ${text}`);
    }
  }
});

for (const colorScheme of ['light', 'dark']) {
  pageTest(`${colorScheme}: axe-core finds nothing serious in any view`, { colorScheme, script: AXE, refusals: [400, 503] }, async (visit) => {
    await visit.open({ puzzle: 'cube3', position: "R U F2 D L2 B' R" });
    for (const name of ['moves', 'solutions', 'distribution', 'method', 'lists', 'tables', 'api', 'help']) {
      await visit.view(name);
      if (name === 'moves') await visit.part('moves').locator('summary').click();
      if (name === 'lists') await measure(visit, ['R U', 'R Q']);
      if (name === 'method') {
        await visit.part('steps-form').getByRole('button').click();
        await visit.part('steps-solutions').locator('li').first().waitFor();
      }
      const { violations } = await visit.page.evaluate(() => window.axe.run('#views'));
      const found = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
      assert.deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`), [], name);
      await visit.shot(`view-${name}-${colorScheme}`);
    }
  });
}

pageTest('help shows how to type a position, with a picture of it, keys and words', {}, async (visit) => {
  for (const puzzle of ['cube3', 'cube2', 'cube21', 'square1-corners']) {
    await visit.open({ puzzle });
    await visit.view('help');
    const picture = visit.part('entering').locator('img');
    await picture.scrollIntoViewIfNeeded();
    await eventually(async () => assert.ok(await picture.evaluate(({ complete, naturalWidth }) => complete && naturalWidth > 0), puzzle));
    assert.ok((await visit.part('entering').locator('li').count()) >= 4);
  }
  const { choices } = await server.ask('square1-corners/scene', { position: visit.state.position });
  const rows = await visit.part('key-table').locator('tr').allInnerTexts();
  for (const { key, text } of choices.filter(({ key }) => key)) {
    assert.ok(rows.some((row) => row.replaceAll(/\s+/g, ' ').trim() === `${key} move ${text}`), `${key} makes ${text}: ${rows}`);
  }
  await visit.open({ puzzle: 'skewb' });
  await visit.view('help');
  assert.ok(await visit.part('entering').isHidden());
});
