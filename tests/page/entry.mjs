// Positions entered as text, and the address of the page, which is the position.

import assert from 'node:assert/strict';
import { assertSamePicture, eventually, pageTest, server } from './browser.mjs';

/** How the page names a distance. */
const headline = ({ distance, metric }) => {
  const unit = metric === 'twists' ? 'twist' : 'move';
  return distance === 0 ? 'Solved' : `${distance} ${unit}${distance === 1 ? '' : 's'} from solved`;
};

const ENTRIES = {
  cube21: ['5D4A8HC3F7B2E61G/', '23FE7018-BC549A6D-', '(1, 0) / (3, 3) / (-1, 0)'],
  'square1-corners': ['4B9E3085-FD7A1C62/', '/ (3, 0) / (0, 3) /'],
  cube2: ["R U F'", 'BBFDLUBRUFLLUUDFDRLFRRDB'],
};

for (const [puzzle, texts] of Object.entries(ENTRIES)) {
  pageTest(`${puzzle}: a position entered as text has the distance that the API tells`, {}, async (visit) => {
    await visit.open({ puzzle });
    assert.match(await visit.text('distance'), /^Solved/);
    for (const position of texts) {
      const answer = await server.ask(`${puzzle}/query`, { position });
      await visit.enter(position);
      await visit.arrivesAt(position);
      const count = answer.solutions;
      const shown = await visit.text('distance');
      assert.ok(shown.startsWith(headline(answer)), `${position}: ${shown}`);
      const solutions = count === 1 ? 'One shortest solution.' : `${count.toLocaleString('en')} shortest solutions.`;
      assert.equal(await visit.text('note'), solutions, position);
      const copies = await visit.part('copies').textContent();
      const written = answer.hex ?? answer.facelets;
      assert.ok(copies.includes(written), `${written} is not in ${copies}`);
    }
    await visit.shot(`${puzzle}`);
  });
}

pageTest('cube3: a position entered as text has what a short search and the tables know of it', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  const position = "R U F' L D";
  await visit.enter(position);
  await visit.arrivesAt(position);
  const answer = await server.ask('cube3/query', { position });
  assert.equal(answer.distance, 5);
  assert.match(await visit.text('distance'), /^5 moves from solved$/);
  const facts = await visit.part('facts').textContent();
  await visit.view('solutions');
  await eventually(async () => assert.match(await visit.text('solutions-state'), /listed/));
  assert.deepEqual(await visit.part('solutions').getByRole('button').allInnerTexts(), [answer.solution]);
  const nearer = answer.moves.filter(({ distance }) => distance !== null && distance < answer.distance);
  assert.match(await visit.part('moves').textContent(), new RegExp(`Nearer: ${nearer.length}`));
  assert.match(facts, new RegExp(`Moves to H${answer.to_h}`));
  assert.ok((await visit.part('copies').textContent()).includes(answer.facelets));
  await visit.shot('cube3');
});

pageTest('square1: the page tells that its table is missing, and how it is built', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'square1' });
  await visit.enter('/ (3, 0) /');
  await visit.arrivesAt('/ (3, 0) /');
  assert.match(await visit.text('note'), /table square1 is missing/);
  assert.match(await visit.text('note'), /twistbase build square1/);
  assert.ok((await visit.drawn()).length > 30, 'the position is drawn nevertheless');
  await visit.shot('square1-missing');
});

