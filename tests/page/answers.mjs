// What stands beside a position: next moves, distributions, shapes, links to the API.

import assert from 'node:assert/strict';
import { assertSamePicture, eventually, pageTest, server } from './browser.mjs';

/** The next moves that are shown, by their groups: the name of each and its distance. */
const shownMoves = (visit) =>
  visit.part('moves').evaluate((moves) =>
    Object.fromEntries(
      [...moves.querySelectorAll('.group')].map((group) => [
        group.dataset.title,
        [...group.querySelectorAll('.move')].map((move) => [move.firstChild.textContent, move.querySelector('b')?.textContent]),
      ]),
    ),
  );

for (const [puzzle, position] of [['cube21', '23FE7018-BC549A6D-'], ['cube2', "R U F'"], ['square1-corners', '/ (3, 0) /']]) {
  pageTest(`${puzzle}: next moves are grouped by where they lead`, {}, async (visit) => {
    await visit.open({ puzzle, position });
    await eventually(async () => assert.ok(await visit.part('moves').isVisible()));
    const { distance, moves } = await server.ask(`${puzzle}/query`, { position });
    const expected = {};
    for (const [name, isMember] of [['Nearer', (to) => to < distance], ['Same distance', (to) => to === distance], ['Farther', (to) => to > distance]]) {
      const members = moves.filter((move) => isMember(move.distance)).map((move) => [move.move, String(move.distance)]);
      if (members.length > 0) expected[name] = members.toSorted();
    }
    const shown = Object.fromEntries(Object.entries(await shownMoves(visit)).map(([name, members]) => [name, members.toSorted()]));
    assert.deepEqual(shown, expected);
    assert.ok(shown.Nearer.length > 0);
  });
}

pageTest('pointing at a next move shows where it leads; leaving it ends that', {}, async (visit) => {
  const position = "R U F'";
  await visit.open({ puzzle: 'cube2', position });
  const before = await visit.drawn();
  await visit.part('moves').locator('summary').click();
  const moves = visit.part('moves').locator('.move');
  const move = (await moves.nth(3).evaluate((button) => button.firstChild.textContent)).trim();
  const end = await server.after('cube2', position, move);
  await moves.nth(3).hover();
  await eventually(async () => assert.notDeepEqual(await visit.drawn(), before));
  const shown = await visit.drawn();
  assert.equal(visit.state.position, position);
  await visit.page.mouse.move(5, 5);
  await eventually(async () => assertSamePicture(await visit.drawn(), before));
  await moves.nth(3).focus();
  await eventually(async () => assertSamePicture(await visit.drawn(), shown));
  await visit.part('position').focus();
  await eventually(async () => assertSamePicture(await visit.drawn(), before));
  await moves.nth(3).click();
  await visit.arrivesAt(end);
  assertSamePicture(await visit.drawn(), shown);
});

pageTest('the distribution marks where the position is, and tells the numbers', {}, async (visit) => {
  for (const [puzzle, position, table] of [['cube2', "R U F'", 'cube2'], ['cube21', '23FE7018-BC549A6D-', 'cube21']]) {
    await visit.open({ puzzle, position });
    await visit.view('distribution');
    const { distance } = await server.ask(`${puzzle}/query`, { position });
    const { levels } = await server.ask(`${puzzle}/stats`, { table });
    await eventually(async () => assert.match(await visit.text('table-state'), new RegExp(`at ${distance} `)));
    const bars = visit.part('plot').locator('rect');
    assert.equal(await bars.count(), levels.length);
    const here = visit.part('plot').locator('rect.here');
    assert.equal(await here.count(), 1);
    const { positions } = levels.find((level) => level.distance === distance);
    assert.equal(await here.locator('title').evaluate((title) => title.textContent), `${positions.toLocaleString('en')} at ${distance}`);
    await visit.part('plot').locator('summary').click();
    const rows = await visit.part('plot').locator('tr').allInnerTexts();
    assert.deepEqual(rows.slice(1), levels.map((level) => `${level.distance}\t${level.positions.toLocaleString('en')}`));
  }
});

