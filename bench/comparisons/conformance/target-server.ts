import { readFileSync } from "node:fs";
import { startMutant } from "../../../mutation/mutant.ts";
import type { Mutation } from "../../../mutation/mutation.ts";
import { playScripts } from "../../../mutation/random-scripts.ts";
import { valueAt } from "../../../src/contract/pointer.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";

/** The server that a tool tests, with everything its users would give the tool. */
export interface Target {
  readonly baseUrl: string;
  /** An access token of the account. */
  readonly token: string;
  readonly credentials: { accountId: string; clientId: string; clientSecret: string };
  /** The OpenAPI document, with ids of the account's resources as path examples. */
  readonly document: OpenApi;
}

/** The parts of an OpenAPI document that the tools' configurations use. */
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

const DOCUMENT = new URL("../../../generated/openapi.json", import.meta.url);

/** Random scripts that run first, so that mutations inside the sandbox take effect. */
const SCRIPTS = { count: 3, seed: 1 };

/** Starts a sandbox with a mutation, or unmodified, and passes it to `use`. */
export async function withTarget<T>(
  mutation: Mutation | undefined,
  use: (target: Target) => Promise<T>,
): Promise<T> {
  await using sandbox = await createSandbox({ world: mutation?.world ?? "small" });
  await using mutant = await startMutant(sandbox, mutation);
  await playScripts(sandbox, SCRIPTS);
  const { result } = await sandbox.trigger("link-start");
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const credentials = { accountId, clientId, clientSecret };
  // Ask the sandbox itself, because a mutation may affect the token endpoint.
  const token = await fetchToken(sandbox.baseUrl, credentials);
  const { baseUrl } = mutant;
  const ids = await pathIds(sandbox, accountId, result.bankLinkId);
  const document = documentFor(baseUrl, credentials, ids);
  return await use({ baseUrl, token, credentials, document });
}

async function fetchToken(baseUrl: string, credentials: Target["credentials"]): Promise<string> {
  const { accountId } = credentials;
  const url = `${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`;
  const body = new URLSearchParams(tokenForm(credentials));
  const response = await fetch(url, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** The form fields of a token request (AUTH-01). */
export function tokenForm({ clientId, clientSecret }: Target["credentials"]) {
  return { client_id: clientId, client_secret: clientSecret, grant_type: "client_credentials" };
}

type Ids = Readonly<Record<string, readonly string[]>>;

/** Returns the path parameters of each path: the ids of the first resource of its kind. */
async function pathIds(sandbox: Sandbox, accountId: string, bankLinkId: string): Promise<Ids> {
  const first = async (kind: Parameters<Sandbox["resources"]>[0]) => {
    const [resource] = await sandbox.resources(kind, { accountId, limit: 1 });
    if (!resource) throw new Error(`the sandbox has no ${kind}`);
    return resource;
  };
  const bothIds = async (kind: "bank-transactions" | "transaction-matches") => {
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
    "/bank-transactions/{subaccountId}/{id}": await bothIds("bank-transactions"),
    "/transaction-matches/{subaccountId}/{matchId}": await bothIds("transaction-matches"),
  };
}

function documentFor(baseUrl: string, credentials: Target["credentials"], ids: Ids): OpenApi {
  const document: OpenApi = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  document.servers = [{ url: baseUrl }];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      for (const [index, parameter] of inPath.entries()) parameter.example = ids[path]?.[index];
      const form = requestBody?.content["application/x-www-form-urlencoded"];
      if (form) form.example = tokenForm(credentials);
    }
  }
  return document;
}
