/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {string | number | boolean | null | undefined | ((event: Event) => void)} Attribute
 */

/**
 * Builds an element. A function is added as a listener for the event of that name. Null, false
 * and undefined are skipped.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, Attribute>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, String(value));
    }
  }
  for (const child of children.flat()) if (child || child === "") element.append(child);
  return element;
}

/**
 * Returns an element that must exist.
 *
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function find(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * Returns a form's non-empty values by field name.
 *
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function fieldsOf(form) {
  const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
