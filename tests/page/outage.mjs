// The server goes away, and comes back.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { anotherServer, eventually, pageTest } from './browser.mjs';

let mortal;
after(() => mortal?.kill());

const isGone = (visit) => eventually(async () => assert.match(await visit.text('gone'), /does not answer/));
const isBack = (visit) => eventually(async () => assert.ok(await visit.part('gone').isHidden()));

pageTest('when the server goes away the page tells so, and goes on when it is back', { address: start, isServerGone: true }, async (visit) => {
  await visit.open({ puzzle: 'cube2', position: 'R U' });
  const { port } = mortal;
  await mortal.kill();
  await visit.click('random');
  await isGone(visit);
  await visit.shot('gone');
  mortal = await anotherServer(port);
  await isBack(visit);
  await eventually(async () => assert.match(await visit.text('distance'), /^2 moves/));
  assert.deepEqual(visit.state, { puzzle: 'cube2', position: 'R U' });
  await visit.click('random');
  await eventually(() => assert.notEqual(visit.state.position, 'R U'));
  await visit.arrivesAt(visit.state.position);

  // A search is cut off in its middle.
  await visit.open({ puzzle: 'cube3', position: "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2" });
  await visit.view('solutions');
  await visit.button('methods', 'Optimal').click();
  await eventually(async () => assert.match(await visit.text('search-state'), /At least/));
  await mortal.kill();
  await isGone(visit);
  mortal = await anotherServer(port);
  await isBack(visit);
  await eventually(async () => assert.equal(await visit.button('methods', 'Optimal').isEnabled(), true));
});

/** At a port that stays free while the server is gone: the system gives such ports to nobody who asks for any. */
async function start() {
  for (let port = 20_000 + (process.pid % 8_000); mortal === undefined; port += 1) {
    mortal = await anotherServer(port).catch((error) => {
      if (port > 30_000) throw error;
    });
  }
  return mortal.address;
}