pageTest('cube3: the distribution is that of the table that is chosen', { refusals: [400, 503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: 'R U F' });
  await visit.view('distribution');
  const names = () => visit.part('table').locator('option').allInnerTexts();
  await eventually(async () => assert.deepEqual((await names()).toSorted(), ['phase1', 'phase2']));
  // R U F is not in the subgroup that the table is of, which the API refuses.
  await visit.part('table').selectOption('phase2');
  await eventually(async () => assert.match(await visit.text('table-state'), /This position is not in the table/));
  const { levels } = await server.ask('cube3/stats', { table: 'phase2' });
  await eventually(async () => assert.equal(await visit.part('plot').locator('rect').count(), levels.length));
  await visit.part('table').selectOption('phase1');
  const { to_h: distance } = await server.ask('cube3/query', { position: 'R U F' });
  await eventually(async () => assert.match(await visit.text('table-state'), new RegExp(`at ${distance} move`)));
});

pageTest('cube3: another goal has its distance, its solutions and its address', { refusals: [422, 503] }, async (visit) => {
  const position = "R U F2 D L2 B' R";
  await visit.open({ puzzle: 'cube3', position });
  const goals = await visit.part('goal').locator('option').allInnerTexts();
  assert.ok(goals[0] === 'solved' && goals.includes('cross') && goals.includes('cross on any side'), goals.join());
  await visit.view('solutions');
  for (const goal of ['cross', 'cross:any']) {
    await visit.part('goal').selectOption(goal);
    await eventually(() => assert.equal(visit.state.goal, goal));
    const { distance, solutions } = await server.ask('cube3/query', { position, goal });
    const shortest = solutions === 1 ? 'One shortest solution' : `${solutions} shortest solutions`;
    const name = goal === 'cross' ? 'cross' : 'cross on any side';
    await eventually(async () => assert.equal(await visit.text('distance'), `${distance} moves from ${name}`));
    await eventually(async () => assert.equal(await visit.text('note'), `${shortest}.`));
    await eventually(async () => assert.equal(await visit.part('solutions').getByRole('button').count(), solutions));
    const links = await visit.part('links').locator('a').evaluateAll((links) => links.map((link) => new URL(link.href).searchParams.get('goal')));
    assert.deepEqual(links.slice(0, 2), [goal, goal]);
  }
  // It stays where the puzzle does, and is that of the address.
  await visit.click('solved');
  await eventually(async () => assert.equal(await visit.text('distance'), 'At the goal: cross on any side'));
  await visit.page.goBack();
  await eventually(() => assert.equal(visit.state.position, position));
  await visit.open({ puzzle: 'cube3', position, goal: 'cross:R' });
  assert.equal(await visit.value('goal'), 'cross:R');
  assert.match(await visit.text('distance'), /^6 moves from cross on R$/);
  await visit.open({ puzzle: 'cube3', position, goal: 'crozz' });
  assert.match(await visit.text('reasons'), /has no goal “crozz”\. Goals: cross, /);
  // Goals of a puzzle that is data have no sides.
  await visit.open({ puzzle: 'skewb', position: 'R U' });
  const ofSkewb = await visit.part('goal').locator('option').allInnerTexts();
  assert.deepEqual(ofSkewb, ['solved', 'layer', 'centers', 'corners']);
  assert.equal(visit.state.goal, undefined);
});

