// The page with the keyboard alone, on a narrow screen, and as axe-core judges it.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { assertSamePicture, eventually, pageTest, server } from './browser.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Presses Tab until the focus is on an element. */
async function tabTo(visit, selector) {
  for (let presses = 0; presses < 150; presses += 1) {
    await visit.page.keyboard.press('Tab');
    const [isThere, isSeen] = await visit.page.evaluate((selector) => {
      const { activeElement: focused } = document;
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      return [focused.matches(selector), outlineStyle !== 'none' && outlineWidth !== '0px'];
    }, selector);
    if (!isThere) continue;
    assert.ok(isSeen, `it is seen that the focus is on ${selector}`);
    return;
  }
  assert.fail(`Tab does not lead to ${selector}`);
}

pageTest('with the keyboard alone: from the address to an answer and a played solution', {}, async (visit) => {
  const { keyboard } = visit.page;
  await visit.open();
  await tabTo(visit, '#puzzle');
  await keyboard.type('2×2');
  await eventually(() => assert.equal(visit.state.puzzle, 'cube2'));
  await visit.settled();
  await tabTo(visit, '#stage');
  await keyboard.press('f');
  await visit.arrivesAt(await server.after('cube2', 'UUUURRRRFFFFDDDDLLLLBBBB', 'F'));
  await tabTo(visit, '#position');
  await keyboard.press('Control+a');
  await keyboard.type("R U F' R");
  await keyboard.press('Enter');
  await visit.arrivesAt("R U F' R");
  assert.match(await visit.text('distance'), /^4 moves/);
  await tabTo(visit, '#choices button');
  await tabTo(visit, '#tab-moves');
  await tabTo(visit, '#moves .move');
  await tabTo(visit, '#tab-moves');
  await keyboard.press('ArrowRight');
  await tabTo(visit, '#solutions button');
  await keyboard.press('Enter');
  await visit.part('bar').waitFor();
  await visit.playedTo(4);
  const played = await visit.drawn();
  await keyboard.press('Tab');
  for (let presses = 0; presses < 60 && !(await visit.page.evaluate(() => document.activeElement.id === 'along')); presses += 1) {
    await keyboard.press('Shift+Tab');
  }
  await keyboard.press('Home');
  await visit.playedTo(0);
  await tabTo(visit, '#play');
  await keyboard.press('Enter');
  await visit.playedTo(4);
  await tabTo(visit, '#here');
  await keyboard.press('Space');
  await eventually(async () => assert.match(await visit.text('distance'), /^Solved/));
  assertSamePicture(await visit.drawn(), played);
});

pageTest('with the keyboard alone: whoever turns with a button stays on it', {}, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  await tabTo(visit, '#choices button');
  await visit.page.keyboard.press('Enter');
  await visit.arrivesAt(await server.after('cube2', 'UUUURRRRFFFFDDDDLLLLBBBB', 'U'));
  assert.equal(await visit.page.evaluate(() => document.activeElement.textContent), 'U');
  await visit.page.keyboard.press('Enter');
  await visit.arrivesAt(await server.after('cube2', 'UUUURRRRFFFFDDDDLLLLBBBB', 'U2'));
});

pageTest('a next move is called by where it leads', { refusals: [503] }, async (visit) => {
  // As the browser tells screen readers, not as the tests compute it.
  const client = await visit.page.context().newCDPSession(visit.page);
  const names = async () => {
    const { nodes } = await client.send('Accessibility.getFullAXTree');
    return nodes.filter(({ role }) => role?.value === 'button').map(({ name }) => name.value);
  };
  await visit.open({ puzzle: 'cube2', position: "R U F'" });
  await visit.part('moves').locator('summary').click();
  const { moves } = await server.ask('cube2/query', { position: "R U F'" });
  for (const { move, distance } of moves) {
    await eventually(async () => assert.ok((await names()).includes(`${move} to ${distance} moves`), String(await names())));
  }
  await visit.open({ puzzle: 'cube3', position: 'R U' });
  await eventually(async () => assert.ok((await names()).includes("U' to 1 move"), String(await names())));
});

pageTest('a screen reader is told of answers and reasons', { refusals: [400] }, async (visit) => {
  await visit.open({ puzzle: 'cube2' });
  const attribute = (id, name) => visit.part(id).getAttribute(name);
  assert.equal(await attribute('distance', 'role'), 'status');
  assert.equal(await attribute('reasons', 'role'), 'alert');
  assert.equal(await attribute('gone', 'role'), 'alert');
  assert.equal(await attribute('position', 'aria-describedby'), 'reasons');
  const tree = await visit.page.locator('body').ariaSnapshot();
  for (const part of ['region "Puzzle"', 'region "Answer"', 'status: Solved', 'button "Random moves"', 'heading "Distance"']) {
    assert.ok(tree.includes(part), `${part} is not in\n${tree}`);
  }
});

