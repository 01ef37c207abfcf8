import { el } from "./dom.js";

/**
 * @typedef {object} Schema the part of JSON Schema that verbs use
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
 * @property {() => unknown} read returns the value, or undefined if empty. Throws an Error if the
 * value can't be parsed
 */

let count = 0;

/**
 * Builds fields for an object's properties.
 *
 * @param {Schema} schema
 * @returns {{nodes: HTMLElement[], read: () => Record<string, unknown> | undefined}}
 */
export function fieldsFor({ properties = {}, required = [] }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    return { name, field: fieldFor(name, schema, required.includes(name)) };
  });
  const read = () => {
    const read = fields.map(({ name, field }) => [name, field.read()]);
    const given = read.filter(([, value]) => value !== undefined);
    return given.length === 0 ? undefined : Object.fromEntries(given);
  };
  return { nodes: fields.map(({ field }) => field.node), read };
}

/** @param {string} name @param {Schema} schema @param {boolean} isRequired @returns {Field} */
function fieldFor(name, schema, isRequired) {
  if (schema.properties) {
    const { nodes, read } = fieldsFor(schema);
    return { node: el("fieldset", {}, el("legend", {}, name), nodes), read };
  }
  const choices = schema.type === "boolean" ? [true, false] : schema.enum;
  const { control, read } = choices ? choice(choices) : entry(name, schema);
  count += 1;
  control.id = `field-${count}`;
  const label = el("label", { for: control.id }, name, isRequired && " (needed)");
  const hint = [schema.description, hintOf(schema)].filter(Boolean).join(" ");
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  const note = hint && el("p", { class: "hint", id: `${control.id}-hint` }, hint);
  return { node: el("div", { class: "field" }, label, control, note), read };
}

/** @param {readonly unknown[]} choices */
function choice(choices) {
  const options = choices.map((value, index) => el("option", { value: index }, String(value)));
  const control = el("select", {}, el("option", { value: "" }, "–"), options);
  return { control, read: () => (control.value ? choices[Number(control.value)] : undefined) };
}

/** @param {string} name @param {Schema} schema */
function entry(name, schema) {
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
    if (text === "null" && isNullable(schema)) return null;
    if (type === "string") return text;
    // The sandbox reports invalid numbers.
    if (isNumber) return Number.isNaN(Number(text)) ? text : Number(text);
    return isListOfTexts(schema) ? text.split(",").map((part) => part.trim()) : json(name, text);
  };
  return { control, read };
}

/** @param {string} name @param {string} text */
function json(name, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} takes JSON`);
  }
}

/** @param {Schema} schema */
function typeOf(schema) {
  return typesOf(schema).find((type) => type !== "null");
}

/** @param {Schema} schema */
function isNullable(schema) {
  return typesOf(schema).includes("null");
}

/** @param {Schema} schema @returns {string[]} */
function typesOf({ type = [], anyOf = [] }) {
  return [type, anyOf.map(typesOf)].flat(2);
}

/** @param {Schema} schema */
function isListOfTexts({ type, items }) {
  return type === "array" && items?.type === "string";
}

/** @param {Schema} schema */
function hintOf(schema) {
  if (isListOfTexts(schema)) return "Separate the values by commas.";
  if (schema.type === "array") return "A JSON array.";
  return isNullable(schema) ? "Enter null for none." : "";
}
