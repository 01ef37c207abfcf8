import { completeBankLink } from "../enrollment/bank-links.ts";
import { badRequest } from "../refusal.ts";
import type { Call } from "./operation.ts";
import { textOf } from "./request-body.ts";
import { servedBody } from "./resource.ts";

/**
 * Completes a bank link by hand (EP-07), and answers it. What the body says is not specified, so
 * any JSON object will do, or nothing. A
 * second time changes nothing, and answers the same.
 *
 * @throws a Refusal 404 as for any resource, or 400, 413 or 415 for what is no JSON object
 */
export async function completeByHand({ context, service, accountId }: Call): Promise<string> {
  readObject(await textOf(context, "application/json"));
  const id = context.req.param("bankLinkId") ?? "";
  const wanted = { kind: "bank-links", id, accountId, subaccountId: undefined } as const;
  return service.engine.commit((ledger) => {
    servedBody(ledger.store, wanted);
    completeBankLink(ledger, id);
    return servedBody(ledger.store, wanted);
  });
}

function readObject(text: string): void {
  if (text === "") return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("the body is no JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("the body is no JSON object");
  }
}
