import type { Context, Handler } from "hono";
import type { OperationKey } from "../../../generated/operations.ts";
import { operations } from "../../../generated/operations.ts";
import { type AnsweringOperation, validateResponse } from "../../contract/index.ts";
import type { Service } from "../service.ts";
import { meetFaults } from "./api-faults.ts";
import { accountOf } from "./authorization.ts";
import { methodNotAllowed, problemAnswer } from "./problems.ts";

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
export function handlerOf(service: Service, key: OperationKey, respond: Respond): Handler {
  const { method, secured } = operations[key];
  return async (context) => {
    try {
      // Hono gives a HEAD to what answers GET.
      if (context.req.method !== method) throw methodNotAllowed(context.req.method, [method]);
      const faults = service.faults.takeApi(context.req.path);
      if (faults.length > 0) await meetFaults(faults);
      const accountId = secured ? await accountOf(service.engine, context) : "";
      const body = await respond({ context, service, accountId });
      if (service.engine.settings.validate) hold(service, key, body);
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
function hold({ engine, violations }: Service, key: OperationKey, body: string): void {
  const { networks } = engine.settings;
  // What an operation answers that is open passes, whatever it is (ERR-02).
  const operation = key as AnsweringOperation;
  const { findings } = validateResponse(operation, 200, JSON.parse(body), { networks });
  const wrong = findings.find(({ level }) => level !== "notice");
  if (!wrong) return;
  const breach = `${key} breaks ${wrong.requirement} at '${wrong.path}': ${wrong.message}`;
  violations.push(breach);
  throw new Error(breach);
}
