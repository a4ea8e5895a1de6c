// All tests of the page of `twistbase serve`, in a real browser: files of tests beside each other, over the same tables.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { builtStore } from './program.mjs';

/** The longest first. Each has a browser and a server of its own: a busy server is of nobody else's making. */
const FILES = ['turning', 'first', 'answers', 'views', 'access', 'entry', 'editing', 'searches', 'playing', 'builds', 'outage'];
/** What is waited for is mostly the browser: two files share a processor well. */
const CONCURRENCY = 2;

const store = builtStore();
process.env.TWISTBASE_STORE = store.folder;
const files = FILES.map((name) => fileURLToPath(new URL(`${name}.mjs`, import.meta.url)));
run({ files, concurrency: CONCURRENCY })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .on('end', () => store.remove())
  .compose(spec)
  .pipe(process.stdout);
