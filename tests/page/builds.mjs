// Tables that are built while the page is open.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, pageTest } from './browser.mjs';
import { Server } from './program.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A server over an empty store for one test, which ends it: else it would build all quick tables beside the other tests. */
function ownServer(more, build) {
  const folder = mkdtempSync(join(tmpdir(), 'twistbase-page-'));
  let server = null;
  return {
    async address() {
      server = await Server.start(folder, 0, more, build);
      return server.address;
    },
    async finished() {
      await server?.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

pageTest('a button builds a missing table, and the page asks again', { ...ownServer(['--allow-build']), refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  assert.match(await visit.text('note'), /table cube2 is missing.*press Build/);
  await visit.click('to-tables');
  assert.ok(await visit.part('building').isHidden());
  assert.match(await visit.text('missing'), /cube2 .*Takes about a second, up to \d.* of disk and \d.* of memory/);
  await visit.shot('missing-tables');
  await visit.button('missing', 'Build cube2').press('Enter');
  await eventually(async () => assert.match(await visit.text('distance'), /^2 moves from solved/));
  await eventually(async () => assert.equal(await visit.button('missing', 'Build cube2').count(), 0));
  assert.equal(await visit.button('missing', 'Build cube2-qtm').count(), 1);
  await visit.view('distribution');
  await eventually(async () => assert.equal(await visit.value('table'), 'cube2', 'its distribution is shown'));
  assert.ok(await visit.part('building').isHidden());
});

pageTest('a server that builds no tables on request has no buttons', { ...ownServer([]), refusals: [503] }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  assert.match(await visit.text('note'), /has not been built\. On the server, run: twistbase build cube2 --store /);
  for (const id of ['missing-part', 'to-tables']) assert.ok(await visit.part(id).isHidden(), id);
});

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

pageTest('the page shows the tables that the server builds first, and asks again', { ...ownServer([], 'auto'), ...PHONE, refusals: [503] }, async (visit) => {
  // Its table is one of the first.
  await visit.open({ puzzle: 'cube2', position: 'U' });
  await eventually(async () => assert.match(await visit.text('building-title'), /^Building table [a-z0-9-]+/));
  const [turns, progress] = await visit.page.evaluate(() => ['choices', 'building'].map((id) => document.getElementById(id).getBoundingClientRect()));
  assert.ok(turns.bottom <= progress.top, `the turns end at ${turns.bottom}, the progress begins at ${progress.top}`);
  await eventually(async () => assert.match(await visit.text('building-message'), /^\d+ % done, /));
  await visit.shot('building');
  await eventually(async () => assert.match(await visit.text('distance'), /^1 move from solved/));
});

for (const colorScheme of ['light', 'dark']) {
  const options = { ...ownServer(['--allow-build'], 'auto'), refusals: [503], colorScheme, script: AXE };
  pageTest(`${colorScheme}: axe-core finds nothing serious while tables are built`, options, async (visit) => {
    await visit.open({ puzzle: 'square1', position: '/' });
    await eventually(async () => assert.match(await visit.text('building-title'), /^Building table/));
    await visit.view('tables');
    await visit.button('missing', 'Build square1').waitFor();
    const { violations } = await visit.page.evaluate(() => window.axe.run(['#building', '#missing-part', '#answer-part']));
    assert.deepEqual(violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id), []);
    await visit.shot(`building-${colorScheme}`, {});
  });
}
