import { el } from "./dom.js";

/**
 * @template Item
 * @typedef {object} Kind how the items of a list are shown
 * @property {(item: Item) => string} keyOf
 * @property {(item: Item) => (Node | null)[]} head the content of the row's button
 * @property {(item: Item) => unknown} [versionOf] changes when the head must be drawn again
 * @property {(item: Item) => Detail<Item>} open builds the content of an open row
 */

/**
 * @template Item
 * @typedef {object} Detail
 * @property {HTMLElement} node
 * @property {(item: Item) => void} update
 */

/**
 * @template Item
 * @typedef {object} Row
 * @property {HTMLLIElement} node
 * @property {HTMLButtonElement} button
 * @property {string} version
 * @property {Item} item
 */

/**
 * A list whose rows open, one at a time. Rows are updated in place, so that the focus and the forms
 * of an open row stay.
 *
 * @template Item
 */
export class Rows {
  /** @type {Map<string, Row<Item>>} */
  #rows = new Map();
  #parent;
  #kind;
  /** @type {string | undefined} */
  #openKey;
  /** @type {Detail<Item> | undefined} */
  #detail;

  /** @param {HTMLElement} parent @param {Kind<Item>} kind */
  constructor(parent, kind) {
    this.#parent = parent;
    this.#kind = kind;
  }

  /** The item of the open row. */
  get openItem() {
    return this.#rows.get(this.#openKey ?? "")?.item;
  }

  /** @param {readonly Item[]} items */
  show(items) {
    /** @type {Map<string, Row<Item>>} */
    const next = new Map();
    for (const item of items) {
      const key = this.#kind.keyOf(item);
      next.set(key, this.#update(key, item));
    }
    for (const [key, { node }] of this.#rows) if (!next.has(key)) node.remove();
    let place = this.#parent.firstElementChild;
    for (const { node } of next.values()) {
      if (node === place) place = place.nextElementSibling;
      else this.#parent.insertBefore(node, place);
    }
    this.#rows = next;
    const { openItem } = this;
    if (openItem) this.#detail?.update(openItem);
    else this.close();
  }

  /** Opens a row and scrolls to it. @param {string} key */
  open(key) {
    const row = this.#rows.get(key);
    if (!row) return false;
    if (this.#openKey !== key) {
      this.close();
      this.#openKey = key;
      this.#detail = this.#kind.open(row.item);
      row.button.setAttribute("aria-expanded", "true");
      row.node.append(this.#detail.node);
    }
    row.node.scrollIntoView({ block: "nearest" });
    return true;
  }

  close() {
    const row = this.#rows.get(this.#openKey ?? "");
    row?.button.setAttribute("aria-expanded", "false");
    this.#detail?.node.remove();
    this.#openKey = undefined;
    this.#detail = undefined;
  }

  /** @param {string} key @param {Item} item @returns {Row<Item>} */
  #update(key, item) {
    const version = JSON.stringify(this.#kind.versionOf ? this.#kind.versionOf(item) : item);
    const old = this.#rows.get(key);
    const row = old ?? this.#build(key);
    if (old?.version !== version) {
      row.button.replaceChildren(...this.#kind.head(item).filter((part) => part !== null));
    }
    return Object.assign(row, { version, item });
  }

  /** @param {string} key @returns {Row<any>} */
  #build(key) {
    const click = () => (this.#openKey === key ? this.close() : this.open(key));
    const button = el("button", { type: "button", class: "head", "aria-expanded": "false", click });
    return { node: el("li", { "data-key": key }, button), button, version: "", item: undefined };
  }
}
