// Parts of the page.

const SVG = 'http://www.w3.org/2000/svg';

/** The part of an id. */
export const $ = (id) => document.getElementById(id);

/** An element with properties and contents. */
export function element(name, properties = {}, ...contents) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...contents);
  return made;
}

/** A button that does something. */
export function button(text, action, properties = {}) {
  const made = element('button', { type: 'button', textContent: text, ...properties });
  made.addEventListener('click', action);
  return made;
}

/** What the browser keeps by a name; null if nothing, and where it keeps nothing for this page. */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Has the browser keep something by a name. */
export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // People can forbid it: then it holds until the page is left.
  }
}

/** An element of a drawing with attributes and contents. */
export function drawn(name, attributes = {}, ...contents) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...contents);
  return made;
}
