import type { EventName } from "../../generated/events.ts";
import type { ApiFault, DeliveryFault, Faults } from "./control/control.ts";
import { Random } from "./random.ts";

const NONE: Faults = { api: [], deliveries: [], listLagMs: 0 };

/** Rates are drawn in parts of this. */
const PARTS = 1_000_000;

interface Planned<Fault> {
  readonly fault: Fault;
  timesLeft: number;
}

/** Where the draws for each side begin, far from those of ids: neither side changes another's. */
const API_DRAWS = 2 ** 40;
const DELIVERY_DRAWS = 2 ** 41;

/** What goes wrong on demand, and how often still. It is no state: a restart ends it. */
export class FaultInjector {
  readonly #apiRandom: Random;
  readonly #deliveryRandom: Random;
  #api: Planned<ApiFault>[] = [];
  #deliveries: Planned<DeliveryFault>[] = [];
  #listLagMs = 0;

  constructor(seed: number) {
    this.#apiRandom = new Random(seed, API_DRAWS);
    this.#deliveryRandom = new Random(seed, DELIVERY_DRAWS);
  }

  /** What is left of it. */
  read(): Faults {
    return {
      api: this.#api.map(left),
      deliveries: this.#deliveries.map(left),
      listLagMs: this.#listLagMs,
    };
  }

  /**
   * Replaces all of it. The same plan meets the same requests and deliveries again.
   *
   * @param seed what rates are drawn by from now on; as before unless set
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

  /** How far collections lag behind, in milliseconds by the sandbox's clock. */
  get listLagMs(): number {
    return this.#listLagMs;
  }

  /** The faults that a request meets; each is used up by it. */
  takeApi(path: string): readonly ApiFault[] {
    const [met, rest] = take(this.#api, this.#apiRandom, (fault) =>
      path.startsWith(fault.path ?? "/"),
    );
    this.#api = rest;
    return met;
  }

  /**
   * The faults that a delivery meets; each is used up by it. Deliveries meet them in the order in
   * which they are put into the outbox.
   *
   * @param except those that would have no effect on it
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
  plan: Planned<Fault>[],
  random: Random,
  applies: (fault: Fault) => boolean,
): [Fault[], Planned<Fault>[]] {
  const draws = (rate = 1) => rate >= 1 || random.below(PARTS) < rate * PARTS;
  const met = plan.filter(({ fault }) => applies(fault) && draws(fault.rate));
  for (const one of met) one.timesLeft -= 1;
  return [met.map(({ fault }) => fault), plan.filter(({ timesLeft }) => timesLeft > 0)];
}

function planned<Fault extends { readonly times?: number | undefined }>(fault: Fault) {
  return { fault, timesLeft: fault.times ?? Number.POSITIVE_INFINITY };
}

function left<Fault extends { readonly times?: number | undefined }>(plan: Planned<Fault>): Fault {
  const { fault, timesLeft } = plan;
  return Number.isFinite(timesLeft) ? { ...fault, times: timesLeft } : fault;
}
