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

/** @typedef {{node: HTMLElement, json: string}} Shown a list element and the item's JSON */

/**
 * Renders a list and replaces only changed items, which preserves the focus and open details of
 * the others.
 *
 * @template Item
 */
export class List {
  /** @type {Map<string, Shown>} */
  #shown = new Map();
  #parent;
  #keyOf;
  #build;

  /**
   * @param {HTMLElement} parent
   * @param {(item: Item) => string} keyOf
   * @param {(item: Item) => HTMLElement} build
   */
  constructor(parent, keyOf, build) {
    this.#parent = parent;
    this.#keyOf = keyOf;
    this.#build = build;
  }

  /** @param {readonly Item[]} items */
  show(items) {
    /** @type {Map<string, Shown>} */
    const next = new Map();
    for (const item of items) {
      const key = this.#keyOf(item);
      next.set(key, this.#update(this.#shown.get(key), item));
    }
    for (const [key, { node }] of this.#shown) if (!next.has(key)) node.remove();
    let place = this.#parent.firstElementChild;
    for (const { node } of next.values()) {
      if (node === place) place = place.nextElementSibling;
      else this.#parent.insertBefore(node, place);
    }
    this.#shown = next;
  }

  /**
   * @param {Shown | undefined} old
   * @param {Item} item
   * @returns {Shown}
   */
  #update(old, item) {
    const json = JSON.stringify(item);
    if (old?.json === json) return old;
    const node = this.#build(item);
    if (old) {
      keepOpen(old.node, node);
      const focused = focusables(old.node).indexOf(document.activeElement);
      old.node.replaceWith(node);
      /** @type {HTMLElement | undefined} */ (focusables(node)[focused])?.focus();
    }
    return { node, json };
  }
}

/** @param {HTMLElement} from @param {HTMLElement} to */
function keepOpen(from, to) {
  const were = from.querySelectorAll("details");
  to.querySelectorAll("details").forEach((details, index) => {
    details.open = were[index]?.open ?? details.open;
  });
}

/** @param {HTMLElement} node @returns {(Element | null)[]} */
function focusables(node) {
  return [...node.querySelectorAll("button, a, summary, input, select, textarea")];
}
