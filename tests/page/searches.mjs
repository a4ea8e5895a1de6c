// Searches as they go on.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { anotherServer, eventually, pageTest, server } from './browser.mjs';

/** All edges flipped: a search for its shortest solution takes long, and two-phase comes to 20 moves late. */
const SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2";
/** A random position, for which two-phase finds 20 moves at once. */
const FAR = 'DDBFUUDLBRFLRRLRBRFFULFULBDUUBUDRBRULRRBLBDLFUFFDBDFDL';
/** How many searches the server is at. */
const running = () => server.metric('twistbase_running{lane="search"}');

pageTest('cube3: two-phase finds ever shorter solutions, until it is cancelled', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: SUPERFLIP });
  await visit.view('solutions');
  await visit.button('methods', 'Two-phase').click();
  const found = visit.part('found').getByRole('button');
  await eventually(async () => assert.ok((await found.count()) >= 2));
  assert.match(await visit.text('search-state'), /Searching for a shorter solution/);
  assert.ok((await running()) >= 1);
  await visit.shot('searching-two-phase');
  await visit.button('methods', 'Cancel').click();
  assert.match(await visit.text('search-state'), /Cancelled/);
  await eventually(async () => assert.equal(await running(), 0));
  const lengths = (await found.allInnerTexts()).map((text) => Number.parseInt(text, 10));
  assert.deepEqual(lengths, lengths.toSorted((a, b) => a - b), 'the newest is the first and the shortest');
  const moves = (await found.first().innerText()).replace(/^\d+ moves: /, '');
  const { leads_to: end } = await server.ask('cube3/scene', { position: SUPERFLIP, moves });
  assert.equal(end, 'UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB');
});

pageTest('cube3: an optimal search tells its depths, until it is cancelled', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: SUPERFLIP });
  await visit.view('solutions');
  // As one: the search that the page began by itself tells nothing more.
  await visit.part('search-state').evaluate((state) => {
    window.told = [];
    const note = (records) => window.told.push(...records.flatMap((record) => [...record.addedNodes]).map((node) => node.data));
    new MutationObserver(note).observe(state, { childList: true });
    document.querySelector('[data-method="optimal"]').click();
  });
  const depths = await eventually(async () => {
    const told = await visit.page.evaluate(() => window.told);
    const depths = told.flatMap((text) => text.match(/^At least (\d+) moves: no solution is shorter\.$/)?.slice(1) ?? []).map(Number);
    assert.ok(depths.length >= 3, String(told));
    return depths;
  });
  assert.deepEqual(depths, depths.map((_, number) => depths[0] + number));
  await eventually(async () => assert.match(await visit.text('search-nodes'), /^[\d,]+ nodes$/));
  assert.equal(await visit.part('search-state').getAttribute('role'), 'status');
  assert.equal(await visit.button('methods', 'Optimal').getAttribute('aria-pressed'), 'true');
  assert.ok((await running()) >= 1);
  await visit.shot('searching-optimal');
  await visit.button('methods', 'Cancel').click();
  await eventually(async () => assert.equal(await running(), 0));
  assert.ok(await visit.part('methods').getByRole('button', { name: 'Cancel' }).isHidden());
  assert.equal(await visit.button('methods', 'Optimal').getAttribute('aria-pressed'), 'false');
});

pageTest('cube3: a search ends when another position is looked at', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: SUPERFLIP });
  await visit.view('solutions');
  await visit.button('methods', 'Optimal').click();
  await eventually(async () => assert.match(await visit.text('search-state'), /At least/));
  await visit.click('solved');
  await eventually(async () => assert.equal(await running(), 0));
  assert.equal(await visit.text('search-state'), '');
});

pageTest('cube3: an optimal search tells the shortest solution, and that none is shorter', { refusals: [503] }, async (visit) => {
  const position = "R U F' L D2 B";
  await visit.open({ puzzle: 'cube3', position });
  await visit.view('solutions');
  await visit.button('methods', 'Optimal').click();
  await eventually(async () => assert.equal(await visit.text('search-state'), 'Shortest solution: 6 moves.'));
  const solutions = await visit.part('found').getByRole('button').allInnerTexts();
  assert.deepEqual(solutions, ["6 moves: B' D2 L' F U' R'"]);
  await visit.shot('found-optimal');
});

