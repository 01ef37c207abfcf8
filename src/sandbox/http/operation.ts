import type { Context } from "hono";
import { type OperationInfo, operations } from "../../../generated/operations.ts";
import { type AnsweringOperation, validateResponse } from "../../contract/index.ts";
import type { Service } from "../service.ts";
import { meetFaults } from "./api-faults.ts";
import { accountOf } from "./authorization.ts";
import { problemAnswer } from "./problems.ts";

/** What is served: mostly an operation of the contract, which tells the same of it. */
export type Operation = Pick<OperationInfo, "method" | "path" | "secured">;

/** A request of an operation. */
export interface Call {
  readonly context: Context;
  readonly service: Service;
  /** Whose token came with it; empty where the operation takes none. */
  readonly accountId: string;
}

/** Carries an operation out. Gives the JSON text of its 200, or throws a Refusal. */
export type Respond = (call: Call) => string | Promise<string>;

/** Nobody is to keep what was answered to one account, let alone a token. */
const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** Makes an operation's handler: faults, authentication, the answer, and what is wrong with it. */
export function handlerOf(
  service: Service,
  { method, path, secured }: Operation,
  respond: Respond,
) {
  const { engine, faults } = service;
  const key = `${method} ${path}`;
  const isHeld = engine.settings.validate && Object.hasOwn(operations, key);
  return async (context: Context): Promise<Response> => {
    try {
      const met = faults.takeApi(context.req.path);
      if (met.length > 0) await meetFaults(met);
      const accountId = secured ? await accountOf(engine, context, "api") : "";
      const body = await respond({ context, service, accountId });
      if (isHeld) hold(service, key as AnsweringOperation, body);
      return jsonAnswer(body);
    } catch (error) {
      return problemAnswer(error);
    }
  };
}

/** An answer of JSON text. */
export function jsonAnswer(body: string): Response {
  return new Response(body, { headers: HEADERS });
}

/** Holds an answer against the contract. Throws where it breaks it, which is a fault of ours. */
function hold({ engine, violations }: Service, key: AnsweringOperation, body: string): void {
  const { networks } = engine.settings;
  // What the contract leaves open of an answer passes, whatever it is (ERR-02).
  const { findings } = validateResponse(key, 200, JSON.parse(body), { networks });
  const wrong = findings.find(({ level }) => level !== "notice");
  if (!wrong) return;
  const breach = `${key} breaks ${wrong.requirement} at '${wrong.path}': ${wrong.message}`;
  violations.push(breach);
  throw new Error(breach);
}
