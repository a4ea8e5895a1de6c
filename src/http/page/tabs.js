// The views under the verdict, one at a time. The address names the open one after `#`.

import { $ } from './dom.js';

export class Tabs {
  #open = null;

  /** `on.opened(name)` is called when a view opens. */
  constructor(on) {
    this.on = on;
    this.all = [...$('tabs').children];
    for (const tab of this.all) tab.addEventListener('click', () => this.open(nameOf(tab)));
    $('tabs').addEventListener('keydown', (event) => this.#key(event));
  }

  /** The name of the open view. */
  get name() {
    return this.#open;
  }

  /** Offers some views only. Opens the first one if the open one is not offered. */
  offer(isOffered) {
    for (const tab of this.all) tab.hidden = !isOffered(nameOf(tab));
    const wanted = this.#open ?? location.hash.slice(1);
    this.#show(this.#offered().some((tab) => nameOf(tab) === wanted) ? wanted : nameOf(this.#offered()[0]));
  }

  /** Opens a view. */
  open(name) {
    history.replaceState(history.state, '', `${location.search}#${name}`);
    this.#show(name);
    this.on.opened(name);
    // It lies under the puzzle.
    scrollBy(0, Math.max(0, $('tabs').getBoundingClientRect().top - innerHeight / 2));
  }

  #offered() {
    return this.all.filter((tab) => !tab.hidden);
  }

  #show(name) {
    this.#open = name;
    for (const tab of this.all) {
      const isOpen = nameOf(tab) === name;
      tab.setAttribute('aria-selected', isOpen);
      tab.tabIndex = isOpen ? 0 : -1;
      $(tab.getAttribute('aria-controls')).hidden = !isOpen;
      // On a narrow page the row of tabs scrolls; the page stays.
      if (isOpen) $('tabs').scrollLeft = tab.offsetLeft - $('tabs').offsetLeft - 40;
    }
  }

  /** Arrows go to the next tab, Home and End to the first and the last. */
  #key(event) {
    const tabs = this.#offered();
    const at = tabs.findIndex((tab) => nameOf(tab) === this.#open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    const tab = tabs.at(to % tabs.length);
    this.open(nameOf(tab));
    tab.focus();
    event.preventDefault();
  }
}

const nameOf = (tab) => tab.id.slice('tab-'.length);