pageTest('cube3: closing what was played leaves the search and what it found', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: SUPERFLIP });
  await visit.view('solutions');
  await visit.button('methods', 'Two-phase').click();
  const found = visit.part('found').getByRole('button');
  await eventually(async () => assert.ok((await found.count()) >= 1));
  await found.first().click();
  await eventually(async () => assert.ok(await visit.part('bar').isVisible()));
  await visit.click('close');
  await eventually(async () => assert.ok(await visit.part('bar').isHidden()));
  await eventually(async () => assert.match(await visit.text('distance'), /\w/));
  assert.ok((await found.count()) >= 1);
  assert.ok((await running()) >= 1);
  await visit.button('methods', 'Cancel').click();
  await eventually(async () => assert.equal(await running(), 0));
});

pageTest('cube3: the default finds a shortest solution, or says what is proven', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: "R U F2 D L2 B' R" });
  await visit.view('solutions');
  await visit.button('methods', 'Solve').click();
  await eventually(async () => assert.equal(await visit.text('search-state'), 'Shortest solution: 7 moves.'));
  await visit.open({ puzzle: 'cube3', position: FAR });
  await visit.view('solutions');
  await visit.button('methods', 'Solve').click();
  const proven = /^Found: (?:20|19|18) moves\. Every solution has at least 1[5-7]\.$/;
  await eventually(async () => assert.match(await visit.text('search-state'), proven));
});

pageTest('cube3: a two-phase search that found the shortest tells that none is shorter', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: 'R U F L B D R2 U F2' });
  await visit.view('solutions');
  await visit.button('methods', 'Two-phase').click();
  await eventually(async () => assert.equal(await visit.text('search-state'), 'Shortest solution: 9 moves.'));
});

pageTest('cube3: in another metric, a search counts otherwise', { refusals: [503, 422] }, async (visit) => {
  await visit.open({ puzzle: 'cube3', position: 'R2' });
  await visit.view('solutions');
  await visit.button('methods', 'Optimal').click();
  await eventually(async () => assert.match(await visit.text('search-state'), /^Shortest solution: 1 move\./));
});

pageTest('cube21: a search in face turns tells the shortest solution, and that none is shorter', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21', position: '(3, 0) / (0, 3)' });
  await visit.view('solutions');
  await visit.button('methods', 'Fewest face moves').click();
  await eventually(async () => assert.equal(await visit.text('search-state'), 'Shortest solution: 3 face moves.'));
  const solutions = await visit.part('found').getByRole('button').allInnerTexts();
  assert.deepEqual(solutions, ['3 face moves: (0, -3) / (-3, 0)']);
});

let narrow;
after(() => narrow?.kill());

/** A server that does one search at a time. */
async function start() {
  narrow = await anotherServer(0, ['--searches', '1']);
  return narrow.address;
}

pageTest('it is told that a search waits for its turn, and no list of solutions waits for it', { address: start, refusals: [503] }, async (visit) => {
  const other = new AbortController();
  const query = new URLSearchParams({ position: SUPERFLIP, method: 'optimal' });
  const searching = await fetch(`${visit.address}/api/v1/cube3/solve?${query}`, { signal: other.signal });
  assert.equal(searching.status, 200);
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  await eventually(async () => assert.match(await visit.text('solutions-state'), /listed/));
  await visit.open({ puzzle: 'cube3', position: SUPERFLIP });
  await visit.view('solutions');
  await visit.button('methods', 'Optimal').click();
  await eventually(async () => assert.equal(await visit.text('search-state'), 'Waiting for the server …'));
  other.abort();
  await eventually(async () => assert.match(await visit.text('search-state'), /^(Searching|At least)/));
  await visit.button('methods', 'Cancel').click();
});
