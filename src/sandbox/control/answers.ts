import * as z from "zod";
import { requirementIds } from "../../../generated/requirements.ts";
import type {
  ClockReading,
  Delivery,
  Endpoint,
  LoggedEvent,
  SandboxAccount,
  SandboxStatus,
  ShownResource,
} from "./control.ts";
import { clockMode, deliveryState, eventName, kinds } from "./schemas.ts";

/** What the calls of the control answer. */

const timestamp = z.string().meta({ format: "date-time" });
const howMany = z.int();
const counted = [...kinds, "events", "deliveries"] as const;
type Counts = Record<(typeof counted)[number], typeof howMany>;

const account = z
  .object({
    accountId: z.string(),
    clientId: z.string(),
    clientSecret: z.string(),
    sdkClientId: z.string(),
    sdkClientSecret: z.string(),
  })
  .meta({ id: "Account" }) satisfies z.ZodType<SandboxAccount>;

export const clockReading = z
  .object({
    mode: clockMode,
    now: timestamp,
    nextDue: timestamp.nullable().describe("When a job or delivery is due next; null for never."),
  })
  .meta({ id: "Clock" }) satisfies z.ZodType<ClockReading>;

export const status = z
  .object({
    accounts: z.array(account),
    networks: z.object({ a: z.string(), b: z.string(), c: z.string() }),
    clock: clockReading,
    counts: z
      .object(Object.fromEntries(counted.map((name) => [name, howMany])) as Counts)
      .describe("How many there are of each kind, those that are not listed left out."),
  })
  .meta({ id: "Status" }) satisfies z.ZodType<SandboxStatus>;

const eventHead = {
  seq: z.int().describe("Its place in the log, from 1."),
  at: timestamp,
  accountId: z.string(),
  name: eventName,
  resource: z.string().describe("What its order is kept by."),
};

export const loggedEvent = z
  .object({ ...eventHead, body: z.unknown() })
  .meta({ id: "Event" }) satisfies z.ZodType<LoggedEvent>;

export const outcome = z
  .object({
    verb: z.string(),
    result: z.record(z.string(), z.unknown()).describe("The ids of what it made or changed."),
    events: z.array(loggedEvent).describe("What it sent, in order."),
  })
  .meta({ id: "Outcome" });

export const verbDescription = z
  .object({
    name: z.string(),
    summary: z.string(),
    requirements: z.array(z.enum(requirementIds)),
    params: z.record(z.string(), z.unknown()).describe("A JSON Schema of what it takes."),
  })
  .meta({ id: "Verb" });

export const shownResource = z
  .object({
    kind: z.enum(kinds),
    id: z.string(),
    accountId: z.string(),
    listed: z.boolean().describe("Whether its collection lists it."),
    body: z.unknown().describe("As the interface serves it."),
    hidden: z.unknown().describe("What the interface does not show of it."),
  })
  .meta({ id: "Resource" }) satisfies z.ZodType<ShownResource>;

export const endpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(eventName).nullable().describe("null for all."),
    secret: z.string(),
    accountId: z.string().nullable().describe("null for all."),
    ordered: z.boolean(),
  })
  .meta({ id: "Endpoint" }) satisfies z.ZodType<Endpoint>;

const attempt = z
  .object({
    at: timestamp,
    status: z.int().nullable().describe("What the receiver answered; null for nothing."),
    error: z.string().nullable().describe("Why no answer came, or null."),
    durationMs: z.number(),
  })
  .meta({ id: "Attempt" });

export const delivery = z
  .object({
    id: z.string().describe("The header webhook-id: the same with every attempt."),
    endpointId: z.string(),
    event: z.object(eventHead),
    state: deliveryState,
    dueAt: timestamp.nullable().describe("When the next attempt is due; null for none."),
    attempts: z.array(attempt),
  })
  .meta({ id: "Delivery" }) satisfies z.ZodType<Delivery>;

export const replayed = z.object({ replayed: howMany });

export const problem = z
  .object({ type: z.string(), title: z.string(), status: z.int(), detail: z.string() })
  .meta({ id: "Problem", description: "RFC 9457." });
