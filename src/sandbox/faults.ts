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

/** What goes wrong on demand, and how often still. It is no state: a restart ends it. */
export class FaultPlan {
  readonly #random: Random;
  #api: Planned<ApiFault>[] = [];
  #deliveries: Planned<DeliveryFault>[] = [];
  #listLagMs = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** What is left of it. */
  read(): Faults {
    return {
      api: this.#api.map(left),
      deliveries: this.#deliveries.map(left),
      listLagMs: this.#listLagMs,
    };
  }

  /** Replaces all of it. */
  set(faults: Partial<Faults>): void {
    const { api, deliveries, listLagMs } = { ...NONE, ...faults };
    this.#api = api.map(planned);
    this.#deliveries = deliveries.map(planned);
    this.#listLagMs = listLagMs;
  }

  /** How far collections lag behind, in milliseconds by the sandbox's clock. */
  get listLagMs(): number {
    return this.#listLagMs;
  }

  /** The faults that a request meets; each is used up by it. */
  takeApi(path: string): readonly ApiFault[] {
    if (this.#api.length === 0) return [];
    const [met, rest] = this.#take(this.#api, (fault) => path.startsWith(fault.path ?? "/"));
    this.#api = rest;
    return met;
  }

  /** The faults that a delivery meets; each is used up by it. */
  takeDelivery(event: EventName): readonly DeliveryFault[] {
    if (this.#deliveries.length === 0) return [];
    const [met, rest] = this.#take(this.#deliveries, (fault) => (fault.event ?? event) === event);
    this.#deliveries = rest;
    return met;
  }

  #take<Fault extends ApiFault | DeliveryFault>(
    plan: Planned<Fault>[],
    applies: (fault: Fault) => boolean,
  ): [Fault[], Planned<Fault>[]] {
    const met = plan.filter(({ fault }) => applies(fault) && this.#draws(fault.rate));
    for (const one of met) one.timesLeft -= 1;
    return [met.map(({ fault }) => fault), plan.filter(({ timesLeft }) => timesLeft > 0)];
  }

  #draws(rate = 1): boolean {
    return rate >= 1 || this.#random.below(PARTS) < rate * PARTS;
  }
}

function planned<Fault extends { readonly times?: number | undefined }>(fault: Fault) {
  return { fault, timesLeft: fault.times ?? Number.POSITIVE_INFINITY };
}

function left<Fault extends { readonly times?: number | undefined }>(plan: Planned<Fault>): Fault {
  const { fault, timesLeft } = plan;
  return Number.isFinite(timesLeft) ? { ...fault, times: timesLeft } : fault;
}
