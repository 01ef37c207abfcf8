import { Ajv2020 } from "ajv/dist/2020.js";
import { BROKEN, checkAnswer, checkEvent } from "../../generated/check.js";
import type { EventName } from "../../generated/events.ts";
import { answers, events, type ShapeValidator } from "../../generated/validators.js";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import type { AnsweringOperation } from "../../src/contract/validate.ts";
import { type ContractExample, readDocument, readExamples } from "../document.ts";
import { mutated, randomFrom } from "./mutation.ts";

/** The examples of all that has a validator. */
export const examples = readExamples().filter(({ of }) => of in events || of in answers);

const document = readDocument();
/**
 * AJV on the document as it is: nothing that is generated takes part, and formats are annotations,
 * as JSON Schema 2020-12 has them. The patterns of the document decide.
 */
const ajv = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false });
ajv.addSchema({ $id: "contract", ...document });

function reference(of: string) {
  const event = document.webhooks[of]?.["post"]?.requestBody;
  const [verb = "", path = ""] = of.split(" ");
  const answer = document.paths[path]?.[verb.toLowerCase()]?.responses["200"];
  const $ref = (event ?? answer)?.content?.["application/json"]?.schema.$ref ?? "";
  const validate = ajv.getSchema(`contract${$ref}`);
  if (!validate) throw new Error(`no schema of ${of}`);
  return validate;
}

/** Whether a payload is valid, by each of the three. */
export interface Verdicts {
  readonly check: boolean;
  readonly validator: boolean;
  readonly ajv: boolean;
}

export function verdicts(of: string, body: unknown): Verdicts {
  const isEvent = of in events;
  const check = isEvent
    ? checkEvent(of as EventName, body, DEFAULT_NETWORKS)
    : checkAnswer(of as AnsweringOperation, body, DEFAULT_NETWORKS);
  const validator = (
    isEvent ? events[of as EventName] : answers[of as AnsweringOperation][200]
  ) as ShapeValidator<unknown>;
  return {
    check: check !== BROKEN,
    validator: validator(body),
    ajv: reference(of)(body) as boolean,
  };
}

export interface Agreement {
  readonly valid: number;
  readonly invalid: number;
  /** What the three do not agree on. */
  readonly disagreements: readonly (Verdicts & { readonly of: string; readonly body: unknown })[];
}

/** Compares the verdicts on so many mutations of the examples, which a seed decides. */
export function compare(mutations: number, seed = mutations): Agreement {
  const random = randomFrom(seed);
  const disagreements: Agreement["disagreements"][number][] = [];
  let valid = 0;
  for (let i = 0; i < mutations; i++) {
    const { of, value } = examples[i % examples.length] as ContractExample;
    const body = mutated(value, random);
    const said = verdicts(of, body);
    if (said.ajv) valid += 1;
    if (said.check !== said.ajv || said.validator !== said.ajv) {
      disagreements.push({ of, body, ...said });
    }
  }
  return { valid, invalid: mutations - valid, disagreements };
}
