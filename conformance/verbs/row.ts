import type { EventName } from "../../generated/events.ts";
import type { ClaimId, Situation } from "../../generated/requirements.ts";
import type { Message } from "../assert.ts";
import type { Breach, Session } from "../check.ts";
import type { Verb, VerbParams } from "../driver.ts";
import type { Model } from "./model.ts";
import type { Transition } from "./state-tables.ts";
import type { Field, Name, Step, StepOf } from "./step.ts";
import type { Later, World } from "./world.ts";

/** A verb that a script may use. */
export type StepVerb = Step["verb"] & Verb;

/**
 * What a step means in a state:
 * - `applies`: a row of a table, or the creation of a resource;
 * - `repeats`: it asks for a state that is reached already, so nothing may change;
 * - undefined: the interface does not say, or a resource is missing. Scripts leave it out.
 */
export type Meaning = "applies" | "repeats" | undefined;

/** All that the interface says about a verb of the driver. A table has a row for each verb. */
export interface Row<V extends StepVerb> {
  /** The parameter of the driver's verb; default: the step's values, with ids for names. */
  readonly params?: (step: StepOf<V>, world: World) => VerbParams<V>;
  /** Carries out a step that needs no driver; default: undefined, and the driver's verb does. */
  readonly act?: (session: Session, world: World, step: StepOf<V>) => Promise<unknown> | undefined;
  /** What a step means in a state. */
  readonly when: (model: Model, step: StepOf<V>) => Meaning;
  /** Whether its effect is known although deliveries may show more than the model; default: yes. */
  readonly isKnown?: (world: World, step: StepOf<V>) => boolean;
  /** The state after a step that applies. */
  readonly apply: (model: Model, step: StepOf<V>) => Model;
  /** Gives names to what the result names, besides the resource that the step is called for. */
  readonly bind?: (world: World, step: StepOf<V>, result: unknown) => void;
  /**
   * The events that a step owes which applies.
   *
   * @param world The state before the step, with the names of the result bound.
   */
  readonly owes: (world: World, step: StepOf<V>, result: unknown) => readonly Owed[];
  /** How to recognise the effect of a step that may come later, or never. */
  readonly later?: (world: World, step: StepOf<V>) => Later | false | undefined;
  /** The events that a step owes because the API shows its effect. */
  readonly owesByApi?: (
    session: Session,
    world: World,
    step: StepOf<V>,
  ) => Promise<readonly Owed[]>;
  /** The events that may not follow a step which applies; default: none. */
  readonly forbids?: (world: World, step: StepOf<V>) => readonly Forbidden[];
  /** The events that may not follow a repeated step: it changes nothing. Default: none. */
  readonly quiet?: (world: World, step: StepOf<V>) => readonly Forbidden[];
  /** What the API must show of a subscription after a repeated step; default: nothing. */
  readonly keeps?: (world: World, step: StepOf<V>) => readonly Wanted[];
  /** The situations in which the step decides claims, besides those of its resources. */
  readonly situations?: (world: World, step: StepOf<V>) => readonly Situation[];
  /** How the clock goes on, in seconds, until the effects are there; default: not at all. */
  readonly waits?: (step: StepOf<V>, owed: readonly Owed[]) => readonly number[];
  /** Events to wait for, although they are not owed. */
  readonly mayCause?: (step: StepOf<V>) => readonly EventName[];
  /** Steps worth a try in a state, for exploration. They may mean nothing. */
  readonly variants: (model: Model, limits: Limits) => Iterable<StepOf<V>>;
  /** A simpler step that may show the same. */
  readonly simpler?: (step: StepOf<V>) => StepOf<V> | undefined;
  /** Whether few states allow the verb, so that exploration prefers it where it can. */
  readonly isRare?: true;
}

/** The rows of some verbs. */
export type Rows<V extends StepVerb> = { readonly [One in V]: Row<One> };

/** How many resources of each kind a script may have. */
export interface Limits {
  readonly cards: number;
  readonly feeds: number;
  readonly links: number;
  readonly purchases: number;
  readonly postings: number;
  /** Whether to vary what the tables do not distinguish, such as amounts and durations. */
  readonly varied: boolean;
}

/** An event that a step must send. */
export interface Owed {
  /** Broken if the event does not come. */
  readonly claims: readonly [ClaimId, ...ClaimId[]];
  readonly event: EventName;
  /** The event in words. */
  readonly what: string;
  /** Whether a delivery of the event is about the step's resource. */
  readonly is: (body: unknown) => boolean;
  /** What its body must have. */
  readonly wants?: readonly Wanted[];
  /** Broken if the event comes twice. */
  readonly once?: ClaimId;
  /** The situations in which its claims are decided, besides those of the step. */
  readonly in?: readonly Situation[];
  /** Why it is not owed after all, once the deliveries are there; default: it is owed. */
  readonly unless?: () => string | undefined;
  /** The row of a state table that has happened once the event is there and correct. */
  readonly row?: Transition;
}

/** A part of a body that the interface determines. */
export interface Wanted {
  readonly claim: ClaimId;
  /** The claim about the API's view of the resource; default: the same. */
  readonly alone?: ClaimId;
  /** The situations in which it is decided, besides those of its event. */
  readonly in?: readonly Situation[];
  /** What a body lacks; undefined if the body does not decide it. */
  readonly breaches: (message: Message) => readonly Breach[] | undefined;
  /** Whether deliveries that came twice or overtook each other could explain a breach (WHK-04). */
  readonly isAboutDelivery?: true;
}

/** An event that a step may not send. */
export interface Forbidden extends Pick<Owed, "event" | "what" | "is"> {
  readonly claim: ClaimId;
}

/** The meaning for a resource; undefined if there is none. */
export function meaningFor<T>(state: T | undefined, of: (state: T) => Meaning): Meaning {
  return state === undefined ? undefined : of(state);
}

/**
 * What the verbs have in common that are called for one resource.
 *
 * @param field The field of their steps that names it.
 */
export function onOne<V extends StepVerb, F extends Field>(
  verb: V,
  field: F,
  meaning: (state: Model[`${F}s`][Name], step: StepOf<V>, model: Model) => Meaning,
): Pick<Row<V>, "when" | "variants"> {
  const kind = `${field}s` as const;
  return {
    when: (model, step) => {
      const name = (step as Record<F, Name>)[field];
      return meaningFor(model[kind][name], (state) => meaning(state, step, model));
    },
    *variants(model) {
      for (const name of Object.keys(model[kind])) yield { verb, [field]: name } as StepOf<V>;
    },
  };
}
