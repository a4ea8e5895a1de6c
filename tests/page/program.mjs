// The program that serves the page: its tables, its process and its API.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.TWISTBASE ?? fileURLToPath(new URL('../../target/release/twistbase', import.meta.url));
/** Square-1 has none, so that the page has to tell how it is built. */
const STEPS = ['cube3-eo', 'cube3-dr-from-eo', 'cube3-htr-from-dr', 'cube3-half-turns'];
const TABLES = ['cube2', 'cube2-qtm', 'cube3-cross', ...STEPS, 'square1-corners', 'cube21', 'phase1', 'phase2', 'skewb'];

/** A store with the tables of the tests: that of TWISTBASE_STORE, or one of its own that is removed at the end. */
export function builtStore() {
  if (process.env.TWISTBASE_STORE) return { folder: process.env.TWISTBASE_STORE, remove() {} };
  const folder = mkdtempSync(join(tmpdir(), 'twistbase-page-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const built = spawnSync(PROGRAM, ['--store', folder, 'build', ...TABLES], { encoding: 'utf8' });
  if (built.status !== 0) {
    remove();
    throw new Error(`the tables cannot be built: ${built.error?.message ?? built.stderr}`);
  }
  return { folder, remove };
}

/** A server that runs. */
export class Server {
  constructor(process, address) {
    Object.assign(this, { process, address });
  }

  /** Starts a server, with more arguments; port 0 is any that is free. `build` is when it builds tables by itself: never, auto. */
  static async start(folder, port = 0, more = [], build = 'never') {
    const process = spawn(PROGRAM, ['--store', folder, 'serve', '--listen', `127.0.0.1:${port}`, ...more], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...globalThis.process.env, TWISTBASE_BUILD: build },
    });
    const first = new Promise((done, fail) => {
      createInterface({ input: process.stdout }).once('line', done);
      process.once('error', fail);
      process.once('exit', (code) => fail(new Error(`the server ended with ${code} before it listened`)));
    });
    return new Server(process, await first);
  }

  get port() {
    return Number(new URL(this.address).port);
  }

  /** Ends the server at once. */
  async kill() {
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGKILL');
    await ended;
  }

  /** What the API answers, whatever its status. */
  async ask(path, query = {}) {
    const response = await fetch(`${this.address}/api/v1/${path}?${new URLSearchParams(query)}`);
    return response.json();
  }

  /** The position that moves lead to. */
  async after(puzzle, position, moves) {
    const { leads_to: leadsTo } = await this.ask(`${puzzle}/scene`, { position, moves });
    return leadsTo;
  }

  /** The value of a metric. */
  async metric(name) {
    const text = await (await fetch(`${this.address}/metrics`)).text();
    return Number(text.split('\n').find((line) => line.startsWith(`${name} `))?.slice(name.length + 1));
  }
}
