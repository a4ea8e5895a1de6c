// Pages of the browser, which notice whatever goes wrong in them, and what people do there.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Server, builtStore } from './program.mjs';

/**
 * What the browser leaves out: the popups of the field for addresses, pages of their own that take each window longer than the page
 * that is tested. The others are those that Playwright leaves out, whose list this one replaces.
 */
const WITHOUT = [
  'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'OptimizationHints',
  'AvoidCorsURLLoaderRestartOnRedirect', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch',
];
const ARGUMENTS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', `--disable-features=${WITHOUT}`,
];
/** Milliseconds after which what has not come will not. */
const PATIENCE = 15_000;
const SHOTS = process.env.TWISTBASE_SCREENSHOTS;

let store;
let browser;
/** Contexts of the browser by their options: opening one takes it a while. Tests leave nothing in them. */
const contexts = new Map();
/** The server that all tests ask. */
export let server;

before(async () => {
  store = builtStore();
  server = await Server.start(store.folder);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS });
  if (SHOTS) mkdirSync(SHOTS, { recursive: true });
});

after(async () => {
  await browser?.close();
  await server?.kill();
  store?.remove();
});

/** Another server over the same tables. */
export const anotherServer = (port, more) => Server.start(store.folder, port, more);

/** Notes what must not happen in a page: errors, failed requests, requests to elsewhere, breaches of the policy. */
function watch(page, { address, refusals, isServerGone }) {
  const faults = [];
  const isMeant = (message) => {
    const text = message.text();
    const isRefusal = refusals.some((status) => text.includes(`the server responded with a status of ${status}`));
    return isRefusal || (isServerGone && text.includes('net::ERR_'));
  };
  page.on('console', (message) => {
    const isFault = ['error', 'warning', 'assert'].includes(message.type());
    if (isFault && !isMeant(message)) faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.stack}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== address) faults.push(`request to elsewhere: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A question that nobody waits for any more is given up.
    if (!isServerGone && reason !== 'net::ERR_ABORTED') faults.push(`request failed: ${request.url()} ${reason}`);
  });
  return faults;
}

/** A context of some options. */
async function contextOf(options) {
  const key = JSON.stringify(options);
  if (!contexts.has(key)) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE);
    contexts.set(key, context);
  }
  return contexts.get(key);
}

/** Leaves a context as it was found, or none if scripts would stay in it. */
async function leave(page, options, isSpent) {
  if (isSpent) {
    contexts.delete(JSON.stringify(options));
    await page.context().close();
    return;
  }
  // Where the browser keeps nothing for the page, nothing is left.
  await page.evaluate(() => localStorage.clear()).catch(() => {});
  await page.close();
}

/** Turns take their time. Else what moves is at its end at once. */
export const MOVING = { reducedMotion: 'no-preference' };

/**
 * A test in a page of its own, which must not see a fault. `options` are those of the browser's context, and these:
 * `refusals` are the statuses of answers that are refused on purpose; `isServerGone`, that the server goes away; `address`,
 * another server's; `finished` is called at the end; `script`, a file that runs in the page before its own.
 */
export function pageTest(name, options, body) {
  const { refusals = [], isServerGone = false, script, address: own, finished, ...context } = options;
  test(name, { timeout: 60_000 }, async () => {
    const address = own ? await own() : server.address;
    const page = await (await contextOf(context)).newPage();
    const faults = watch(page, { address, refusals, isServerGone });
    const visit = new Visit(page, address, faults);
    try {
      if (script) await page.addInitScript({ path: script });
      await body(visit);
      assert.deepEqual(faults, []);
    } finally {
      await leave(page, context, visit.isClockStopped);
      await finished?.();
    }
  });
}

/** Tries until an assertion holds. */
export async function eventually(assertion) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 25));
    }
  }
}

/** A page, and what people see and do in it. Parts are named by their id. */
export class Visit {
  constructor(page, address, faults) {
    Object.assign(this, { page, address, faults, isClockStopped: false });
  }

  /** Opens the page at a puzzle and a position, and waits for the answer. */
  async open(query = {}) {
    await this.page.goto(`${this.address}/?${new URLSearchParams(query)}`);
    await this.settled();
  }

  /** Opens one of the views under the verdict. */
  view(name) {
    return this.click(`tab-${name}`);
  }

  part(id) {
    return this.page.locator(`#${id}`);
  }

  text(id) {
    return this.part(id).innerText();
  }

  value(id) {
    return this.part(id).inputValue();
  }

  click(id) {
    return this.part(id).click();
  }

  button(id, name) {
    return this.part(id).getByRole('button', { name, exact: true });
  }

  /** What the address of the page is for. */
  get state() {
    return Object.fromEntries(new URL(this.page.url()).searchParams);
  }

  /** Waits until the page has shown an answer, or a reason why there is none. */
  settled() {
    return this.page.waitForFunction(() => {
      const text = document.getElementById('distance').textContent;
      return text !== '' || document.getElementById('reasons').textContent !== '';
    });
  }

  /** The position that the address stands for, as the server writes it. */
  async here() {
    const { puzzle, position, moves = '' } = this.state;
    return (await server.after(puzzle, position, moves)) ?? null;
  }

  /** Waits until the page is at a position, typed or reached by hand, and has shown its answer. */
  async arrivesAt(position) {
    const { state } = this;
    const expected = (await server.after(state.puzzle, position, '')) ?? position;
    await eventually(async () => assert.equal(this.state.moves ? await this.here() : this.state.position, this.state.moves ? expected : position));
    await eventually(async () => assert.match(await this.text('distance'), /\w/));
  }

  /** Holds up what is asked of the server until the function that is returned is called. */
  async hold(pattern) {
    let release;
    const released = new Promise((done) => {
      release = done;
    });
    await this.page.route(pattern, async (route) => {
      await released;
      await route.continue().catch(() => {});
    });
    return release;
  }

  /** Stops the clock of the page: timers and frames come in `passes` alone. */
  async stopClock() {
    this.isClockStopped = true;
    await this.page.clock.install();
    await this.page.clock.pauseAt(Date.now() + 60_000);
  }

  /** Lets so many milliseconds pass in the page, whose clock is stopped. */
  passes(milliseconds) {
    return this.page.clock.runFor(milliseconds);
  }

  /** Enters a position as text. */
  async enter(text) {
    await this.part('position').fill(text);
    await this.part('position').press('Enter');
  }

  /** What is drawn: each polygon's colour and corners. */
  drawn() {
    return this.part('view').evaluate((view) =>
      [...view.children].map((polygon) => ({
        fill: polygon.getAttribute('fill'),
        corners: [...polygon.points].map(({ x, y }) => [x, y]),
      })),
    );
  }

  /** Where on the screen the middle of a sticker is that is seen there and not hidden; null if none of it is. */
  placeOf(at) {
    return this.part('view').evaluate((view, at) => {
      for (const polygon of view.querySelectorAll(`[data-at="${at}"]`)) {
        const points = [...polygon.points].map((point) => point.matrixTransform(view.getScreenCTM()));
        const [x, y] = ['x', 'y'].map((part) => points.reduce((sum, point) => sum + point[part], 0) / points.length);
        if (document.elementFromPoint(x, y) === polygon) return { x, y };
      }
      return null;
    }, at);
  }

  /** Turns the view with the keyboard until a sticker is seen; where it is. */
  async seek(at) {
    await this.part('stage').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
      for (let turns = 0; turns < 6; turns += 1) {
        const place = await this.placeOf(at);
        if (place) return place;
        await this.page.keyboard.press(key);
      }
    }
    assert.fail(`sticker ${at} is seen from nowhere`);
  }

  /** Drags with the mouse from a place by some pixels. */
  async drag({ x, y }, right, down) {
    const { mouse } = this.page;
    await mouse.move(x, y);
    await mouse.down();
    await mouse.move(x + right / 2, y + down / 2, { steps: 4 });
    await mouse.move(x + right, y + down, { steps: 4 });
    await mouse.up();
  }

  /** Sets the speed at which moves are played, at once. */
  speed(value) {
    return this.part('speed').evaluate((speed, value) => {
      speed.value = value;
      speed.dispatchEvent(new Event('change'));
    }, value);
  }

  /** Waits so many milliseconds in the page, and two frames more: what was to be drawn by then is drawn. */
  inPage(milliseconds) {
    return this.page.evaluate(async (milliseconds) => {
      await new Promise((done) => setTimeout(done, milliseconds));
      for (let frames = 0; frames < 2; frames += 1) await new Promise((done) => requestAnimationFrame(done));
    }, milliseconds);
  }

  /** Waits until the player stands at a number of moves, and nothing moves. */
  playedTo(at) {
    return eventually(async () => {
      assert.equal(Number(await this.value('along')), at);
      assert.equal(await this.part('play').getAttribute('aria-label'), 'Play');
    });
  }

  /** Takes a picture of the page where somebody wants them. */
  async shot(name, options = { fullPage: true }) {
    if (SHOTS) await this.page.screenshot({ path: join(SHOTS, `${name}.png`), ...options });
  }
}

/** Asserts that two pictures show the same: polygons of the same colours at the same places. */
export function assertSamePicture(seen, expected) {
  const places = ({ corners }) => ['0', '1'].map((part) => corners.reduce((sum, corner) => sum + corner[part], 0) / corners.length);
  const isNear = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) < 0.002;
  assert.equal(seen.length, expected.length, 'as many polygons');
  const left = expected.map((polygon) => ({ fill: polygon.fill, place: places(polygon) }));
  for (const polygon of seen) {
    const place = places(polygon);
    const found = left.findIndex((other) => other.fill === polygon.fill && isNear(other.place, place));
    assert.notEqual(found, -1, `nothing of colour ${polygon.fill} is at ${place}`);
    left.splice(found, 1);
  }
}