pageTest('the address is the position; back and forward go through them', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  assert.deepEqual(visit.state, { puzzle: 'cube21', position: '01234567-89ABCDEF-' });
  await visit.part('puzzle').selectOption('cube2');
  await visit.arrivesAt('UUUURRRRFFFFDDDDLLLLBBBB');
  await visit.enter('R U');
  await visit.arrivesAt('R U');
  await visit.enter('R');
  await visit.arrivesAt('R');
  await visit.page.goBack();
  await visit.arrivesAt('R U');
  await eventually(async () => assert.match(await visit.text('distance'), /^2 moves/));
  assert.equal(await visit.value('position'), 'R U');
  await visit.page.goBack();
  await visit.page.goBack();
  await visit.arrivesAt('01234567-89ABCDEF-');
  await eventually(async () => assert.equal(await visit.value('puzzle'), 'cube21'));
  for (const position of ['UUUURRRRFFFFDDDDLLLLBBBB', 'R U', 'R']) {
    await visit.page.goForward();
    await visit.arrivesAt(position);
  }
  await eventually(async () => assert.match(await visit.text('distance'), /^1 move /));
  assert.equal(await visit.value('puzzle'), 'cube2');
});

pageTest('what is left before it has loaded is loaded later', {}, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  await visit.view('distribution');
  await eventually(async () => assert.deepEqual(await visit.part('table').locator('option').allInnerTexts(), ['cube21']));
  // Tables are told late: by then another position is looked at.
  const release = await visit.hold('**/api/v1/tables');
  await visit.part('puzzle').selectOption('cube2');
  await eventually(() => assert.equal(visit.state.puzzle, 'cube2'));
  await visit.enter('R U');
  await visit.arrivesAt('R U');
  release();
  await eventually(async () => {
    assert.deepEqual(await visit.part('table').locator('option').allInnerTexts(), ['cube2', 'cube2-qtm']);
  });
  await eventually(async () => assert.match(await visit.text('table-state'), /This position is at 2 moves\.$/));
  assert.ok(await visit.part('tab-shapes').isHidden());
});

pageTest('a link leads to its position, with moves after it', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: "F R'" });
  assert.match(await visit.text('distance'), /^2 moves/);
  assert.equal(await visit.value('puzzle'), 'cube2');
  // After (1, 0) the cut is blocked: what is reached cannot be written but as a position and moves.
  await visit.open({ puzzle: 'cube21', position: '45670123-89ABCDEF-', moves: '(2, 0)' });
  assert.equal(visit.state.moves, '(2, 0)');
  const turned = await visit.drawn();
  await visit.open({ puzzle: 'cube21', position: '45670123-89ABCDEF-' });
  assert.notDeepEqual(turned, await visit.drawn());
});

pageTest('a link keeps what was typed apart from the moves by hand', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R', moves: 'U' });
  assert.deepEqual(visit.state, { puzzle: 'cube2', position: 'R', moves: 'U' });
  assert.equal(await visit.value('position'), 'R');
  assert.match(await visit.text('made'), /^Then by hand:\s+U$/);
  assert.match(await visit.text('distance'), /^2 moves/);
  const drawn = await visit.drawn();
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  assertSamePicture(drawn, await visit.drawn());
});

pageTest('a link to a puzzle or metric that there is not tells so', {}, async (visit) => {
  await visit.open({ puzzle: 'nosuch', position: 'R' });
  assert.match(await visit.text('reasons'), /^No puzzle is called “nosuch”\. Puzzles: cube21, .*cube2, pyraminx, .*skewb.*\.$/);
  await visit.part('puzzle').selectOption('cube2');
  await visit.arrivesAt('UUUURRRRFFFFDDDDLLLLBBBB');
  assert.equal(await visit.text('reasons'), '');
  await visit.open({ puzzle: 'cube2', position: 'R', metric: 'nosuch' });
  assert.match(await visit.text('reasons'), /has no metric “nosuch”\. Metrics: htm, qtm\.$/);
  await visit.enter('R U');
  await visit.arrivesAt('R U');
  assert.deepEqual(visit.state, { puzzle: 'cube2', position: 'R U' });
});

