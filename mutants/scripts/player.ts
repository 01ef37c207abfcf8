import { createServer } from "node:http";
import { play } from "../../mutation/random-scripts.ts";
import { listen } from "../../src/listen.ts";
import type { VerbName, VerbParams } from "../../src/sandbox/control/types.ts";
import { createSandbox, Refusal, type Sandbox, type WorldName } from "../../src/sandbox/index.ts";
import {
  type CallResult,
  type ReadyCall,
  readyCalls,
  type ScriptCall,
} from "../../src/world/script.ts";
import type { Step } from "../../test/sandbox/verb-scripts.ts";

/** A fixed sequence of steps, and of requests that no step can express. */
export interface Script {
  readonly name: string;
  readonly world: WorldName;
  /** Calls that refer to one another. */
  readonly calls?: readonly ScriptCall[];
  readonly steps?: readonly Step[];
  readonly probe?: (player: Player) => Promise<void>;
}

/** The lines of a script: each response and each delivery, in order. */
export type Trace = readonly string[];

/** The first line at which a trace differs; undefined for a line that only one of them has. */
export class Divergence extends Error {
  readonly expected: string | undefined;
  readonly actual: string | undefined;

  constructor(expected: string | undefined, actual: string | undefined) {
    super("the trace differs");
    this.expected = expected;
    this.actual = actual;
  }
}

/** The paths of the lists. */
export const LISTS = [
  ...["subaccounts", "cards", "transactions", "bank-links"],
  ...["bank-accounts", "bank-transactions", "transaction-matches"],
];

/** The lists that a step reads after an event whose name starts so. The end reads all lists. */
const CHANGING = {
  "transaction.": "transactions",
  "banktransaction.": "bank-transactions",
  "transaction.match.": "transaction-matches",
};

/** A delivery that a script received. */
interface Delivered {
  /** The header `webhook-id`. */
  readonly id: string;
  /** The path of its endpoint: `/` unless a script adds others. */
  readonly path: string;
  readonly event: string;
  readonly text: string;
}

/**
 * Plays a script on a new sandbox with a seed and a frozen clock.
 *
 * @param expected The trace of an earlier run. The script ends at the first other line.
 * @throws {Divergence} at that line; any other error means that the sandbox did not start
 */
