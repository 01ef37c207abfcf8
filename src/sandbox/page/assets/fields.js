import { el } from "./dom.js";

/**
 * @typedef {object} Schema the part of JSON Schema that the control API uses
 * @property {string | readonly string[]} [type]
 * @property {string} [description]
 * @property {readonly unknown[]} [enum]
 * @property {Record<string, Schema>} [properties]
 * @property {readonly string[]} [required]
 * @property {Schema} [items]
 * @property {readonly Schema[]} [anyOf]
 *
 * @typedef {object} Field
 * @property {HTMLElement} node
 * @property {() => unknown} read returns the value, or undefined if empty
 * @property {(value: any) => void} write
 *
 * @typedef {{value: string, label: string}} Choice
 *
 * @typedef {(name: string) => Promise<Choice[]> | undefined} Picker returns the choices of a field
 * whose values are known; undefined for other fields
 */

let count = 0;

/**
 * Builds fields for an object's properties.
 *
 * @param {Schema} schema
 * @param {Picker} pick
 */
export function fieldsFor({ properties = {}, required = [] }, pick) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    return { name, field: fieldFor(name, schema, required.includes(name), pick) };
  });
  const read = () => {
    const values = fields.map(({ name, field }) => [name, field.read()]);
    const given = values.filter(([, value]) => value !== undefined);
    return given.length === 0 ? undefined : Object.fromEntries(given);
  };
  /** @param {any} value */
  const write = (value) => {
    for (const { name, field } of fields) field.write(value?.[name]);
  };
  return { nodes: fields.map(({ field }) => field.node), read, write };
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} isRequired
 * @param {Picker} pick
 * @returns {Field}
 */
function fieldFor(name, schema, isRequired, pick) {
  if (schema.properties) {
    const { nodes, ...access } = fieldsFor(schema, pick);
    return { node: el("fieldset", {}, el("legend", {}, name), nodes), ...access };
  }
  if (schema.items?.properties) return listField(name, schema.items, pick);
  const picked = pick(name);
  const choices = schema.type === "boolean" ? [true, false] : schema.enum;
  const { control, ...access } = picked
    ? picker(picked)
    : choices
      ? choice(choices, isRequired)
      : entry(schema);
  count += 1;
  control.id = `field-${count}`;
  const label = el("label", { for: control.id }, name, isRequired && " (required)");
  // The contract describes an id only in general.
  const about = [picked ? "" : schema.description, hintOf(schema)];
  const hint = about.filter(Boolean).join(" ").replaceAll("`", "");
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  const note = hint && el("p", { class: "hint", id: `${control.id}-hint` }, hint);
  return { node: el("div", { class: "field" }, label, control, note), ...access };
}

/** @param {readonly unknown[]} choices @param {boolean} isRequired */
function choice(choices, isRequired) {
  const options = choices.map((value, index) => el("option", { value: index }, String(value)));
  const none = !isRequired && el("option", { value: "" }, "default");
  const control = el("select", {}, none, options);
  return {
    control,
    read: () => (control.value ? choices[Number(control.value)] : undefined),
    write: (/** @type {unknown} */ value) => {
      const place = value === undefined ? -1 : choices.indexOf(value);
      control.selectedIndex = isRequired ? Math.max(place, 0) : place + 1;
    },
  };
}

/** @param {Promise<Choice[]>} choices */
function picker(choices) {
  const first = el("option", { value: "" }, "default");
  const control = el("select", {}, first);
  const loaded = choices.then((all) => {
    control.append(...all.map(({ value, label }) => el("option", { value }, label)));
    if (all.length === 0) first.textContent = "none applies";
  });
  loaded.catch((error) => {
    first.textContent = `not loaded: ${error.message}`;
  });
  return {
    control,
    read: () => control.value || undefined,
    write: (/** @type {string | undefined} */ value) => {
      loaded.then(
        () => {
          control.value = value ?? "";
        },
        () => undefined,
      );
    },
  };
}

/** @param {Schema} schema */
function entry(schema) {
  const type = typeOf(schema);
  const isNumber = type === "number" || type === "integer";
  const control = el("input", {
    autocomplete: "off",
    spellcheck: "false",
    inputmode: isNumber ? "decimal" : null,
  });
  const read = () => {
    const text = control.value.trim();
    if (text === "") return undefined;
    if (text === "null" && typesOf(schema).includes("null")) return null;
    if (type === "string") return text;
    // The sandbox reports invalid numbers.
    if (isNumber) return Number.isNaN(Number(text)) ? text : Number(text);
    return text.split(",").map((part) => part.trim());
  };
  /** @param {unknown} value */
  const write = (value) => {
    control.value = value === undefined ? "" : String(value);
  };
  return { control, read, write };
}

/**
 * A list of objects, with buttons to add and remove one.
 *
 * @param {string} name
 * @param {Schema} schema
 * @param {Picker} pick
 * @returns {Field}
 */
function listField(name, schema, pick) {
  /** @type {Set<{read: () => unknown}>} */
  const items = new Set();
  const list = el("div", { class: "list-items" });
  /** @param {unknown} [value] */
  const add = (value) => {
    const { nodes, read, write } = fieldsFor(schema, pick);
    write(value);
    const item = { read };
    const remove = () => {
      items.delete(item);
      node.remove();
      more.focus();
    };
    const label = `Remove this entry of ${name}`;
    const button = el("button", { type: "button", "aria-label": label, click: remove }, "Remove");
    const node = el(
      "div",
      { class: "list-item", role: "group", "aria-label": name },
      nodes,
      button,
    );
    items.add(item);
    list.append(node);
    return node;
  };
  const click = () => add().querySelector("select")?.focus();
  const more = el("button", { type: "button", click }, `Add to ${name}`);
  return {
    node: el("fieldset", {}, el("legend", {}, name), list, more),
    read: () => (items.size === 0 ? undefined : [...items].map((item) => item.read() ?? {})),
    write: (value = []) => {
      items.clear();
      list.replaceChildren();
      for (const one of value) add(one);
    },
  };
}

/** @param {Schema} schema */
function typeOf(schema) {
  return typesOf(schema).find((type) => type !== "null");
}

/** @param {Schema} schema @returns {string[]} */
function typesOf({ type = [], anyOf = [] }) {
  return [type, anyOf.map(typesOf)].flat(2);
}

/** @param {Schema} schema */
function hintOf(schema) {
  if (schema.type === "array") return "Separate the values by commas.";
  return typesOf(schema).includes("null") ? "Enter null for none." : "";
}