pageTest('the gallery has all shapes, and leads to them', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  await visit.view('shapes');
  const { shapes } = await server.ask('shapes');
  const cards = visit.part('gallery').locator('li');
  await eventually(async () => assert.equal(await visit.text('shapes-place'), '1 to 18 of 90'));
  assert.equal(shapes.length, 90);
  assert.ok(await visit.part('shapes-back').isDisabled());
  const names = [];
  for (;;) {
    names.push(...(await cards.locator('strong').allInnerTexts()));
    if (await visit.part('shapes-next').isDisabled()) break;
    await visit.click('shapes-next');
  }
  assert.deepEqual(names, shapes.map(({ name }) => name));
  await visit.click('shapes-back');
  await visit.click('shapes-back');
  assert.equal(await visit.text('shapes-place'), '37 to 54 of 90');
  const at = 40;
  const symmetries = shapes[at].stabiliser.length;
  const card = cards.nth(at - 36);
  await card.scrollIntoViewIfNeeded();
  const text = await card.innerText();
  assert.ok(text.includes(shapes[at].name), text);
  assert.ok(text.includes(`${symmetries} symmetr${symmetries === 1 ? 'y' : 'ies'}`), text);
  assert.ok(text.includes(shapes[at].positions.cube21.total.toLocaleString('en')), text);
  const picture = card.locator('img');
  await eventually(async () => assert.ok(await picture.evaluate((image) => image.complete && image.naturalWidth > 0)));
  await visit.shot('gallery', { fullPage: false });
  await card.locator('a').click();
  await visit.arrivesAt(shapes[at].example);
  assert.equal(visit.state.puzzle, 'cube21');
  await visit.open({ puzzle: 'cube2' });
  assert.ok(await visit.part('tab-shapes').isHidden());
});

pageTest('solutions can be saved, and links lead to what the API answers', {}, async (visit) => {
  const position = '(1, 0) / (3, 3) / (-1, 0)';
  await visit.open({ puzzle: 'cube21', position });
  await visit.view('solutions');
  await visit.part('export').waitFor();
  const saved = visit.page.waitForEvent('download');
  await visit.click('export');
  const download = await saved;
  assert.equal(download.suggestedFilename(), 'cube21-solutions.jsonl');
  const chunks = await (await download.createReadStream()).toArray();
  const given = await (await fetch(`${visit.address}/api/v1/cube21/solutions?${new URLSearchParams({ position })}`)).text();
  assert.equal(Buffer.concat(chunks).toString(), given);
  const listed = await visit.part('solutions').getByRole('button').allInnerTexts();
  const solutions = given.trim().split('\n').map((line) => JSON.parse(line).solution).filter((solution) => solution !== undefined);
  assert.deepEqual(listed, solutions.slice(0, listed.length));

  const links = await visit.part('links').locator('a').evaluateAll((links) => links.map((link) => link.href));
  assert.equal(links.length, 4);
  for (const link of links) {
    const response = await fetch(link);
    assert.equal(response.status, 200, link);
    assert.equal(new URL(link).searchParams.get('position'), position);
  }
});

pageTest('cube3: no link leads to solutions of a position that the API lists none of', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2" });
  const links = await visit.part('links').locator('a').evaluateAll((links) => links.map((link) => link.href));
  assert.equal(links.length, 3);
  for (const link of links) assert.equal((await fetch(link)).status, 200, link);
});

pageTest('it is told that bars grow as logarithms', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  await visit.view('distribution');
  await eventually(async () => assert.match(await visit.part('plot').locator('figcaption').innerText(), /logarithmic scale/));
  await visit.view('shapes');
  await eventually(async () => assert.match(await visit.text('gallery-state'), /logarithmic scale/));
});

pageTest('of many solutions a few are listed, and more when they are wanted', {}, async (visit) => {
  const position = 'DB57681-3F9CA42E0-';
  const { solutions } = await server.ask('cube21/query', { position });
  await visit.open({ puzzle: 'cube21', position });
  await visit.view('solutions');
  const buttons = visit.part('solutions').getByRole('button');
  await eventually(async () => assert.match(await visit.text('solutions-state'), /^50 listed\. There are more/));
  assert.equal(await buttons.count(), 50);
  await visit.click('all-solutions');
  await eventually(async () => assert.equal(await buttons.count(), solutions));
});

