import type { VerbName, VerbParams } from "./types.ts";

/** A field of the result of an earlier call, or of the body of an event that the call sent. */
export interface Reference {
  /** The name of the call. */
  readonly of: string;
  readonly field: string;
  /** The name of the event. Default: the field is of the result. */
  readonly event?: string | undefined;
  /** The place in a list. Default: the first. */
  readonly item?: number | undefined;
}

/** The code of one of the three card networks. */
interface NetworkReference {
  readonly networkCode: "a" | "b" | "c";
}

type Referring<T> =
  | T
  | Reference
  | NetworkReference
  | (T extends readonly (infer Item)[]
      ? readonly Referring<Item>[]
      : T extends object
        ? { readonly [Field in keyof T]: Referring<T[Field]> }
        : never);

/** A verb, with values or references as its parameters. */
export interface NamedCall<Name extends VerbName = VerbName> {
  /** The name by which later calls refer to it. */
  readonly as?: string | undefined;
  readonly verb: Name;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A verb, or an advance of the clock by a duration such as `1m`. */
export type ScriptCall = NamedCall | { readonly advance: string };

/** A step, as the page shows it. */
export interface Step {
  /** What happens in the real world. */
  readonly sentence: string;
  readonly button: string;
  readonly calls: readonly ScriptCall[];
}

/** The calls of each step. */
export interface Playable {
  readonly steps: readonly Pick<Step, "calls">[];
}

/** A sequence of verbs. */
export interface Script extends Playable {
  readonly title: string;
  /** What it shows. */
  readonly about: string;
  readonly steps: readonly Step[];
}

/** The result of a call, and the events that it sent. */
export interface CallResult<Event = { readonly name: string; readonly body: object }> {
  readonly result: object;
  readonly events: readonly Event[];
}

/** A call of a verb. `as` is the name by which later calls refer to it. */
export function call<Name extends VerbName>(
  verb: Name,
  params: {
    readonly [Field in keyof VerbParams[Name]]: Referring<VerbParams[Name][Field]>;
  } = {} as never,
  as?: string,
): NamedCall<Name> {
  return { as, verb, params };
}

/** A reference to a field of the result of a call, or of an event that it sent. */
export function of(
  name: string,
  field: string,
  where: Pick<Reference, "event" | "item"> = {},
): Reference {
  return { of: name, field, ...where };
}

/** A step, from its sentence to its calls. */
export function step(sentence: string, button: string, ...calls: readonly ScriptCall[]): Step {
  return { sentence, button, calls };
}

/** A verb with the values of its parameters, or an advance of the clock. */
export type ReadyCall =
  | { readonly verb: VerbName; readonly params: never }
  | { readonly advance: string };

type Networks = Readonly<Record<NetworkReference["networkCode"], string>>;

/**
 * Goes through the calls of a script. Yields each one with its references replaced, and takes its
 * result.
 *
 * @param results the results of earlier calls, by name; those of named calls are added
 * @throws {Error} if a call has no such field: the script is wrong
 */
export function* readyCalls(
  calls: readonly ScriptCall[],
  results: Map<string, CallResult>,
  networks: Networks,
): Generator<ReadyCall, void, CallResult> {
  for (const one of calls) {
    if ("advance" in one) {
      yield one;
      continue;
    }
    const params = resolved(one.params ?? {}, results, networks) as never;
    const result = yield { verb: one.verb, params };
    if (one.as !== undefined) results.set(one.as, result);
  }
}

function resolved(
  params: unknown,
  results: ReadonlyMap<string, CallResult>,
  networks: Networks,
): unknown {
  if (Array.isArray(params)) return params.map((item) => resolved(item, results, networks));
  if (typeof params !== "object" || params === null) return params;
  if (isReference(params)) return referredValue(params, results);
  if (isNetwork(params)) return networks[params.networkCode];
  const entries = Object.entries(params).map(([name, value]) => {
    return [name, resolved(value, results, networks)];
  });
  return Object.fromEntries(entries);
}

const isReference = (value: object): value is Reference => "of" in value && "field" in value;
const isNetwork = (value: object): value is NetworkReference => "networkCode" in value;

function referredValue(
  { of: name, field, event, item = 0 }: Reference,
  results: ReadonlyMap<string, CallResult>,
) {
  const called = results.get(name);
  const source = event ? called?.events.find((sent) => sent.name === event)?.body : called?.result;
  const list = Object(source)[field];
  const value = Array.isArray(list) ? list[item] : list;
  if (value === undefined)
    throw new Error(`the call "${name}" gave no ${event ? `${event} ` : ""}${field}`);
  return value;
}
