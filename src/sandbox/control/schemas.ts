import * as z from "zod";
import { eventNames } from "../../contract/index.ts";
import { durationMs } from "../clock.ts";
import type { Kind } from "../store/resources.ts";
import * as values from "../verbs/values.ts";
import type {
  ApiFault,
  ClockSetting,
  DeliveriesQuery,
  DeliveryFault,
  EndpointParams,
  EventsQuery,
  Faults,
  ResetParams,
  ResourcesQuery,
} from "./control.ts";

/** What each call of the control takes; what it answers is in `answers.ts`. */

const whole = z.int().min(0);
const count = z.int().min(1);
const rate = z.number().min(0).max(1);
const limit = z.int().min(1).max(1_000_000);

/** Each kind of resource. */
export const kinds = [
  ...(["subaccounts", "cards", "card-subscriptions", "network-bulk-feeds"] as const),
  ...(["bank-links", "bank-accounts", "bank-transactions"] as const),
  ...(["transactions", "transaction-messages", "transaction-matches"] as const),
] satisfies readonly Kind[];

export const eventName = z.enum(eventNames).meta({ id: "EventName" });

const accountId = values.id.optional();

const timestamp = values.timestamp
  .refine((text) => text >= "1970" && text < "3000", "takes a time from 1970 to 2999")
  .meta({ format: "date-time" });

export const clockMode = z.enum(["real", "frozen"]);

export const clockSetting = z
  .strictObject({
    mode: clockMode,
    now: timestamp.optional().describe("To go on from; now unless set."),
  })
  .meta({ id: "ClockSetting" }) satisfies z.ZodType<ClockSetting>;

export const clockStep = z
  .strictObject({
    by: z
      .string()
      .refine((text) => durationMs(text) !== undefined, {
        message: "takes a duration such as 90s, 3d or 1d12h, of at most ten years",
      })
      .describe("A duration such as 90s, 3d or 1d12h."),
  })
  .meta({ id: "ClockStep" });

export const eventsQuery = z.strictObject({
  after: whole.optional().describe("Those later in the log than this one."),
  name: eventName.optional(),
  accountId,
  limit: limit.optional().describe("At most so many; 1,000 unless set."),
}) satisfies z.ZodType<EventsQuery>;

export const resourcesQuery = z.strictObject({
  accountId,
  limit: limit.optional().describe("At most so many, the latest; 100 unless set."),
}) satisfies z.ZodType<ResourcesQuery>;

/** Node decodes what stands before the @ of an address, and throws where it can't. */
function isSendable(url: string): boolean {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  try {
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

export const endpointParams = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: "takes an http or https address" })
      .refine(isSendable, "takes a user name and a password that are percent-encoded")
      .describe("http or https."),
    events: z.array(eventName).min(1).optional().describe("What it takes; all unless set."),
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, "takes whsec_ and base64")
      .optional()
      .describe("whsec_ and base64; drawn unless set."),
    accountId: accountId.describe("Whose events; all accounts' unless set."),
    ordered: z
      .boolean()
      .optional()
      .describe("Whether the deliveries of a resource keep their order; true unless set."),
  })
  .meta({ id: "EndpointParams" }) satisfies z.ZodType<EndpointParams>;

export const deliveryState = z.enum(["waiting", "delivered", "failed", "dropped"]);

export const deliveriesQuery = z.strictObject({
  state: deliveryState.optional(),
  event: eventName.optional(),
  limit: limit.optional().describe("At most so many, the latest; 100 unless set."),
}) satisfies z.ZodType<DeliveriesQuery>;

const howOften = {
  times: count.optional().describe("How many it meets; all unless set."),
  rate: rate.optional().describe("The share that it meets, drawn by the seed; 1 unless set."),
};

const apiFault = z
  .strictObject({
    kind: z.enum(["401", "429", "500", "latency"]),
    path: z
      .string()
      .startsWith("/")
      .optional()
      .describe("Only requests whose path begins with it; all unless set."),
    ...howOften,
    retryAfterSeconds: whole.optional().describe("Of a 429; 1 unless set."),
    delayMs: whole.max(3_600_000).optional().describe("Of latency, in real milliseconds."),
  })
  .refine(({ kind, delayMs }) => kind !== "latency" || delayMs !== undefined, {
    path: ["delayMs"],
    message: "latency takes how long it lasts, in milliseconds",
  })
  .meta({ id: "ApiFault" }) satisfies z.ZodType<ApiFault>;

const deliveryFault = z
  .strictObject({
    kind: z.enum(["duplicate", "reorder", "drop", "delay"]),
    event: eventName.optional(),
    ...howOften,
    delayMs: whole.optional().describe("Of a delay, by the sandbox's clock; 30,000 unless set."),
  })
  .meta({ id: "DeliveryFault" }) satisfies z.ZodType<DeliveryFault>;

const faultMembers = {
  api: z.array(apiFault),
  deliveries: z.array(deliveryFault),
  listLagMs: whole.describe("How far collections lag behind events, by the sandbox's clock."),
};

export const faults = z
  .strictObject(faultMembers)
  .meta({ id: "Faults" }) satisfies z.ZodType<Faults>;

/** What is left out is none. */
export const faultsSetting = z
  .strictObject({
    api: faultMembers.api.default([]),
    deliveries: faultMembers.deliveries.default([]),
    listLagMs: faultMembers.listLagMs.default(0),
  })
  .meta({ id: "FaultsSetting" });

export const resetParams = z
  .strictObject({
    world: z
      .enum(["empty", "small", "large"])
      .optional()
      .describe("The one that it began with unless set."),
    seed: whole.optional().describe("The present one unless set."),
  })
  .meta({ id: "ResetParams" }) satisfies z.ZodType<ResetParams>;