pageTest('cube21: solutions are listed in the notation that is chosen, and played', {}, async (visit) => {
  const position = '(1, 0) / (3, 3) /';
  await visit.open({ puzzle: 'cube21', position });
  await visit.view('solutions');
  const listed = () => visit.part('solutions').getByRole('button').allInnerTexts();
  const { solution } = await server.ask('cube21/query', { position });
  await eventually(async () => assert.ok((await listed()).includes(solution)));
  await visit.part('notation').selectOption('cube21');
  const { solution: other } = await server.ask('cube21/query', { position, notation: 'cube21' });
  assert.notEqual(other, solution);
  await eventually(async () => assert.ok((await listed()).includes(other), String(await listed())));
  assert.equal(new URL(await visit.part('export').evaluate((link) => link.href)).searchParams.get('notation'), 'cube21');
  await visit.button('solutions', other).click();
  const last = await eventually(async () => {
    const count = await visit.part('steps').getByRole('button').count();
    assert.ok(count > 0);
    return count;
  });
  await visit.playedTo(last);
  await visit.click('here');
  await eventually(async () => assert.equal(await visit.text('distance'), 'Solved'));
  // It is kept, and cubes have none.
  await visit.open({ puzzle: 'cube21', position });
  assert.equal(await visit.value('notation'), 'cube21');
  await visit.open({ puzzle: 'cube2', position: 'R' });
  await visit.view('solutions');
  await eventually(async () => assert.match(await visit.text('solutions-state'), /listed/));
  assert.ok(await visit.part('notation').isHidden());
});

pageTest('colours are kept, and are those of the API', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await visit.part('colours').selectOption('colour-blind');
  const { letters } = await server.ask('cube2/scene', { position: visit.state.position, colours: 'colour-blind' });
  const seen = async () => {
    const fills = new Set((await visit.drawn()).map(({ fill }) => fill));
    return letters.map(({ colour }) => colour).filter((colour) => fills.has(colour)).length;
  };
  await eventually(async () => assert.equal(await seen(), 3));
  await visit.page.reload();
  await visit.settled();
  assert.equal(await visit.value('colours'), 'colour-blind');
  assert.equal(await seen(), 3);
});

pageTest('cube2: distances are told in the metric that is chosen', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R2' });
  assert.match(await visit.text('distance'), /^1 move from solved/);
  await visit.part('metric').selectOption('qtm');
  await eventually(async () => assert.match(await visit.text('distance'), /^2 quarter turns from solved/));
});

pageTest('cube21: turns count in the metric that is chosen, and are moves', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21', position: '(3, 0) / (0, 3)' });
  assert.match(await visit.text('distance'), /^1 twist from solved/);
  await visit.part('metric').selectOption('wca');
  await eventually(async () => assert.match(await visit.text('distance'), /^3 WCA moves from solved/));
  assert.equal(await visit.text('note'), 'One shortest solution.');
  await visit.view('solutions');
  // They are asked for when the distance is shown.
  const listed = () => visit.part('solutions').getByRole('listitem').allInnerTexts();
  await eventually(async () => assert.deepEqual(await listed(), ['(0, -3) / (-3, 0)']));
  await visit.view('moves');
  // The turn is a move; the twist that follows it is the next one.
  await visit.part('moves').getByRole('button', { name: '(0, -3)' }).first().click();
  await eventually(async () => assert.match(await visit.text('distance'), /^2 WCA moves from solved/));
  assert.equal(await visit.part('metric').inputValue(), 'wca');
});

pageTest('the metric that is chosen is part of the address', {}, async (visit) => {
  const position = '(3, 0) / (0, 3)';
  await visit.open({ puzzle: 'cube21', position });
  await visit.part('metric').selectOption('wca');
  await eventually(() => assert.deepEqual(visit.state, { puzzle: 'cube21', position, metric: 'wca' }));
  await eventually(async () => assert.match(await visit.text('distance'), /^3 WCA moves/));
  await visit.page.reload();
  await visit.settled();
  assert.match(await visit.text('distance'), /^3 WCA moves/);
  assert.equal(await visit.value('metric'), 'wca');
  // It is kept wherever people go, but to another puzzle.
  await visit.view('shapes');
  const shape = visit.part('gallery').locator('a').first();
  assert.equal(new URL(await shape.evaluate((link) => link.href)).searchParams.get('metric'), 'wca');
  await visit.click('solved');
  await visit.arrivesAt('01234567-89ABCDEF-');
  assert.equal(visit.state.metric, 'wca');
  await visit.page.goBack();
  await visit.page.goBack();
  await eventually(async () => assert.match(await visit.text('distance'), /^1 twist /));
  assert.equal(await visit.value('metric'), 'twists');
  assert.equal(new URL(await shape.evaluate((link) => link.href)).searchParams.get('metric'), null);
});
