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

/** An element of a drawing with attributes and contents. */
export function drawn(name, attributes = {}, ...contents) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...contents);
  return made;
}
