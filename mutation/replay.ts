import { replayEvidence } from "../conformance/index.ts";
import type { Report } from "../conformance/report/report.ts";
import type { Entry, Evidence } from "../conformance/wire/evidence.ts";
import { storedBody } from "../conformance/wire/exchange.ts";
import type { Sandbox } from "../src/sandbox/index.ts";
import {
  type HttpRequest,
  handDelivery,
  isEqual,
  type MutationHooks,
  type MutationRun,
  type SentDelivery,
} from "./mutation.ts";

/** A mutation needs something that a recorded run does not have. */
class NeedsLiveRun extends Error {}

/** What the suite finds in a recorded run with a mutation. */
interface Replayed {
  readonly report: Report;
  readonly fired: number;
  /**
   * Whether the suite asked only for what the recorded run contains. Otherwise some checks were
   * skipped: what failed, failed, but more may fail in a live run.
   */
  readonly isComplete: boolean;
}

/**
 * Applies a mutation to the responses and deliveries of a recorded run, and judges the result.
 *
 * @returns Resolves to undefined if the mutation has no effect on a recorded run, changes a request
 * or a token, or needs the sandbox or a secret.
 */
export async function replayMutation(
  entries: readonly Evidence[],
  mutation: MutationHooks,
): Promise<Replayed | undefined> {
  if (mutation.inside) return undefined;
  try {
    const { evidence, fired } = await new MutatedRun(mutation).apply(entries);
    if (fired === 0) return undefined;
    let isComplete = true;
    const onMissing = () => {
      isComplete = false;
    };
    const report = await replayEvidence(evidence, { onMissing });
    return { report, fired, isComplete };
  } catch (error) {
    if (error instanceof NeedsLiveRun) return undefined;
    throw error;
  }
}

/** The verbs after which the sandbox has settled, so that no delivery is deferred any more. */
const SETTLING = ["settle", "advance", "unsubscribe"];

/** Deliveries have no host in the evidence. */
const RECEIVER = "http://receiver";

/** Throws on any use, because a recorded run does not have it. */
function missing<T extends object>(): T {
  const refuse = () => {
    throw new NeedsLiveRun();
  };
  return new Proxy({} as T, { get: refuse, has: refuse, ownKeys: refuse });
}

/** A recorded run with a mutation. */
class MutatedRun {
  readonly #mutation: MutationHooks;
  readonly #run: MutationRun;
  readonly #evidence: Evidence[] = [];
  readonly #deferred: SentDelivery[] = [];
  #fired = 0;
  #received = 0;
  /** For each number of recorded deliveries, that of the mutated ones. */
  readonly #counts = [0];
  /** The recorded delivery that the next one replaces. */
  #replaced: Entry<"delivery"> | undefined;
  /** The number and the time of the last delivery. */
  #last = { nr: 0, answeredAt: "" };

  constructor(mutation: MutationHooks) {
    this.#mutation = mutation;
    this.#run = {
      ...{ sandbox: missing<Sandbox>(), memory: new Map() },
      fire: () => {
        this.#fired += 1;
      },
    };
  }

  async apply(entries: readonly Evidence[]) {
    // Exchanges are recorded when they end, but the mutation sees them when they start.
    const started = entries
      .filter((entry) => entry.kind === "exchange")
      .toSorted((one, other) => one.nr - other.nr);
    const mutated = new Map<Evidence, Evidence>();
    const respond = async (before = Number.POSITIVE_INFINITY) => {
      while (started[0] && started[0].nr < before) {
        const exchange = started.shift() as Entry<"exchange">;
        mutated.set(exchange, await this.#respond(exchange));
      }
    };
    for (const entry of entries) {
      if (entry.kind === "verb" && SETTLING.includes(entry.verb)) this.#flush();
      if (entry.kind === "delivery") {
        await respond(entry.nr);
        await this.#deliver(entry);
      } else if (entry.kind === "mark") {
        this.#evidence.push({ ...entry, deliveries: this.#counts[entry.deliveries] ?? 0 });
      } else this.#evidence.push(entry);
    }
    await respond();
    return { evidence: this.#evidence.map((one) => mutated.get(one) ?? one), fired: this.#fired };
  }

  async #respond(entry: Entry<"exchange">): Promise<Entry<"exchange">> {
    const { http } = this.#mutation;
    const { response: recorded } = entry;
    if (!http || !recorded) return entry;
    const { method, url, headers, body = "" } = entry.request;
    const { pathname: path, search, searchParams: query } = new URL(url);
    const request: HttpRequest = { method, target: `${path}${search}`, headers, body };
    const forward = async (instead: Partial<HttpRequest> = {}) => {
      if (isEqual(request, { ...request, ...instead })) return recorded;
      throw new NeedsLiveRun();
    };
    // The headers have variables in place of tokens.
    const seen = { ...request, headers: missing<HttpRequest["headers"]>() };
    const answer = await http({ request: seen, path, query, forward }, this.#run);
    if (isEqual(answer, recorded)) return entry;
    // A live run sends other requests with another token.
    if (path.startsWith("/auth/")) throw new NeedsLiveRun();
    this.#run.fire();
    const { status } = answer;
    return { ...entry, response: { status, headers: answer.headers, ...storedBody(answer.body) } };
  }

  async #deliver(entry: Entry<"delivery">): Promise<void> {
    const { deliveries: hook } = this.#mutation;
    const { headers, body, path } = entry.request;
    const delivery = { url: `${RECEIVER}${path}`, name: entry.name, headers, body };
    const { nr, answeredAt } = entry;
    this.#last = { nr, answeredAt };
    this.#replaced = entry;
    const post = async (one: SentDelivery) => this.#receive(one);
    if (hook) await handDelivery(hook, delivery, { post, deferred: this.#deferred }, this.#run);
    else await post(delivery);
    this.#replaced = undefined;
    this.#counts.push(this.#received);
  }

  /** Sends what was deferred. */
  #flush(): void {
    for (const one of this.#deferred.splice(0)) this.#receive(one);
    this.#counts[this.#counts.length - 1] = this.#received;
  }

  /** Receives a delivery in place of the recorded one, or right after the last one. */
  #receive({ url, method = "POST", headers, body }: SentDelivery): void {
    const { nr, answeredAt } = this.#last;
    const facts = this.#replaced ?? {
      ...{ kind: "delivery", nr: nr + 0.001, receivedAt: answeredAt, answeredAt },
    };
    this.#replaced = undefined;
    this.#received += 1;
    this.#last = { nr: facts.nr, answeredAt };
    const name = headers["webhook-event-type"] ?? "";
    const request = { method, path: url.slice(RECEIVER.length), headers, body };
    this.#evidence.push({ ...facts, name, request } as Entry<"delivery">);
  }
}
