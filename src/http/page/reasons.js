// The reasons why a text is no position.

import { $, element } from './dom.js';

/** Shows every reason for an error, and marks its place in the text. */
export function showReasons({ detail, problems = [], remedy }) {
  const parts = [];
  const text = $('position').value;
  // Places are byte offsets.
  const bytes = new TextEncoder().encode(text);
  const places = problems.map((problem) => problem.at).filter((at) => at && at.end <= bytes.length + 1);
  const reasons = problems.length > 0 ? problems.map((problem) => problem.message) : [detail].filter(Boolean);
  if (remedy) reasons.push(`To fix this, run on the server: ${remedy}`);
  if (reasons.length > 0) parts.push(element('ul', {}, ...reasons.map((reason) => element('li', {}, reason))));
  if (places.length > 0) {
    const piece = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
    const shown = element('pre');
    let end = 0;
    for (const at of places.toSorted((a, b) => a.start - b.start)) {
      if (at.start < end) continue;
      const next = Math.max(at.end, at.start + 1);
      shown.append(piece(end, at.start), element('mark', {}, piece(at.start, next) || '␣'));
      end = next;
    }
    shown.append(piece(end));
    parts.push(shown);
  }
  $('reasons').replaceChildren(...parts);
}
