// Helpers for elements of the page.

const SVG = 'http://www.w3.org/2000/svg';

/** The element with an id. */
export const $ = (id) => document.getElementById(id);

/** An element with properties and contents. */
export function element(name, properties = {}, ...contents) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...contents);
  return made;
}

/** A button with an action. */
export function button(text, action, properties = {}) {
  const made = element('button', { type: 'button', textContent: text, ...properties });
  made.addEventListener('click', action);
  return made;
}

/** A stored setting; null if the browser has none or forbids storage. */
export function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Stores a setting in the browser. */
export function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The browser forbids storage: the setting holds until the page is closed.
  }
}

/** An element of a drawing with attributes and contents. */
export function drawn(name, attributes = {}, ...contents) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...contents);
  return made;
}
