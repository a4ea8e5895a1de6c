// The entries of the browser's history that this page made. Undo and redo walk through them, as Back and Forward do.

import { $ } from './dom.js';

export class Visits {
  constructor() {
    this.at = history.state?.at ?? 0;
    this.last = this.at;
    $('undo').addEventListener('click', () => history.back());
    $('redo').addEventListener('click', () => history.forward());
    // In a field, Ctrl+Z undoes what was typed there.
    document.addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest('input, textarea, select')) return;
      const key = event.key.toLowerCase();
      const isRedo = key === 'y' || (key === 'z' && event.shiftKey);
      if (!isRedo && key !== 'z') return;
      event.preventDefault();
      $(isRedo ? 'redo' : 'undo').click();
    });
  }

  /** Goes to an address: `push` or `replace`. The open view stays. */
  go(how, address) {
    if (how === 'push') this.last = this.at += 1;
    history[`${how}State`]({ at: this.at }, '', address + location.hash);
    this.#draw();
  }

  /** The browser has gone to an entry. */
  arrived() {
    this.at = history.state?.at ?? 0;
    this.last = Math.max(this.last, this.at);
    this.#draw();
  }

  #draw() {
    $('undo').disabled = this.at === 0;
    $('redo').disabled = this.at === this.last;
  }
}
