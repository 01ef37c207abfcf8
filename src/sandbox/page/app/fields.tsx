import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schema } from "../contract.ts";
import { failureOf, type Params } from "./api.ts";
import { useLoaded } from "./hooks.ts";
import { page, type Result } from "./model.ts";
import { accountChoices, type Choice } from "./pickers.ts";

/** Returns what loads the choices of a field; undefined for a field that takes any value. */
type Pick = (name: string) => (() => Promise<readonly Choice[]>) | undefined;

interface SchemaFormProps<Values> {
  /** What it does: the start of its result. */
  readonly what: string;
  /** Default: what it does. */
  readonly label?: string;
  /** The text of the button. Default: what it does. */
  readonly action?: string;
  readonly schema: Schema;
  /** The initial values. */
  readonly values?: Readonly<Partial<Values>>;
  readonly pick?: Pick;
  readonly work: (values: Values) => Promise<Result["content"]>;
  /** Called after success. */
  readonly onDone?: (form: HTMLFormElement) => void;
  readonly form?: RefObject<HTMLFormElement | null>;
  /** More buttons. */
  readonly children?: ComponentChildren;
}

const pickAccount: Pick = (name) => (name === "accountId" ? accountChoices : undefined);

/** A form with the fields of an object. The sandbox reports what does not fit its type. */
export function SchemaForm<Values>({ what, schema, work, ...props }: SchemaFormProps<Values>) {
  const { label = what, action = what, values, pick = pickAccount, form = null } = props;
  const submit = async (filled: HTMLFormElement) => {
    const entered = valuesOf(schema, new FormData(filled));
    if (await page.run(what, () => work(entered as Values))) props.onDone?.(filled);
  };
  return (
    <form
      ref={form}
      class="form stack"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <Fields path="" schema={schema} value={values} pick={pick} />
      <div class="row">
        <button type="submit">{action}</button>
        {props.children}
      </div>
    </form>
  );
}

interface FieldProps {
  /** The names of the field and of those around it, each after a dot. */
  readonly path: string;
  readonly schema: Schema;
  /** The initial value. */
  readonly value: unknown;
  readonly pick: Pick;
}

/** The fields of an object. */
function Fields({ path, schema, value, pick }: FieldProps) {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, own]) => {
    const props = { path: `${path}.${name}`, schema: own, value: Object(value)[name], pick };
    if (own.items?.properties) return <List key={name} name={name} {...props} schema={own.items} />;
    if (own.properties) {
      return (
        <fieldset key={name}>
          <legend>{name}</legend>
          <Fields {...props} />
        </fieldset>
      );
    }
    return <Field key={name} name={name} isRequired={required.includes(name)} {...props} />;
  });
}

function Field(props: FieldProps & { name: string; isRequired: boolean }) {
  const { name, isRequired, path, schema, value, pick } = props;
  const id = useId();
  const load = pick(name);
  const { value: loaded, error } = useLoaded(async () => load?.(), []);
  const fixed = (schema.type === "boolean" ? [true, false] : (schema.enum ?? [])).map(String);
  const choices = loaded ?? fixed.map((one) => ({ value: one, label: one }));
  const none = loaded?.length === 0 ? "none applies" : "default";
  // The contract describes an id only in general.
  const hints = [load ? "" : schema.description, syntaxOf(schema)].filter(Boolean).join(" ");
  const attributes = { id, name: path, "aria-describedby": hints ? `${id}-hint` : undefined };
  const given = value === undefined ? "" : String(value);
  return (
    <div class="field">
      <label for={id}>
        {name}
        {isRequired && " (required)"}
      </label>
      {load || fixed.length > 0 ? (
        <select {...attributes}>
          {(load || !isRequired) && (
            <option value="">{error ? `not loaded: ${failureOf(error).text}` : none}</option>
          )}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === given}>
              {choice.label}
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

/** A list of objects, with buttons to add and remove one. */
function List({ name, path, schema, value, pick }: FieldProps & { name: string }) {
  const more = useRef<HTMLButtonElement>(null);
  const latest = useRef<HTMLFieldSetElement>(null);
  const [added, setAdded] = useState(0);
  const [items, setItems] = useState(() =>
    Array.from(Array.isArray(value) ? value : [], (item, at) => ({ key: `${at}`, item })),
  );
  useLayoutEffect(() => {
    if (added > 0) latest.current?.querySelector("select")?.focus();
  }, [added]);
  const add = () => {
    setItems([...items, { key: `new-${added}`, item: {} }]);
    setAdded(added + 1);
  };
  const remove = (key: string) => {
    setItems(items.filter((one) => one.key !== key));
    more.current?.focus();
  };
  const label = `Remove this entry of ${name}`;
  return (
    <fieldset>
      <legend>{name}</legend>
      {items.map(({ key, item }) => (
        <fieldset key={key} ref={latest} class="list-item" aria-label={name}>
          <Fields path={`${path}.${key}`} schema={schema} value={item} pick={pick} />
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

function isNumeric(schema: Schema): boolean {
  return typesOf(schema).some((type) => type === "number" || type === "integer");
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return [type].flat();
}

function syntaxOf(schema: Schema): string {
  if (schema.type === "array") return "Separate the values by commas.";
  return typesOf(schema).includes("null") ? "Enter null for none." : "";
}
