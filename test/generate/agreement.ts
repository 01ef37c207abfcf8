import { Ajv2020 } from "ajv/dist/2020.js";
import type { EventName } from "../../generated/events.ts";
import {
  events,
  INVALID,
  responses,
  type ShapeValidator,
  shapeOf,
} from "../../generated/validators.js";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import { type ContractExample, readDocument, readExamples } from "../document.ts";
import { randomFrom } from "../support/random.ts";
import { mutated } from "./mutation.ts";

/** The examples of every event and response with a validator. */
export const examples = readExamples().filter(({ of }) => of in events || of in responses);

const document = readDocument();
/**
 * AJV on the document, without generated code. Formats are annotations, as in JSON Schema 2020-12;
 * the patterns of the document decide.
 */
const ajv = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false });
ajv.addSchema({ $id: "contract", ...document });

function reference(of: string) {
  const event = document.webhooks[of]?.["post"]?.requestBody;
  const [verb = "", path = ""] = of.split(" ");
  const response = document.paths[path]?.[verb.toLowerCase()]?.responses["200"];
  const $ref = (event ?? response)?.content?.["application/json"]?.schema.$ref ?? "";
  const validate = ajv.getSchema(`contract${$ref}`);
  if (!validate) throw new Error(`no schema of ${of}`);
  return validate;
}

/** Whether a payload is valid for our validator and for AJV on the document. */
export interface Verdicts {
  readonly validator: boolean;
  readonly ajv: boolean;
}

export function verdicts(of: string, body: unknown): Verdicts {
  const validator = (
    of in events ? events[of as EventName] : responses[of as OperationWithResponse][200]
  ) as ShapeValidator<unknown>;
  return {
    validator: shapeOf(validator, body, DEFAULT_NETWORKS) !== INVALID,
    ajv: reference(of)(body) as boolean,
  };
}

export interface Agreement {
  readonly valid: number;
  readonly invalid: number;
  /** The payloads with different verdicts. */
  readonly disagreements: readonly (Verdicts & { readonly of: string; readonly body: unknown })[];
}

/** Compares the verdicts on random mutations of the examples. The seed makes them repeatable. */
export function compare(mutations: number, seed = mutations): Agreement {
  const random = randomFrom(seed);
  const disagreements: Agreement["disagreements"][number][] = [];
  let valid = 0;
  for (let i = 0; i < mutations; i++) {
    const { of, value } = examples[i % examples.length] as ContractExample;
    const body = mutated(value, random);
    const found = verdicts(of, body);
    if (found.ajv) valid += 1;
    if (found.validator !== found.ajv) disagreements.push({ of, body, ...found });
  }
  return { valid, invalid: mutations - valid, disagreements };
}
