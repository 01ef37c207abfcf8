import { createServer, type Server } from "node:http";
import type { VerbName, VerbParams, VerbResults } from "../../generated/control-types.ts";
import { listen } from "../../src/listen.ts";
import { createSandbox, type Sandbox, type WorldName } from "../../src/sandbox/index.ts";

/** A fixed sequence of verbs and requests. */
export interface Script {
  readonly name: string;
  readonly world: WorldName;
  readonly play: (player: Player) => Promise<void>;
}

/** A delivery that a script received. */
interface Delivered {
  /** The header `webhook-id`. */
  readonly id: string;
  /** The path of its endpoint: `/` unless a script adds others. */
  readonly path: string;
  readonly line: string;
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

/** The lists that a step reads after an event whose name starts so. The end reads all lists. */
const CHANGING = {
  "delivery transaction.": "transactions",
  "delivery banktransaction.": "bank-transactions",
  "delivery transaction.match.": "transaction-matches",
};
const LISTS = [
  ...Object.values(CHANGING),
  ...["subaccounts", "cards", "bank-links", "bank-accounts"],
];

/**
 * Plays a script on a new sandbox with a seed and a frozen clock.
 *
 * @param expected The trace of an earlier run. The script ends at the first other line.
 * @throws {Divergence} at that line; any other error means that the sandbox did not start
 */
export async function playScript(script: Script, expected?: Trace): Promise<Trace> {
  const deliveries: Delivered[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const { "webhook-event-type": event, "content-type": type } = request.headers;
      const path = request.url ?? "";
      const to = path === "/" ? "" : ` to ${path}`;
      const line = `delivery ${event}${to} ${type} ${body}`;
      deliveries.push({ id: String(request.headers["webhook-id"]), path, line });
      response.end();
    });
  });
  const url = await listen(server, { host: "127.0.0.1", port: 0 });
  try {
    const options = { world: script.world, clock: "frozen", seed: 7 } as const;
    await using sandbox = await createSandbox({ ...options, webhooks: [{ url }] });
    const player = new Player(sandbox, { url, deliveries, expected });
    await player.look();
    await script.play(player);
    await player.lookAtAll();
    return player.end();
  } finally {
    await stop(server);
  }
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const OPAQUE = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|cursor=[\w-]{20,}/g;

/** Plays the steps of a script, and records what an integrator sees. */
export class Player {
  readonly sandbox: Sandbox;
  /** Where deliveries are recorded; their path is recorded, too. */
  readonly url: string;
  readonly #deliveries: Delivered[];
  readonly #expected: Trace | undefined;
  readonly #trace: string[] = [];
  #own = { at: "", token: "" };
  readonly #names = new Map<string, string>();

  constructor(
    sandbox: Sandbox,
    {
      url,
      deliveries,
      expected,
    }: { url: string; deliveries: Delivered[]; expected?: Trace | undefined },
  ) {
    this.sandbox = sandbox;
    this.url = url;
    this.#deliveries = deliveries;
    this.#expected = expected;
  }

  /** Triggers a verb. A refused verb has no result: it is not part of the interface. */
  async do<Name extends VerbName>(
    verb: Name,
    params?: VerbParams[Name],
  ): Promise<Partial<VerbResults[Name]>> {
    const outcome = await this.sandbox.trigger(verb, params).catch(() => undefined);
    await this.look();
    return outcome?.result ?? {};
  }

  async advance(by: string): Promise<void> {
    await this.sandbox.advance(by);
    await this.look();
  }

  /** Records the deliveries, and the lists that they change. */
  async look(): Promise<void> {
    await this.sandbox.settle();
    const deliveries = await this.#inOrder(this.#deliveries.splice(0));
    for (const line of deliveries) this.#record(line);
    for (const [start, list] of Object.entries(CHANGING)) {
      if (!deliveries.some((line) => line.startsWith(start))) continue;
      await this.get(`/${list}?limit=100`, await this.#ownToken());
    }
  }

  /**
   * Deliveries arrive in order only about the same resource and at the same endpoint. This makes
   * one order of all: by endpoint, then by the first event of each resource.
   */
  async #inOrder(deliveries: readonly Delivered[]): Promise<string[]> {
    if (deliveries.length === 0) return [];
    const known = await this.sandbox.deliveries({ limit: 500 }).catch(() => []);
    const events = new Map(known.map(({ id, event }) => [id, event]));
    const lanes = Map.groupBy(deliveries, ({ id, path }) => {
      return `${path} ${events.get(id)?.resource}`;
    });
    const firstOf = (lane: readonly Delivered[]) =>
      Math.min(...lane.map(({ id }) => events.get(id)?.seq ?? 0));
    return [...lanes.values()]
      .map((lane) => ({ lane, path: lane[0]?.path ?? "", first: firstOf(lane) }))
      .toSorted((one, other) => one.path.localeCompare(other.path) || one.first - other.first)
      .flatMap(({ lane }) => lane.map(({ line }) => line));
  }

  /** A token of the first account, requested again when the clock has moved. */
  async #ownToken(): Promise<string> {
    const { now } = await this.sandbox.readClock();
    if (this.#own.at !== now) this.#own = { at: now, token: await this.token() };
    return this.#own.token;
  }

  /** Records every list of both accounts, and every resource that a link leads to. */
  async lookAtAll(): Promise<void> {
    const [, other] = this.sandbox.accounts;
    for (const account of [this.sandbox.accounts[0], other]) {
      const token = await this.token(account);
      const seen = new Set<string>();
      const open = LISTS.map((list) => `/${list}?limit=${list === "cards" ? 3 : 100}`);
      for (let path = open.shift(); path !== undefined; path = open.shift()) {
        if (seen.has(path)) continue;
        seen.add(path);
        const text = await this.get(path, token);
        open.push(...[...text.matchAll(/"href":"(\/[^"]*)"/g)].map(([, href = ""]) => href));
      }
    }
  }

  /** A new access token; empty if there is none. */
  async token(account = this.sandbox.accounts[0], secret = account.clientSecret): Promise<string> {
    const form = { client_id: account.clientId, client_secret: secret };
    const text = await this.exchange(account.accountId, {
      ...form,
      grant_type: "client_credentials",
    });
    return text === "" ? "" : String(JSON.parse(text).access_token);
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
    return this.request("GET", path, {
      headers: token === "" ? {} : { authorization: `Bearer ${token}` },
    });
  }

  /** Sends a request, and records the response. Returns the body of a 200, otherwise "". */
  async request(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<string> {
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await fetch(this.sandbox.baseUrl + path, init);
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

  /**
   * Replaces ids and cursors by numbers, in the order in which they appear. They are opaque, and
   * each sandbox seals its cursors with its own key.
   */
  #comparable(text: string): string {
    return text.replace(OPAQUE, (found) => {
      const name = this.#names.get(found) ?? `<${this.#names.size + 1}>`;
      this.#names.set(found, name);
      return name;
    });
  }

  #record(text: string): void {
    const line = this.#comparable(text);
    const at = this.#trace.push(line) - 1;
    if (this.#expected && this.#expected[at] !== line) {
      throw new Divergence(this.#expected[at], line);
    }
  }
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
