import { Hono } from "hono";
import { type OperationKey, operations } from "../../../generated/operations.ts";
import { Refusal } from "../refusal.ts";
import type { Service } from "../service.ts";
import type { Kind } from "../store/resources.ts";
import { type CompleteBankLink, completeByHand } from "./bank-link-completion.ts";
import { keysOf } from "./keys.ts";
import { type Call, handlerOf, jsonAnswer, type Respond } from "./operation.ts";
import { cursorPage, offsetPage } from "./pages.ts";
import { methodNotAllowed, problemAnswer } from "./problems.ts";
import { servedBody } from "./resource.ts";
import { exchangeToken } from "./token-endpoint.ts";

/** Where the keys are that tokens are verified with; of our own choice, beside the token endpoint. */
const CERTS = "/auth/realms/:account_id/protocol/openid-connect/certs";

/** To be `completeBankLink` of `../enrollment/bank-links.ts`, once that is there. */
const notBuilt: CompleteBankLink = () => {
  throw new Error("not built yet");
};

/**
 * The interface over HTTP: every operation of the contract. What is at a path is no secret, so 404
 * and 405 for the path itself come before 401; for all that is an account's, 401 comes first.
 */
export function interfaceApp(service: Service, complete: CompleteBankLink = notBuilt): Hono {
  const app = new Hono();
  for (const key of Object.keys(operations) as OperationKey[]) {
    const { method, path } = operations[key];
    const route = path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(method, route, handlerOf(service, key, respondTo(key, complete)));
  }
  const { published } = keysOf(service.engine);
  app.get(CERTS, () => jsonAnswer(JSON.stringify({ keys: [published] })));
  app.all("*", ({ req }) => {
    const taken = ["GET", "POST", "PATCH"].filter((method) => {
      // This very handler is always among those that fit.
      return app.router.match(method, req.path)[0].length > 1;
    });
    if (taken.length > 0) return problemAnswer(methodNotAllowed(req.method, taken));
    return problemAnswer(new Refusal(404, "Not found", `there is nothing at ${req.path}`));
  });
  return app;
}

/** What carries an operation out. */
function respondTo(key: OperationKey, complete: CompleteBankLink): Respond {
  const { method, path } = operations[key];
  if (method === "POST") return exchangeToken;
  if (method === "PATCH") return (call) => completeByHand(call, complete);
  const kind = path.split("/")[1] as Kind;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const id = names.at(-1);
  if (id === undefined) {
    return (call) => (kind === "cards" ? offsetPage(kind, call) : cursorPage(kind, call));
  }
  const subaccountId = names.length > 1 ? names[0] : undefined;
  return ({ context: { req }, service, accountId }: Call) =>
    servedBody(service.engine.store, {
      kind,
      id: req.param(id) ?? "",
      accountId,
      subaccountId: subaccountId && req.param(subaccountId),
    });
}