export async function playScript(script: Script, expected?: Trace): Promise<Trace> {
  const deliveries: Delivered[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { "webhook-id": id, "webhook-event-type": event, "content-type": type } = request.headers;
    const path = request.url ?? "";
    deliveries.push({ id: String(id), path, event: String(event), text: `${type} ${text}` });
    response.end();
  });
  const url = await listen(server, { host: "127.0.0.1", port: 0 });
  try {
    const options = { world: script.world, clock: "frozen", seed: 7 } as const;
    await using sandbox = await createSandbox({ ...options, webhooks: [{ url }] });
    const player = new Player(sandbox, url, deliveries, expected);
    await player.look();
    await player.playCalls(script.calls ?? []);
    for (const step of script.steps ?? []) await player.play(step);
    await script.probe?.(player);
    await player.lookAtAll();
    return player.end();
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const OPAQUE = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|cursor=[\w-]{20,}/g;

/** Plays the steps of a script, and records what an integrator sees. */
export class Player {
  readonly sandbox: Sandbox;
  /** Where deliveries are recorded, with their path. */
  readonly url: string;
  readonly #deliveries: Delivered[];
  readonly #expected: Trace | undefined;
  readonly #trace: string[] = [];
  /** The numbers of ids and cursors. */
  readonly #numbers = new Map<string, string>();

  constructor(sandbox: Sandbox, url: string, deliveries: Delivered[], expected?: Trace) {
    this.sandbox = sandbox;
    this.url = url;
    this.#deliveries = deliveries;
    this.#expected = expected;
  }

  async play(step: Step): Promise<void> {
    await play(this.sandbox, step);
    await this.look();
  }

  /** Plays calls up to one that is refused. */
  async playCalls(calls: readonly ScriptCall[]): Promise<void> {
    const ready = readyCalls(calls, new Map(), this.sandbox.networks);
    try {
      for (let turn = ready.next(); !turn.done; ) {
        const result = await this.#carryOut(turn.value);
        await this.look();
        turn = ready.next(result);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#record(`refused: ${error.message}`);
    }
  }

  async #carryOut(call: ReadyCall): Promise<CallResult> {
    if ("verb" in call) {
      return (await this.sandbox.trigger(call.verb, call.params)) as CallResult;
    }
    await this.sandbox.advance(call.advance);
    return { result: {}, events: [] };
  }

  /** Triggers a verb with the sandbox's own choice of resources. */
  async trigger<Name extends VerbName>(verb: Name, params?: VerbParams[Name]): Promise<void> {
    await this.play({ verb, params: params ?? {} });
  }

  /** Records the deliveries, and the lists that they change. */
  async look(): Promise<void> {
    await this.sandbox.settle();
    const deliveries = await this.#inOrder(this.#deliveries.splice(0));
    for (const { event, path, text } of deliveries) {
      this.#record(`delivery ${event}${path === "/" ? "" : ` to ${path}`} ${text}`);
    }
    for (const [start, list] of Object.entries(CHANGING)) {
      if (!deliveries.some(({ event }) => event.startsWith(start))) continue;
      await this.get(`/${list}?limit=100`, await this.token());
    }
  }

  /**
   * Deliveries arrive in order only about the same resource and at the same endpoint. This makes
   * one order of all: by endpoint, then by the first event of each resource.
   */
  async #inOrder(deliveries: readonly Delivered[]): Promise<Delivered[]> {
    if (deliveries.length === 0) return [];
    const known = await this.sandbox.deliveries({ limit: 500 }).catch(() => []);
    const events = new Map(known.map(({ id, event }) => [id, event]));
    const lanes = Map.groupBy(deliveries, ({ id, path }) => `${path} ${events.get(id)?.resource}`);
    return [...lanes.values()]
      .map((lane) => ({ lane, first: Math.min(...lane.map(({ id }) => events.get(id)?.seq ?? 0)) }))
      .toSorted((one, other) => one.first - other.first)
      .flatMap(({ lane }) => lane)
      .toSorted((one, other) => one.path.localeCompare(other.path));
  }

  /** Records every list of both accounts, and every resource that a link leads to. */
  async lookAtAll(): Promise<void> {
    for (const account of this.sandbox.accounts) {
      const token = await this.token(account);
      // A set visits what is added to it.
      const paths = new Set(LISTS.map((list) => `/${list}?limit=${list === "cards" ? 3 : 100}`));
      for (const path of paths) {
        for (const href of linksIn(await this.get(path, token))) paths.add(href);
      }
    }
  }

  /** A new access token; empty if there is none. */
  async token(account = this.sandbox.accounts[0]): Promise<string> {
    const { accountId, clientId: client_id, clientSecret: client_secret } = account;
    const form = { client_id, client_secret, grant_type: "client_credentials" };
    return parsed(await this.exchange(accountId, form)).access_token ?? "";
  }

  /** Requests a token with any form; returns the body of a 200. */
  exchange(accountId: string, form: Record<string, string>): Promise<string> {
    return this.request("POST", `/auth/realms/${accountId}/protocol/openid-connect/token`, {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
  }

  /** @param token empty for a request without Authorization */
  get(path: string, token: string): Promise<string> {
    const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
    return this.request("GET", path, { headers });
  }

  /** Sends a request, and records the response. Returns the body of a 200, otherwise "". */
  async request(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<string> {
    const response = await fetch(this.sandbox.baseUrl + path, { method, ...init });
    const text = await response.text();
    // The body of an error is open.
    const type = response.headers.get("content-type");
    const shown = response.ok ? ` ${type} ${withoutSignature(text)}` : "";
    this.#record(`${method} ${path}: ${response.status}${shown}`);
    return response.ok ? text : "";
  }

  end(): Trace {
    const next = this.#expected?.[this.#trace.length];
    if (next !== undefined) throw new Divergence(next, undefined);
    return this.#trace;
  }

  #record(text: string): void {
    // Ids and cursors are opaque, and each sandbox seals its cursors with its own key.
    const line = text.replace(OPAQUE, (found) => {
      const number = this.#numbers.get(found) ?? `<${this.#numbers.size + 1}>`;
      this.#numbers.set(found, number);
      return number;
    });
    const at = this.#trace.push(line) - 1;
    if (this.#expected && this.#expected[at] !== line) {
      throw new Divergence(this.#expected[at], line);
    }
  }
}

/** The body of a 200; of another response, an empty object. */
// biome-ignore lint/suspicious/noExplicitAny: each path returns different JSON
export function parsed(text: string): any {
  return JSON.parse(text || "{}");
}

export function linksIn(text: string): string[] {
  return [...text.matchAll(/"href":"(\/[^"]*)"/g)].map(([, href = ""]) => href);
}

/** Decodes the tokens in a text, without what differs each time: signature and id of the key. */
function withoutSignature(text: string): string {
  return text.replace(/"([\w-]+)\.([\w-]+)\.[\w-]+"/g, (_all, ...parts: string[]) => {
    const [head, claims] = parts
      .slice(0, 2)
      .map((part) => Buffer.from(part, "base64url").toString());
    return `${head?.replace(/,"kid":"[^"]*"/, "")}.${claims}`;
  });
}
