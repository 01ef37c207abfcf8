import type { EventName, EventPayloads } from "../../../../generated/events.ts";
import { UnreachableError } from "../../../errors.ts";
import type { Kind, ResourceKinds } from "../../../world/resources.ts";
import type { CallResult } from "../../../world/script.ts";
import type { VerbName } from "../../../world/verbs/names.ts";
import { ControlError, createControlClient } from "../../control/client.ts";
import type {
  Control,
  EventsQuery,
  LoggedEvent,
  ResourcesQuery,
  ShownResource,
  VerbDescription,
} from "../../control/control.ts";
import type { PageContract, Schema } from "../contract.ts";

/** A resource, with the body of the contract and the state of the sandbox. */
export type Shown<K extends Kind = Kind> = {
  [One in K]: Omit<ShownResource, "kind" | "body" | "hidden"> & {
    readonly kind: One;
    readonly body: ResourceKinds[One]["body"];
    readonly hidden: ResourceKinds[One]["internal"];
  };
}[K];

/** An event of the log, with the payload of the contract. */
export type FeedEvent = {
  [Name in EventName]: Omit<LoggedEvent, "name" | "body"> & {
    readonly name: Name;
    readonly body: EventPayloads[Name];
  };
}[EventName];

/** A verb, with the schema of its parameters. */
export type Verb = Omit<VerbDescription, "params"> & { readonly params: Schema };

export type Params = Readonly<Record<string, unknown>>;

/** What the control API's own types leave open. */
interface Typed {
  events(query: EventsQuery): Promise<readonly FeedEvent[]>;
  resource(kind: Kind, id: string): Promise<Shown>;
  resources<K extends Kind>(kind: K, query: ResourcesQuery): Promise<readonly Shown<K>[]>;
  trigger(verb: VerbName, params: object): Promise<CallResult<FeedEvent>>;
  verbs(): Promise<readonly Verb[]>;
}

/** The scripts are in a folder below the control API. */
export const BASE = new URL("..", import.meta.url).href;

export const control = createControlClient(BASE) as Omit<Control, keyof Typed> & Typed;

export async function loadContract(): Promise<PageContract> {
  const response = await fetch(`${BASE}contract.json`);
  return response.json();
}

/** Describes the error of a call. */
export function failureOf(error: unknown) {
  const isRefused = error instanceof ControlError;
  // Browsers report every network error with the same message.
  if (error instanceof UnreachableError) {
    return { isRefused, text: "the sandbox can't be reached; start it again" };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { isRefused, text, remedy: isRefused ? error.remedy : undefined };
}
