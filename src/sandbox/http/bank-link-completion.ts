import { completeBankLink } from "../enrollment/bank-links.ts";
import type { Call } from "./operation.ts";
import { jsonObjectOf } from "./request-body.ts";
import { servedBody } from "./resource.ts";

/**
 * Completes a bank link by hand (EP-07), and answers it. What the body says is not specified, so
 * any JSON object will do, or nothing. A second time changes nothing, and answers the same.
 *
 * @throws a Refusal 404 as for any resource, or 400, 413 or 415 for what is no JSON object
 */
export async function completeByHand({ context, service, accountId }: Call): Promise<string> {
  await jsonObjectOf(context);
  const id = context.req.param("bankLinkId") ?? "";
  const wanted = { kind: "bank-links", id, accountId, subaccountId: undefined } as const;
  return service.engine.commit((work) => {
    servedBody(work.store, wanted);
    completeBankLink(work, id);
    return servedBody(work.store, wanted);
  });
}
