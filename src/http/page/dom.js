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

let toasting;

/** Shows a short message for a moment. */
export function toast(text) {
  clearTimeout(toasting);
  $('toast').textContent = text;
  toasting = setTimeout(() => $('toast').replaceChildren(), 2000 + 40 * text.length);
}

/** Copies a text. Without the clipboard (pages over plain HTTP have none), selects and copies it in a field. */
export async function copy(text, message = 'Copied.') {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element('textarea', { value: text, readOnly: true });
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
  toast(message);
}

/** A list item with a button. */
export function listed(text, action) {
  const chosen = button(text, () => {
    for (const other of chosen.closest('ol').querySelectorAll('[aria-current]')) other.removeAttribute('aria-current');
    chosen.setAttribute('aria-current', 'true');
    action();
  });
  return element('li', {}, chosen);
}