/** What is wider than the page, or cut off by it. */
const wide = (visit) =>
  visit.page.evaluate(() => {
    const { clientWidth } = document.documentElement;
    const isWide = (element) => {
      const { left, right, width } = element.getBoundingClientRect();
      // Closed menus take no place. Rows of buttons scroll by themselves.
      const isElsewhere = element.closest('svg, details:not([open]) > :not(summary), #choices > *, #tabs > *, #steps > *, #made > *');
      return width > 0 && !isElsewhere && (left < -0.5 || right > clientWidth + 0.5);
    };
    const found = [...document.body.querySelectorAll('*')].filter(isWide);
    const page = document.documentElement.scrollWidth > clientWidth ? ['the page'] : [];
    return [...page, ...found.map((element) => element.outerHTML.slice(0, 120))];
  });

const NARROW = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

for (const [puzzle, position] of [['cube21', '23FE7018-BC549A6D-'], ['cube3', "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"], ['cube2', "R U F' R"]]) {
  pageTest(`${puzzle}: a page of 360 pixels has everything in it`, { ...NARROW, refusals: [400, 503] }, async (visit) => {
    const isWhole = async () => assert.deepEqual(await wide(visit), []);
    await visit.open({ puzzle, position });
    await isWhole();
    await visit.shot(`narrow-${puzzle}`, { fullPage: false });
    await visit.view('solutions');
    await isWhole();
    if (puzzle === 'cube3') {
      await visit.button('methods', 'Two-phase').tap();
      await visit.part('found').getByRole('button').first().waitFor();
      await visit.part('found').getByRole('button').first().tap();
    } else {
      await visit.part('solutions').getByRole('button').first().tap();
    }
    await visit.part('bar').waitFor();
    const { y, height } = await visit.part('stage').boundingBox();
    assert.ok(y > -1 && y + height < NARROW.viewport.height + 1, `who plays a solution sees it, at ${y} to ${y + height}`);
    await isWhole();
    await visit.shot(`narrow-player-${puzzle}`, { fullPage: false });
    for (const id of ['first', 'back', 'play', 'next', 'here', 'close']) await visit.part(id).click({ trial: true });
    await visit.part('close').tap();
    await eventually(async () => assert.ok(await visit.part('bar').isHidden()));
    await visit.part('edit').tap();
    await visit.part('editor').waitFor();
    await isWhole();
    await visit.part('edit').tap();
    await visit.part('position').fill('X'.repeat(200));
    await visit.part('position').press('Enter');
    await eventually(async () => assert.notEqual(await visit.text('reasons'), ''));
    await isWhole();
    for (const id of ['random', 'scramble', 'solved']) await visit.part(id).click({ trial: true });
    await visit.part('solved').tap();
    await eventually(async () => assert.equal(await visit.text('reasons'), ''));
    const controls = await visit.page.locator('button:visible:enabled, select:visible, input:visible, textarea:visible').all();
    for (const control of controls.slice(0, 12)) await control.click({ trial: true });
  });
}

for (const colorScheme of ['light', 'dark']) {
  for (const [puzzle, position] of [['cube21', '23FE7018-BC549A6D-'], ['cube3', "R U F' L D2 B"]]) {
    const options = { colorScheme, script: AXE, refusals: [400, 503] };
    pageTest(`${puzzle}, ${colorScheme}: axe-core finds nothing serious`, options, async (visit) => {
      await visit.open({ puzzle, position });
      const serious = async (what) => {
        const { violations } = await visit.page.evaluate(() => window.axe.run());
        const found = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
        const told = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`);
        assert.deepEqual(told, [], what);
      };
      await serious('the answer');
      await visit.shot(`${colorScheme}-${puzzle}`);
      await visit.view('solutions');
      if (puzzle === 'cube3') {
        await visit.button('methods', 'Optimal').click();
        await visit.part('found').getByRole('button').first().click();
      } else {
        await visit.part('solutions').getByRole('button').first().click();
      }
      await visit.part('bar').waitFor();
      await serious('the player');
      await visit.click('close');
      await eventually(async () => assert.ok(await visit.part('bar').isHidden()));
      await visit.settled();
      await visit.click('edit');
      await visit.part('editor').waitFor();
      await serious('the editor');
      await visit.enter('nonsense');
      await eventually(async () => assert.notEqual(await visit.text('reasons'), ''));
      await serious('reasons');
    });
  }
}
