import type { Delivery } from "../deliveries/delivery.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import { Unseen } from "../unseen.ts";
import type { Evidence } from "./evidence.ts";
import { type Exchange, parseJson, type RecordedRequest } from "./exchange.ts";
import type { Wire } from "./wire.ts";

const MISSING = "the evidence has nothing of it";

/** Gives what was recorded to whoever asks again. */
export class ReplayWire implements Wire {
  readonly #exchanges = new Queues<Exchange>();
  readonly #marks = new Queues<number>();
  readonly #verbs = new Queues<{ result?: unknown; refusal?: string }>();
  readonly #deliveries: Delivery[] = [];

  readonly #missing: string;

  /** @param missing Why the evidence may lack what is asked for. */
  constructor(evidence: Iterable<Evidence>, missing = MISSING) {
    this.#missing = missing;
    for (const entry of evidence) {
      if (entry.kind === "exchange") {
        const { kind, scope, ...exchange } = entry;
        this.#exchanges.add(keyOf(scope, exchange.request), withParsed(exchange));
      } else if (entry.kind === "delivery") {
        const { kind, ...delivery } = entry;
        const json = parseJson(delivery.request.body);
        this.#deliveries.push({ ...delivery, ...(json !== undefined && { json }) });
      } else if (entry.kind === "mark") {
        this.#marks.add(entry.scope, entry.deliveries);
      } else if (entry.kind === "verb") {
        this.#verbs.add(`${entry.scope} ${entry.verb} ${JSON.stringify(entry.params)}`, entry);
      }
    }
  }

  async send(scope: string, request: RecordedRequest): Promise<Exchange> {
    const exchange = this.#exchanges.take(keyOf(scope, request));
    if (!exchange) throw new Unseen(this.#missing);
    return exchange;
  }

  async deliveries(scope: string): Promise<readonly Delivery[]> {
    const count = this.#marks.take(scope);
    if (count === undefined) throw new Unseen(this.#missing);
    return this.#deliveries.slice(0, count);
  }

  async drive<V extends Verb>(scope: string, verb: V, params: VerbParams<V>) {
    const done = this.#verbs.take(`${scope} ${verb} ${JSON.stringify(params)}`);
    if (!done) throw new Unseen(this.#missing);
    if (done.refusal !== undefined) {
      throw new Unseen(`the driver's verb ${verb} was refused: ${done.refusal}`);
    }
    return done.result as VerbResult<V>;
  }
}

/** A request is known by what asked and what it is, as several may be under way at once. */
function keyOf(scope: string, { method, url, headers, body = "" }: RecordedRequest): string {
  return [scope, method, url, JSON.stringify(Object.entries(headers).sort()), body].join("\n");
}

function withParsed(exchange: Exchange): Exchange {
  const { response } = exchange;
  if (!response) return exchange;
  const json = parseJson(response.body);
  return { ...exchange, response: { ...response, ...(json !== undefined && { json }) } };
}

/** Queues by key: what was first recorded is first given. */
class Queues<T> {
  readonly #queues = new Map<string, T[]>();

  add(key: string, value: T): void {
    const queue = this.#queues.get(key);
    if (queue) queue.push(value);
    else this.#queues.set(key, [value]);
  }

  take(key: string): T | undefined {
    return this.#queues.get(key)?.shift();
  }
}
