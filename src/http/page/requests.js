// Requests whose state is shown: waiting for the server, refused.

import { Refusal } from './api.js';

/** Milliseconds until the page shows that the request waits for the server. */
const SOON = 500;

/** The reason for a missing answer, in words. */
export function refusal(error) {
  if (!(error instanceof Refusal)) throw error;
  const { detail, remedy } = error.problem;
  return remedy ? `${detail}. On the server, run: ${remedy}` : detail;
}

/** Shows the reason for a missing answer in an element. */
export function refused(element, error) {
  element.textContent = refusal(error);
}

/** A request in the server's queue. The element shows `text`, or that the request waits. */
export class Beginning {
  constructor(element, text) {
    Object.assign(this, { element, text, isAwaited: true });
    element.textContent = text;
    setTimeout(() => {
      if (this.isAwaited) element.textContent = 'Waiting for the server …';
    }, SOON);
  }

  /** The server has begun. */
  ends() {
    if (!this.isAwaited) return;
    this.isAwaited = false;
    this.element.textContent = this.text;
  }
}
