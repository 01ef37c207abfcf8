import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "hono";
import {
  type OperationInfo,
  type OperationKey,
  operations,
} from "../../../generated/operations.ts";
import { type OperationWithResponse, validateResponse } from "../../contract/index.ts";
import { MAX_TIMER_MS } from "../../options.ts";
import { Refusal } from "../../world/refusal.ts";
import { declaresStatus } from "../contract-document.ts";
import type { ApiFault } from "../fault-injector.ts";
import { HeadedRefusal, problemResponse, unauthorized } from "../problems.ts";
import type { Service } from "../service.ts";
import { accountOf } from "./authorization.ts";

/** A served operation; most are operations of the contract. */
export type Operation = Pick<OperationInfo, "method" | "path" | "secured">;

/** A request for an operation. */
export interface OperationRequest {
  readonly context: Context;
  readonly service: Service;
  /** The account of the token; empty if the operation needs no token. */
  readonly accountId: string;
}

/** Carries out an operation. Returns the JSON text of its 200 response, or throws a Refusal. */
export type Respond = (call: OperationRequest) => string | Promise<string>;

/** Caches must not store the responses of an account, or tokens. */
const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** Makes the handler of an operation: faults, authentication, response and its validation. */
export function handlerOf(
  service: Service,
  { method, path, secured }: Operation,
  respond: Respond,
) {
  const { engine, faults } = service;
  const key = `${method} ${path}`;
  const isValidated = engine.settings.validate && Object.hasOwn(operations, key);
  return async (context: Context): Promise<Response> => {
    let body: string;
    try {
      const met = faults.takeApi(context.req.path);
      if (met.length > 0) await injectFaults(met);
      const accountId = secured ? await accountOf(engine, context, "api") : "";
      body = await respond({ context, service, accountId });
    } catch (error) {
      const response = problemResponse(error);
      if (isValidated) checkStatus(service, key as OperationKey, response.status);
      return response;
    }
    const breach = isValidated ? breachOf(service, key as OperationWithResponse, body) : undefined;
    return breach === undefined ? jsonResponse(body) : problemResponse(new Error(breach));
  };
}

/** A response with JSON text. */
export function jsonResponse(body: string): Response {
  return new Response(body, { headers: HEADERS });
}

/** Reports a status that the contract does not declare, once for each operation. */
function checkStatus({ violations }: Service, key: OperationKey, status: number): void {
  const breach = `${key} returned ${status}, which the contract does not declare`;
  if (!declaresStatus(key, status) && !violations.includes(breach)) violations.push(breach);
}

/** Validates a 200 response, and returns how it breaks the contract, which is a bug of ours. */
function breachOf(service: Service, key: OperationWithResponse, body: string): string | undefined {
  const { engine, violations } = service;
  checkStatus(service, key, 200);
  const { networks } = engine.settings;
  // The contract specifies only the bodies of a 200 (ERR-02).
  const { findings } = validateResponse(key, 200, JSON.parse(body), { networks });
  const wrong = findings.find(({ level }) => level !== "notice");
  if (!wrong) return undefined;
  const breach = `${key} breaks ${wrong.requirement} at "${wrong.path}": ${wrong.message}`;
  violations.push(breach);
  return breach;
}

/** Injects the faults of a request: all latencies, then the first error. */
async function injectFaults(faults: readonly ApiFault[]): Promise<void> {
  const delayMs = faults.reduce((sum, fault) => sum + (fault.delayMs ?? 0), 0);
  // The timer must not keep a closed sandbox alive.
  await wait(Math.min(delayMs, MAX_TIMER_MS), undefined, { ref: false });
  for (const fault of faults) {
    const refusal = refusalOf(fault);
    if (refusal) throw refusal;
  }
}

function refusalOf({ kind, retryAfterSeconds = 1 }: ApiFault): Refusal | undefined {
  const detail = "a fault configured at /_sandbox/faults";
  switch (kind) {
    case "401":
      return unauthorized(detail, { error: "invalid_token" });
    case "429": {
      const refusal = new Refusal(429, "Too many requests", detail);
      return new HeadedRefusal(refusal, { "retry-after": String(retryAfterSeconds) });
    }
    case "500":
      return new Refusal(500, "Internal server error", detail);
    case "latency":
      return undefined;
  }
}
