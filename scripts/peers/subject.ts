import { readFileSync } from "node:fs";
import { type Mutant, startMutant } from "../../mutation/mutant.ts";
import type { Mutation } from "../../mutation/mutation.ts";
import { playScripts } from "../../mutation/random-scripts.ts";
import { valueAt } from "../../src/contract/pointer.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";

/** What a tool is pointed at, with all that its users would give it. */
export interface Subject {
  readonly baseUrl: string;
  /** An access token of the account. */
  readonly token: string;
  readonly credentials: { accountId: string; clientId: string; clientSecret: string };
  /** The contract, with resources of the account as the examples of paths. */
  readonly document: OpenApi;
}

/** As much of an OpenAPI document as is looked at here. */
export interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

export interface Operation {
  operationId: string;
  parameters?: { name?: string; in?: string; example?: unknown; $ref?: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

const DOCUMENT = new URL("../../generated/openapi.json", import.meta.url);

/** Random scripts that are played first, so that faults inside the sandbox leave their trace. */
const SCRIPTS = { count: 3, seed: 1 };

/** Has a tool look at a sandbox that may have a fault. */
export async function withSubject<T>(
  fault: Mutation | undefined,
  look: (subject: Subject, faulty: Mutant) => Promise<T>,
): Promise<T> {
  await using sandbox = await createSandbox({ world: fault?.world ?? "small" });
  await using faulty = await startMutant(sandbox, fault);
  await playScripts(sandbox, SCRIPTS);
  const { result } = await sandbox.trigger("link-start");
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const credentials = { accountId, clientId, clientSecret };
  // Of the sandbox itself: a fault may be in the exchange.
  const token = await tokenOf(sandbox.baseUrl, credentials);
  const { baseUrl } = faulty;
  const ids = await idsOf(sandbox, accountId, result.bankLinkId);
  const document = documentFor(baseUrl, credentials, ids);
  return await look({ baseUrl, token, credentials, document }, faulty);
}

async function tokenOf(baseUrl: string, credentials: Subject["credentials"]): Promise<string> {
  const { accountId } = credentials;
  const url = `${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`;
  const answer = await fetch(url, {
    method: "POST",
    body: new URLSearchParams(formOf(credentials)),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

function formOf({ clientId, clientSecret }: Subject["credentials"]): Record<string, string> {
  return { client_id: clientId, client_secret: clientSecret, grant_type: "client_credentials" };
}

type Ids = Readonly<Record<string, readonly string[]>>;

/** The parameters of each path: those of the first resource of its kind. */
async function idsOf(sandbox: Sandbox, accountId: string, bankLinkId: string): Promise<Ids> {
  const first = async (kind: Parameters<Sandbox["resources"]>[0]) => {
    const [resource] = await sandbox.resources(kind, { accountId, limit: 1 });
    if (!resource) throw new Error(`the world has no ${kind}`);
    return resource;
  };
  const both = async (kind: "bank-transactions" | "transaction-matches") => {
    const { body } = await first(kind);
    return String(valueAt(body, ["_links", "self", "href"]))
      .split("/")
      .slice(2);
  };
  return {
    "/auth/realms/{account_id}/protocol/openid-connect/token": [accountId],
    "/subaccounts/{id}": [(await first("subaccounts")).id],
    "/cards/{id}": [(await first("cards")).id],
    "/card-subscriptions/{id}": [(await first("card-subscriptions")).id],
    "/network-bulk-feeds/{id}": [(await first("network-bulk-feeds")).id],
    "/transactions/{transactionId}": [(await first("transactions")).id],
    "/transaction-messages/{id}": [(await first("transaction-messages")).id],
    "/bank-links/{bankLinkId}": [bankLinkId],
    "/bank-accounts/{id}": [(await first("bank-accounts")).id],
    "/bank-transactions/{subaccountId}/{id}": await both("bank-transactions"),
    "/transaction-matches/{subaccountId}/{matchId}": await both("transaction-matches"),
  };
}

function documentFor(baseUrl: string, credentials: Subject["credentials"], ids: Ids): OpenApi {
  const document: OpenApi = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  document.servers = [{ url: baseUrl }];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      for (const [at, parameter] of inPath.entries()) parameter.example = ids[path]?.[at];
      const form = requestBody?.content["application/x-www-form-urlencoded"];
      if (form) form.example = formOf(credentials);
    }
  }
  return document;
}