pageTest('the field shows all of a long text, and takes several lines as one', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube3' });
  const field = visit.part('position');
  const { height } = await field.boundingBox();
  const scramble = "R' U' F D2 L2 F R2 U2 R2 B D2 L B2 D' B2 L' R' B U2 R' U' F R2 U2 R2 B D2 L B2";
  await field.fill(scramble);
  const [shown, whole] = await field.evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight]);
  assert.equal(shown, whole, 'nothing of it is cut');
  assert.ok((await field.boundingBox()).height > height);
  await field.fill(" R U\n R'  \n");
  await field.press('Enter');
  await visit.arrivesAt("R U R'");
  assert.equal(await field.inputValue(), "R U R'");
  assert.equal((await field.boundingBox()).height, height);
});

pageTest('an empty field is the solved position', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  await visit.enter('');
  await visit.arrivesAt('UUUURRRRFFFFDDDDLLLLBBBB');
  assert.match(await visit.text('distance'), /^Solved/);
  assert.equal(await visit.value('position'), '');
});

pageTest('a text that is longer than an address may be is refused, and stays', { refusals: [414] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R' });
  const text = 'R '.repeat(40_000).trim();
  await visit.enter(text);
  await eventually(async () => assert.match(await visit.text('reasons'), /too long for the server/));
  assert.ok(await visit.part('gone').isHidden());
  assert.equal(await visit.value('position'), text);
  assert.equal(visit.state.position, 'R');
});

pageTest('while another position is awaited, no distance is told as its own', { refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  const busy = () => visit.part('answer-part').getAttribute('aria-busy');
  assert.equal(await busy(), 'false');
  const release = await visit.hold('**/scene?*');
  await visit.click('solved');
  assert.equal(await visit.text('distance'), '');
  assert.equal(await busy(), 'true');
  release();
  await eventually(async () => assert.match(await visit.text('distance'), /^Solved/));
  assert.equal(await busy(), 'false');
  // What is no position leaves the puzzle where it is, and no verdict of another position.
  const refuse = await visit.hold('**/scene?*');
  await visit.enter('nonsense');
  assert.equal(await visit.text('distance'), '');
  refuse();
  await eventually(async () => assert.notEqual(await visit.text('reasons'), ''));
  assert.equal(await visit.text('distance'), '');
  assert.ok(await visit.part('answer-part').locator('#reasons').isVisible());
  assert.ok(await visit.part('views').isHidden());
  assert.equal(await busy(), 'false');
  await visit.enter('R');
  await visit.arrivesAt('R');
  await eventually(async () => assert.match(await visit.text('distance'), /^1 move /));
  assert.ok(await visit.part('views').isVisible());
});

pageTest('the page is there where the browser keeps nothing for it', {}, async (visit) => {
  await visit.page.addInitScript(() => {
    const get = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    Object.defineProperty(window, 'localStorage', { get });
  });
  await visit.open({ puzzle: 'cube2', position: 'R' });
  assert.match(await visit.text('distance'), /^1 move /);
  const before = await visit.drawn();
  await visit.part('colours').selectOption('colour-blind');
  await eventually(async () => assert.notDeepEqual(await visit.drawn(), before));
});

pageTest('a link that leads nowhere tells why, and the page can be used', { refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R Q U' });
  assert.match(await visit.text('reasons'), /"Q" is no move/);
  assert.ok((await visit.drawn()).length > 20, 'a puzzle is drawn nevertheless');
  await visit.shot('bad-link');
  await visit.click('edit');
  await visit.part('colours').selectOption('colour-blind');
  await eventually(async () => assert.match(await visit.text('reasons'), /"Q" is no move/));
  await visit.enter('R U');
  await visit.arrivesAt('R U');
  assert.equal(await visit.text('reasons'), '');
  assert.match(await visit.text('distance'), /^2 moves/);
  assert.deepEqual(await visit.part('metric').locator('option').evaluateAll((options) => options.map(({ value }) => value)), ['htm', 'qtm']);
});

pageTest('a scramble behind a link that leads nowhere can be closed', { refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R Q U' });
  // Within the page: what is played is soon at its end, and the player gone.
  await visit.page.evaluate(async () => {
    const part = (id) => document.getElementById(id);
    part('scramble').click();
    while (part('bar').hidden) await new Promise((done) => requestAnimationFrame(done));
    part('close').click();
  });
  await eventually(async () => assert.ok(await visit.part('bar').isHidden()));
  const { solids } = await server.ask('cube2/scene', { position: 'U U\'' });
  assert.ok(solids.length > 0 && (await visit.drawn()).length > 20, 'a puzzle is drawn');
});

