import { onTestFinished } from "vitest";
import { type OperationKey, operations } from "../../generated/operations.ts";
import { responseExamples } from "../../generated/response-examples.ts";
import { createFeedClient, type FeedClient } from "../../src/client/index.ts";
import { sandboxApp } from "../../src/sandbox/app.ts";
import { createControlClient } from "../../src/sandbox/control/client.ts";
import type { Control, SandboxAccount } from "../../src/sandbox/control/control.ts";
import type { Engine } from "../../src/sandbox/engine.ts";
import { createHttpServer } from "../../src/sandbox/http/http-server.ts";
import type { ServiceParts } from "../../src/sandbox/service.ts";
import type { Kind } from "../../src/world/resources.ts";
import { startServer } from "../support/local-server.ts";
import { uuid } from "../support/payloads.ts";
import { type RawRequest, type RawResponse, sendRaw } from "../support/raw-request.ts";
import { startSandbox, type TestSandboxOptions } from "./test-sandbox.ts";

/** The request, except for method and path. */
export type Sent = Pick<RawRequest, "headers" | "body">;

/** A resource that a test adds to the store. */
interface Row {
  readonly account?: SandboxAccount;
  readonly subaccountId?: string;
  readonly listed?: boolean;
}

/** The interface and the control API on a real server, and their state. */
export interface TestServer {
  readonly engine: Engine;
  readonly service: ServiceParts;
  readonly accounts: readonly [SandboxAccount, SandboxAccount];
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly port: number;
  /** The control, in process and over HTTP. */
  readonly local: Control;
  readonly remote: Control;
  /** Sends a request unchanged. */
  send(method: string, path: string, sent?: Sent): Promise<RawResponse>;
  /** Sends JSON to a path below `/_sandbox`. */
  sendJson(method: string, path: string, body: unknown): Promise<RawResponse>;
  /** Sends a request with an account's token. Default: the first account. */
  ask(method: string, path: string, sent?: Sent, account?: SandboxAccount): Promise<RawResponse>;
  /** Exchanges an account's API or SDK credentials for a token. */
  token(account?: SandboxAccount, scope?: "api" | "sdk"): Promise<string>;
  /** Our client with response validation. */
  feed(account?: SandboxAccount): FeedClient;
  /** Adds a resource to the store and returns its id. */
  put(kind: Kind, row?: Row): string;
  /** The whole state, with faults, snapshots and clock, to detect changes. */
  dump(): string;
  /** Closes it before the test ends. */
  close(): Promise<void>;
}

export const UNKNOWN_ID = "00000000-0000-4000-8000-00000000dead";

/** Every operation that requires a token. */
export const securedOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key) => operations[key].secured,
);

/** Every list by its kind. */
export const LISTS = (Object.keys(operations) as OperationKey[])
  .filter((key) => key.startsWith("GET") && !key.includes("{"))
  .map((key) => operations[key].path.slice(1) as Kind);

/** The name of a page's items (PAGE-10). */
export function camelCase(kind: Kind): string {
  return kind.replace(/-(\w)/, (_, letter) => letter.toUpperCase());
}

export function idsOf(items: readonly { id: string }[]): string[] {
  return items.map(({ id }) => id);
}

/** Starts a service with an empty world and a frozen clock. It closes with the test. */
export async function startTestServer(options: TestSandboxOptions = {}): Promise<TestServer> {
  const sandbox = startSandbox(options);
  const { engine, service, control: local } = sandbox;
  const server = createHttpServer(sandboxApp(service));
  const { origin: baseUrl, close: closeServer } = await startServer(server);
  const close = async () => {
    await closeServer();
    await sandbox.close();
  };
  onTestFinished(close);
  const port = Number(new URL(baseUrl).port);
  const controlUrl = `${baseUrl}/_sandbox`;
  const accounts = engine.store.accounts() as unknown as TestServer["accounts"];
  const [first] = accounts;

  const send = (method: string, path: string, sent: Sent = {}) =>
    sendRaw(port, { method, path, ...sent });
  const token = async (account = first, scope: "api" | "sdk" = "api") => {
    const isApi = scope === "api";
    const { json } = await send("POST", tokenPath(account.accountId), {
      headers: FORM,
      body: formOf({
        client_id: isApi ? account.clientId : account.sdkClientId,
        client_secret: isApi ? account.clientSecret : account.sdkClientSecret,
      }),
    });
    return json.access_token as string;
  };
  let made = 0;
  return {
    ...{ engine, service, accounts, baseUrl, controlUrl, port, local, send, token, close },
    remote: createControlClient(controlUrl),
    sendJson: (method, path, body) =>
      send(method, `/_sandbox${path}`, { headers: AS_JSON, body: JSON.stringify(body) }),
    ask: async (method, path, sent = {}, account = first) => {
      const headers = { authorization: `Bearer ${await token(account)}`, ...sent.headers };
      return send(method, path, { ...sent, headers });
    },
    feed: (account = first) =>
      createFeedClient({ baseUrl, ...account, retries: 0, validate: "throw" }),
    put: (kind, { account = first, subaccountId = UNKNOWN_ID, listed = true } = {}) => {
      made += 1;
      const id = uuid(made);
      engine.commit((work) => {
        const resource = work.insert({
          ...{ kind, id, accountId: account.accountId, subaccountId, parent: "" },
          ...{ body: bodyOf(kind, id), internal: {} as never },
        });
        if (!listed) work.store.update({ ...resource, listed });
      });
      return id;
    },
    dump: () => {
      const names = engine.store.sql("SELECT name FROM sqlite_schema").all();
      return JSON.stringify([
        ...[sandbox.dump(), names, service.faults.read(), engine.clock.state],
      ]);
    },
  };
}

export const AS_JSON = { "content-type": "application/json" };
export const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Creates a purchase, its bank posting and pending work in an empty world. */
export async function playALittle(control: Control): Promise<void> {
  for (const verb of ["open-subaccount", "enroll", "sca-pass", "link-complete"] as const) {
    await control.trigger(verb);
  }
  await control.advance("1m");
  await control.trigger("purchase", { amount: 12.5 });
}

/** The path of an account's token endpoint. */
export function tokenPath(accountId: string): string {
  return `/auth/realms/${accountId}/protocol/openid-connect/token`;
}

/** A form with the supported grant type. */
export function formOf(fields: Record<string, string>): string {
  return new URLSearchParams({ grant_type: "client_credentials", ...fields }).toString();
}

/** An operation's path with unknown ids. */
export function pathOfNothing(key: OperationKey): string {
  return operations[key].path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
}

/** The path of one resource. */
export function pathOf(kind: Kind, id: string, subaccountId = UNKNOWN_ID): string {
  const isNested = kind === "bank-transactions" || kind === "transaction-matches";
  return isNested ? `/${kind}/${subaccountId}/${id}` : `/${kind}/${id}`;
}

/** The contract's example of a resource kind, with another id. */
function bodyOf(kind: Kind, id: string) {
  const key = (Object.keys(operations) as OperationKey[]).find((known) => {
    return known.startsWith(`GET /${kind}/{`);
  });
  if (kind === "bank-links") return { id, _links: { self: { href: `/bank-links/${id}` } } };
  if (!key) throw new Error(`no operation gives one of ${kind}`);
  const { body } = responseExamples[key][0];
  const own = (body as { id: string }).id;
  return JSON.parse(JSON.stringify(body).replaceAll(own, id));
}
