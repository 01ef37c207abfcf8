import { type Context, Hono } from "hono";
import { operations } from "../../../generated/operations.ts";
import { accountFor } from "../../world/accounts.ts";
import { Refusal } from "../../world/refusal.ts";
import { isKind } from "../../world/resources.ts";
import { jsonDocument, yamlDocument } from "../contract-document.ts";
import { methodNotAllowed, problemResponse } from "../problems.ts";
import type { Service } from "../service.ts";
import { keysOf } from "./keys.ts";
import { handlerOf, jsonResponse, type Operation, type Respond } from "./operation.ts";
import { cursorPage, offsetPage } from "./pages.ts";
import { completeByHand, servedBody } from "./resource.ts";
import { exchangeToken } from "./token-endpoint.ts";

/** The keys that verify tokens. The path is our own choice, beside the token endpoint. */
const CERTS = "/auth/realms/:account_id/protocol/openid-connect/certs";

/** The contract's document with the addresses of this sandbox. */
const DOCUMENTS = {
  "/openapi.json": { type: "application/json", textFor: jsonDocument },
  // RFC 9512
  "/openapi.yaml": { type: "application/yaml", textFor: yamlDocument },
};

/** The document is public: viewers and editors of any site may read it. */
const DOCUMENT_HEADERS = { "access-control-allow-origin": "*", "cache-control": "no-store" };

/**
 * The operation that a bank link's self link leads to. The contract does not have it, but links
 * must resolve (CONV-09).
 */
const BANK_LINK: Operation = { method: "GET", path: "/bank-links/{bankLinkId}", secured: true };

/**
 * The interface over HTTP: every operation of the contract. Paths are public, so 404 and 405 for a
 * path come before 401. For the data of an account, 401 comes first.
 */
export function interfaceApp(service: Service): Hono {
  const app = new Hono();
  const refuse = ({ req }: Context) => {
    const taken = ["GET", "POST", "PATCH"].filter((method) => {
      // The handler of the refused path is always among the matches.
      return app.router.match(method, req.path)[0].length > 1;
    });
    if (taken.length > 0) return problemResponse(methodNotAllowed(req.method, taken));
    return problemResponse(new Refusal(404, "Not found", `there is nothing at ${req.path}`));
  };
  for (const operation of [...Object.values(operations), BANK_LINK]) {
    const { method, path } = operation;
    const respond = respondTo(operation);
    if (!respond) continue;
    const serve = handlerOf(service, operation, respond);
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), (context) => {
      // Hono routes HEAD to the handler of GET.
      return context.req.method === method ? serve(context) : refuse(context);
    });
  }
  const { published } = keysOf(service.engine);
  for (const [path, { type, textFor }] of Object.entries(DOCUMENTS)) {
    app.get(path, ({ req }) => {
      const accountId = accountFor(service.engine.store);
      const text = textFor({ origin: new URL(req.url).origin, accountId });
      return new Response(text, { headers: { ...DOCUMENT_HEADERS, "content-type": type } });
    });
  }
  app.get(CERTS, () => jsonResponse(JSON.stringify({ keys: [published] })));
  app.all("*", refuse);
  return app;
}

/** The operations that do not read stored resources. */
const ACTIONS: Readonly<Record<string, Respond>> = {
  "POST /auth/realms/{account_id}/protocol/openid-connect/token": exchangeToken,
  "PATCH /bank-links/{bankLinkId}": completeByHand,
};

/** Whether the sandbox serves an operation. */
export function isServed(operation: Pick<Operation, "method" | "path">): boolean {
  return respondTo(operation) !== undefined;
}

/** The function that carries out an operation; undefined if the sandbox does not serve it. */
function respondTo({ method, path }: Pick<Operation, "method" | "path">): Respond | undefined {
  const kind = path.split("/")[1] ?? "";
  if (method !== "GET" || !isKind(kind)) return ACTIONS[`${method} ${path}`];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const id = names.at(-1);
  if (id === undefined) {
    return (call) => (kind === "cards" ? offsetPage(kind, call) : cursorPage(kind, call));
  }
  const subaccountId = names.length > 1 ? names[0] : undefined;
  return ({ context: { req }, service, accountId }) =>
    servedBody(service.engine.store, {
      kind,
      id: req.param(id) ?? "",
      accountId,
      subaccountId: subaccountId && req.param(subaccountId),
    });
}
