// The API of this server. Addresses are relative: the page works behind a proxy at any path.

/** An error answer of the server (problem+json). */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server does not answer. */
export class Gone extends Error {}

/** The address of a request. Skips parameters that are undefined, null or empty. */
export function address(path, query = {}) {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(asked).toString();
  return `api/v1/${path}${text && '?'}${text}`;
}

async function respond(path, query, signal, request = {}) {
  let response;
  try {
    response = await fetch(address(path, query), { ...request, signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Gone();
  }
  if (response.ok) return response;
  const kind = response.headers.get('content-type') ?? '';
  if (kind.includes('problem+json')) throw new Refusal(await response.json());
  // The HTTP layer or a proxy may reject a request without problem+json.
  if (response.status >= 400 && response.status < 500) throw new Refusal({ detail: refusal(response.status) });
  throw new Gone();
}

/** The reason for an error answer without problem+json. */
const refusal = (status) => ([414, 431].includes(status) ? 'The text is too long for the server.' : `The server rejected the request with status ${status}.`);

/** The answer to a question, as JSON. */
export async function ask(path, query, signal) {
  const response = await respond(path, query, signal);
  try {
    return await response.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Gone();
  }
}

/** Sends a POST request. A page of another origin cannot send this content type. */
export const post = (path) => respond(path, {}, undefined, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });

/** Yields the parts between separators while they arrive. Calls `begun` when the server begins. */
async function* pieces(path, query, signal, separator, begun, request) {
  const response = await respond(path, query, signal, request);
  begun();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
      const parts = text.split(separator);
      text = parts.pop();
      yield* parts.filter((part) => part.trim());
    }
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Gone();
  } finally {
    // Lets the server stop when the page reads no further.
    reader.cancel().catch(() => {});
  }
  if (text.trim()) yield text;
}

/** Yields JSON objects, one per line. Calls `begun` when the server begins. `body` is posted, if any. */
export async function* lines(path, query, signal, begun, body) {
  const request = body === undefined ? {} : { method: 'POST', body };
  for await (const line of pieces(path, query, signal, '\n', begun, request)) yield JSON.parse(line);
}

/** Yields server-sent events: names and data. Calls `begun` when the server begins. */
export async function* events(path, query, signal, begun) {
  for await (const piece of pieces(path, query, signal, '\n\n', begun)) {
    const field = (name) => piece.split('\n').find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1).trim();
    if (field('data')) yield { name: field('event'), data: JSON.parse(field('data')) };
  }
}

/** Waits until the server answers again. */
export async function isBack() {
  for (;;) {
    await new Promise((done) => setTimeout(done, 1000));
    try {
      if ((await fetch('healthz', { cache: 'no-store' })).ok) return;
    } catch {
      // Not yet.
    }
  }
}
