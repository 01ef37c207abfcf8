import * as z from "zod";
import { Count, EventName, textLike, WholeNumber } from "../world/fields.ts";
import type { Of } from "../world/schema.ts";
import { SeededRandom } from "./seeded-random.ts";

/** How often a fault is injected. */
const frequency = {
  times: Count.describe(
    "The number of requests or deliveries that it affects. Default: all.",
  ).optional(),
  rate: z
    .number()
    .min(0)
    .max(1)
    .describe("The share of requests or deliveries, chosen by the seed. Default: 1.")
    .optional(),
};

export const ApiFault = z
  .strictObject({
    kind: z.enum(["401", "429", "500", "latency"]),
    path: textLike(/^\//, "a path that begins with /")
      .describe(
        "Only requests whose path starts with it. Default: all, including the token endpoint.",
      )
      .optional(),
    ...frequency,
    retryAfterSeconds: WholeNumber.describe("The `Retry-After` of a 429. Default: 1.").optional(),
    delayMs: WholeNumber.max(3_600_000)
      .describe("The delay in real milliseconds; required for `latency`.")
      .optional(),
  })
  .refine(({ kind, delayMs }) => kind !== "latency" || delayMs !== undefined, {
    path: ["delayMs"],
    error: "latency requires its duration in milliseconds",
  })
  .describe("A fault to inject into responses of the interface.");
export type ApiFault = Of<typeof ApiFault>;

export const DeliveryFault = z
  .strictObject({
    kind: z.enum(["duplicate", "reorder", "drop", "delay"]),
    event: EventName.describe("Only deliveries of this event. Default: all.").optional(),
    ...frequency,
    delayMs: WholeNumber.describe(
      "The delay by the sandbox's clock, for `delay`. Default: 30,000.",
    ).optional(),
  })
  .describe("A fault to inject into deliveries.");
export type DeliveryFault = Of<typeof DeliveryFault>;

const ListLagMs = WholeNumber.describe(
  "The delay of collections after events, in milliseconds by the sandbox's clock.",
);

export const Faults = z
  .object({ api: z.array(ApiFault), deliveries: z.array(DeliveryFault), listLagMs: ListLagMs })
  .describe("The injected faults.");
export type Faults = Of<typeof Faults>;

export const FaultsSetting = z
  .strictObject({
    api: z.array(ApiFault).default([]),
    deliveries: z.array(DeliveryFault).default([]),
    listLagMs: ListLagMs.default(0),
  })
  .describe("The faults to inject from now on. Default: none.");

const NONE: Faults = { api: [], deliveries: [], listLagMs: 0 };

/** The resolution of rates. */
const PARTS = 1_000_000;

interface Planned<Fault> {
  readonly fault: Fault;
  readonly timesLeft: number;
}

/** The first draws for faults: far from the draws for ids, so that faults do not change ids. */
const API_DRAWS = 2 ** 40;
const DELIVERY_DRAWS = 2 ** 41;

/** Keeps the faults to inject and their remaining counts in memory. A restart clears them. */
export class FaultInjector {
  readonly #apiRandom: SeededRandom;
  readonly #deliveryRandom: SeededRandom;
  #api: readonly Planned<ApiFault>[] = [];
  #deliveries: readonly Planned<DeliveryFault>[] = [];
  #listLagMs = 0;

  constructor(seed: number) {
    this.#apiRandom = new SeededRandom(seed, API_DRAWS);
    this.#deliveryRandom = new SeededRandom(seed, DELIVERY_DRAWS);
  }

  /** The remaining faults. */
  read(): Faults {
    return {
      api: this.#api.map(left),
      deliveries: this.#deliveries.map(left),
      listLagMs: this.#listLagMs,
    };
  }

  /**
   * Replaces all faults and restarts the random draws, so that a repeated script gets the same
   * faults.
   *
   * @param seed the seed of the rates; default: unchanged
   */
  set(faults: Partial<Faults>, seed = this.#apiRandom.seed): void {
    const { api, deliveries, listLagMs } = { ...NONE, ...faults };
    for (const random of [this.#apiRandom, this.#deliveryRandom]) random.seed = seed;
    this.#api = api.map(planned);
    this.#deliveries = deliveries.map(planned);
    this.#listLagMs = listLagMs;
    this.#apiRandom.drawn = API_DRAWS;
    this.#deliveryRandom.drawn = DELIVERY_DRAWS;
  }

  /** How far collections lag behind events, in milliseconds by the sandbox's clock. */
  get listLagMs(): number {
    return this.#listLagMs;
  }

  /** Returns the faults of a request and decrements their counts. */
  takeApi(path: string): readonly ApiFault[] {
    const [met, rest] = take(this.#api, this.#apiRandom, (fault) =>
      path.startsWith(fault.path ?? "/"),
    );
    this.#api = rest;
    return met;
  }

  /** Returns a function that undoes all later calls of {@link takeDelivery}. */
  mark(): () => void {
    const deliveries = this.#deliveries;
    const { drawn } = this.#deliveryRandom;
    return () => {
      this.#deliveries = deliveries;
      this.#deliveryRandom.drawn = drawn;
    };
  }

  /**
   * Returns the faults of a delivery and decrements their counts. Deliveries take faults in the
   * order of the outbox.
   *
   * @param except the kinds that have no effect on this delivery
   */
  takeDelivery(
    event: EventName,
    except: readonly DeliveryFault["kind"][] = [],
  ): readonly DeliveryFault[] {
    const [met, rest] = take(this.#deliveries, this.#deliveryRandom, (fault) => {
      return (fault.event ?? event) === event && !except.includes(fault.kind);
    });
    this.#deliveries = rest;
    return met;
  }
}

function take<Fault extends ApiFault | DeliveryFault>(
  plan: readonly Planned<Fault>[],
  random: SeededRandom,
  applies: (fault: Fault) => boolean,
): [Fault[], Planned<Fault>[]] {
  const draws = (rate = 1) => rate >= 1 || random.below(PARTS) < rate * PARTS;
  const met = plan.filter(({ fault }) => applies(fault) && draws(fault.rate));
  const rest = plan.map((one) => {
    return met.includes(one) ? { ...one, timesLeft: one.timesLeft - 1 } : one;
  });
  return [met.map(({ fault }) => fault), rest.filter(({ timesLeft }) => timesLeft > 0)];
}

function planned<Fault extends { readonly times?: number | undefined }>(fault: Fault) {
  return { fault, timesLeft: fault.times ?? Number.POSITIVE_INFINITY };
}

function left<Fault extends { readonly times?: number | undefined }>(plan: Planned<Fault>): Fault {
  const { fault, timesLeft } = plan;
  return Number.isFinite(timesLeft) ? { ...fault, times: timesLeft } : fault;
}
