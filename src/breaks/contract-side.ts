import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Contract } from "./contract.ts";
import { isJson, type Json } from "./document.ts";
import type { Message } from "./message.ts";
import { Sampler } from "./sample.ts";

const OPTIONS: Options = { allErrors: true, strict: false, logger: false };

/** One of the two contracts, with AJV validators of its messages. */
export class Side {
  readonly name: "old" | "new";
  readonly contract: Contract;
  readonly sampler: Sampler;
  /** A body is JSON. Parameters and headers are strings, which may contain a number. */
  readonly #bodyAjv = new Ajv2020(OPTIONS);
  readonly #textAjv = new Ajv2020({ ...OPTIONS, coerceTypes: true });
  readonly #validators = new Map<string, readonly ValidateFunction[]>();
  readonly #keys: readonly string[];

  constructor(name: "old" | "new", contract: Contract) {
    this.name = name;
    this.contract = contract;
    this.sampler = new Sampler(contract);
    this.#keys = [...contract.messages.keys()];
    const schemas = [...contract.messages.values()].map(({ schema }) => schema);
    for (const [ajv, isBody] of [
      [this.#bodyAjv, true],
      [this.#textAjv, false],
    ] as const) {
      addFormats.default(ajv);
      const parts = schemas.map((schema) => partsOf(schema, isBody));
      // Adding them to the document resolves their references to its components.
      ajv.addSchema({ ...contract.document, "x-messages": parts }, name);
    }
  }

  /** The errors of a message; none if the contract allows it. */
  errors(key: string, payload: unknown): readonly ErrorObject[] {
    const [ofBody, ofTexts] = this.#validatorsOf(key);
    return [...errorsOf(ofBody, payload), ...errorsOf(ofTexts, withTextValues(payload))];
  }

  message(key: string): Message | undefined {
    return this.contract.messages.get(key);
  }

  #validatorsOf(key: string): readonly ValidateFunction[] {
    const known = this.#validators.get(key);
    if (known) return known;
    const $ref = `${this.name}#/x-messages/${this.#keys.indexOf(key)}`;
    const compiled = [this.#bodyAjv, this.#textAjv].map((ajv) => ajv.compile({ $ref }));
    this.#validators.set(key, compiled);
    return compiled;
  }
}

function errorsOf(validate: ValidateFunction | undefined, payload: unknown) {
  return validate?.(payload) ? [] : (validate?.errors ?? []);
}

/** The body of a message, or everything but the body. */
function partsOf(schema: Json, isBody: boolean): Json {
  const { properties, required } = schema as { properties: Json; required: readonly string[] };
  const isWanted = (name: string) => (name === "body") === isBody;
  const wanted = Object.entries(properties).filter(([name]) => isWanted(name));
  return {
    type: "object",
    properties: Object.fromEntries(wanted),
    required: required.filter(isWanted),
  };
}

/** A copy of a message whose parameters and headers are strings, as they are sent. */
function withTextValues(payload: unknown): unknown {
  if (!isJson(payload)) return payload;
  const parts = Object.entries(payload).filter(([name]) => name !== "body");
  return Object.fromEntries(parts.map(([name, part]) => [name, textOf(part)]));
}

function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textOf);
  if (isJson(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOf(one)]));
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}
