import type { ComponentChildren, RefObject, SelectHTMLAttributes } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schema } from "../contract.ts";
import { failureOf, type Params } from "./api.ts";
import { useLoaded } from "./hooks.ts";
import type { Choice } from "./pickers.ts";

/** Returns what loads the choices of a field; undefined for a field that takes any value. */
type Pick = (name: string) => (() => Promise<readonly Choice[]>) | undefined;

interface SchemaFormProps<Values> {
  readonly label: string;
  readonly schema: Schema;
  /** The initial values. */
  readonly values?: Readonly<Partial<Values>>;
  readonly pick?: Pick;
  /** The text of the button. */
  readonly action: string;
  readonly submit: (values: Values, form: HTMLFormElement) => void;
  readonly form?: RefObject<HTMLFormElement | null>;
  /** More buttons. */
  readonly children?: ComponentChildren;
}

const pickNothing: Pick = () => undefined;

/** A form with the fields of an object. The sandbox reports what does not fit its type. */
export function SchemaForm<Values = Params>(props: SchemaFormProps<Values>) {
  const { label, schema, values = {}, pick = pickNothing, action, form = null, children } = props;
  return (
    <form
      ref={form}
      class="form stack"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const entered = valuesOf(schema, new FormData(event.currentTarget));
        props.submit(entered as Values, event.currentTarget);
      }}
    >
      <Fields path="" schema={schema} values={{ ...values }} pick={pick} />
      <div class="row">
        <button type="submit">{action}</button>
        {children}
      </div>
    </form>
  );
}

interface FieldsProps {
  /** The start of the names of the fields in the form. */
  readonly path: string;
  readonly schema: Schema;
  readonly values: Params;
  readonly pick: Pick;
}

function Fields({ path, schema, values, pick }: FieldsProps) {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, own]) => {
    const props = { name, path: `${path}.${name}`, pick, value: values[name] };
    if (own.items?.properties) return <List key={name} {...props} schema={own.items} />;
    const label = required.includes(name) ? `${name} (required)` : name;
    if (!own.properties) return <Field key={name} {...props} label={label} schema={own} />;
    return (
      <fieldset key={name}>
        <legend>{name}</legend>
        <Fields {...props} schema={own} values={{}} />
      </fieldset>
    );
  });
}

interface FieldProps {
  readonly name: string;
  readonly path: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly pick: Pick;
}

function Field({ name, label, path, schema, value, pick }: FieldProps & { label: string }) {
  const id = useId();
  const load = pick(name);
  // The contract describes an id only in general.
  const hints = [load ? "" : schema.description, syntaxOf(schema)].filter(Boolean).join(" ");
  const attributes = { id, name: path, "aria-describedby": hints ? `${id}-hint` : undefined };
  const given = value === undefined ? "" : String(value);
  const choices = fixedChoices(schema).map(String);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {load ? (
        <Picker load={load} attributes={attributes} />
      ) : choices.length > 0 ? (
        <select {...attributes}>
          {label === name && <option value="">default</option>}
          {choices.map((choice) => (
            <option key={choice} selected={choice === given}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          defaultValue={given}
          autocomplete="off"
          spellcheck={false}
          inputMode={isNumeric(schema) ? "decimal" : undefined}
        />
      )}
      {hints && (
        <p class="hint" id={`${id}-hint`}>
          {hints.replaceAll("`", "")}
        </p>
      )}
    </div>
  );
}

interface PickerProps {
  readonly load: () => Promise<readonly Choice[]>;
  readonly attributes: SelectHTMLAttributes;
}

function Picker({ load, attributes }: PickerProps) {
  const { value: choices, error } = useLoaded(load, []);
  const none = choices?.length === 0 ? "none applies" : "default";
  return (
    <select {...attributes}>
      <option value="">{error ? `not loaded: ${failureOf(error).text}` : none}</option>
      {choices?.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** A list of objects, with buttons to add and remove one. */
function List({ name, path, schema, value, pick }: FieldProps) {
  const more = useRef<HTMLButtonElement>(null);
  const latest = useRef<HTMLFieldSetElement>(null);
  const [added, setAdded] = useState(0);
  const [items, setItems] = useState(() =>
    Array.from(Array.isArray(value) ? value : [], (values, at) => ({ key: `${at}`, values })),
  );
  useLayoutEffect(() => {
    if (added > 0) latest.current?.querySelector("select")?.focus();
  }, [added]);
  const add = () => {
    setItems([...items, { key: `new-${added}`, values: {} }]);
    setAdded(added + 1);
  };
  const remove = (key: string) => {
    setItems(items.filter((item) => item.key !== key));
    more.current?.focus();
  };
  const label = `Remove this entry of ${name}`;
  return (
    <fieldset>
      <legend>{name}</legend>
      {items.map(({ key, values }) => (
        <fieldset key={key} ref={latest} class="list-item" aria-label={name}>
          <Fields path={`${path}.${key}`} schema={schema} values={values} pick={pick} />
          <button type="button" aria-label={label} onClick={() => remove(key)}>
            Remove
          </button>
        </fieldset>
      ))}
      <button ref={more} type="button" onClick={add}>
        Add to {name}
      </button>
    </fieldset>
  );
}

/** The values of an object's fields in a form, without the empty ones. */
function valuesOf({ properties = {} }: Schema, form: FormData, path = ""): Params {
  const entries = Object.entries(properties).map(([name, schema]) => {
    return [name, valueIn(form, schema, `${path}.${name}`)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function valueIn(form: FormData, schema: Schema, path: string): unknown {
  const { items, properties } = schema;
  if (properties) {
    const values = valuesOf(schema, form, path);
    return Object.keys(values).length === 0 ? undefined : values;
  }
  if (items?.properties) {
    const inside = [...form.keys()].filter((name) => name.startsWith(`${path}.`));
    const keys = new Set(inside.map((name) => name.slice(path.length + 1).split(".")[0]));
    const values = [...keys].map((key) => valuesOf(items, form, `${path}.${key}`));
    return values.length === 0 ? undefined : values;
  }
  const text = String(form.get(path) ?? "").trim();
  if (text === "") return undefined;
  const types = typesOf(schema);
  if (text === "null" && types.includes("null")) return null;
  if (types.includes("boolean")) return text === "true";
  // The sandbox reports what is not a number.
  if (isNumeric(schema)) return Number.isNaN(Number(text)) ? text : Number(text);
  return types.includes("array") ? text.split(",").map((part) => part.trim()) : text;
}

function fixedChoices(schema: Schema): readonly unknown[] {
  return schema.type === "boolean" ? [true, false] : (schema.enum ?? []);
}

function isNumeric(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === "number" || type === "integer");
}

function typesOf({ type = [], anyOf = [] }: Schema): string[] {
  return [type, ...anyOf.map(typesOf)].flat();
}

function syntaxOf(schema: Schema): string {
  if (schema.type === "array") return "Separate the values by commas.";
  return typesOf(schema).includes("null") ? "Enter null for none." : "";
}
