import { completeBankLink } from "../enrollment/bank-links.ts";
import type { Call } from "./operation.ts";
import { jsonObjectOf } from "./request-body.ts";
import { servedBody } from "./resource.ts";

/**
 * Completes a bank link by hand (EP-07), and returns it. The body is not specified: any JSON object
 * or no body is accepted. A second call has no effect and the same response.
 *
 * @throws {Refusal} 404 for an unknown link; 400, 413 or 415 if the body is not a JSON object
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