pageTest('what is pressed before it is known what puzzles there are does no harm', {}, async (visit) => {
  const release = await visit.hold('**/api/v1/puzzles');
  await visit.page.goto(`${visit.address}/?puzzle=cube2`);
  await visit.click('solved');
  await visit.click('scramble');
  await visit.enter('R U');
  release();
  await visit.settled();
  assert.equal(visit.state.puzzle, 'cube2');
  assert.equal(await visit.text('reasons'), '');
});

pageTest('a table that cannot be told now leaves no plot of another one', { refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube21' });
  await visit.view('distribution');
  await eventually(async () => assert.match(await visit.text('table-state'), /This position is/));
  const problem = JSON.stringify({ type: 'about:blank', title: 'Busy', status: 503, code: 'busy', detail: 'as many wait as may' });
  await visit.page.route('**/api/v1/cube2/stats?**', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: problem }));
  await visit.part('puzzle').selectOption('cube2');
  await eventually(async () => assert.match(await visit.text('table-state'), /as many wait as may/));
  assert.equal(await visit.part('plot').locator('*').count(), 0);
  await visit.page.unroute('**/api/v1/cube2/stats?**');
  await visit.page.route('**/api/v1/cube2/query?**table=**', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: problem }));
  await visit.page.route('**/api/v1/cube2/query?**detail=brief**', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: problem }));
  await visit.enter('R');
  await eventually(async () => assert.ok((await visit.part('plot').locator('*').count()) > 0));
  assert.doesNotMatch(await visit.text('table-state'), /This position/);
});

pageTest('every reason why a text is no position is told, at its place', { refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const cases = [
    ['cube2', 'UUUURRRRFFFFDDDDLLLLBBUB', ['D']],
    ['cube2', 'R Q U z9', ['Q', 'z9']],
    ['cube3', 'R Ü X', ['Ü', 'X']],
    ['cube21', '01234567-89ABCDXF-', ['89ABCDXF']],
    ['cube21', '(1, 0) / (3, 1) / (7, x)', null],
  ];
  for (const [puzzle, text, marked] of cases) {
    const before = visit.state;
    if (before.puzzle !== puzzle) {
      await visit.part('puzzle').selectOption(puzzle);
      await eventually(() => assert.equal(visit.state.puzzle, puzzle));
      await visit.settled();
    }
    const { position } = visit.state;
    await visit.enter(text);
    const { problems } = await server.ask(`${puzzle}/scene`, { position: text });
    await eventually(async () => {
      const reasons = await visit.part('reasons').locator('li').allInnerTexts();
      assert.deepEqual(reasons, problems.map(({ message }) => message));
    });
    const marks = await visit.part('reasons').locator('mark').allInnerTexts();
    const bytes = new TextEncoder().encode(text);
    const places = problems.map(({ at }) => at).filter((at) => at && at.end > at.start).toSorted((a, b) => a.start - b.start);
    assert.deepEqual(marks, marked ?? places.map(({ start, end }) => new TextDecoder().decode(bytes.slice(start, end))), text);
    assert.equal(visit.state.position, position, 'the address stays');
    await visit.shot(`reasons-${puzzle}`);
  }
});

pageTest('the content security policy is in force, and these tests notice breaches', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const breach = visit.page.evaluate(() => new Promise((done) => {
    document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective), { once: true });
    // What is no script in any list of types breaks the policy, and is not told as an error of the page.
    const image = new Image();
    image.src = 'http://127.0.0.1:9/elsewhere.png';
  }));
  assert.equal(await breach, 'img-src');
  assert.ok(visit.faults.splice(0).length > 0);
});
