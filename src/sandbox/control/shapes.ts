import * as z from "zod";
import { requirementIds } from "../../../generated/requirements.ts";
import { AnyObject, Id, Limit, textLike, VerbName, WholeNumber } from "../../world/fields.ts";
import { kinds } from "../../world/resources.ts";
import { SandboxAccount } from "../../world/sandbox-account.ts";
import type { Of } from "../../world/schema.ts";
import { ClockReading } from "../clock.ts";
import { WorldName } from "../seed-data/index.ts";

// The shapes that only the control API has.

export const Kind = z
  .enum(kinds)
  .describe("The first segment of a resource's path in the interface.");
export type Kind = Of<typeof Kind>;

const counts = Object.fromEntries(
  [...kinds, "events", "deliveries"].map((name) => [name, z.int()]),
) as Record<Kind | "events" | "deliveries", z.ZodInt>;

export const SandboxStatus = z
  .object({
    accounts: z.array(SandboxAccount),
    networks: z
      .object({ a: z.string(), b: z.string(), c: z.string() })
      .describe("The codes of the card networks."),
    clock: ClockReading,
    counts: z
      .object(counts)
      .describe("The number of each kind, without resources that are not listed."),
  })
  .describe("The accounts, the clock, and the number of resources.");
export type SandboxStatus = Of<typeof SandboxStatus>;

export const RequirementId = z
  .enum(requirementIds)
  .describe("The id of a requirement of the interface.");

export const VerbDescription = z
  .object({
    name: VerbName,
    summary: z.string().describe("The summary of the verb."),
    requirements: z
      .array(RequirementId)
      .describe("The requirements that the verb implements; empty if it only prepares for others."),
    params: AnyObject.describe("A JSON Schema of the parameters."),
  })
  .describe("A verb and its parameters.");
export type VerbDescription = Of<typeof VerbDescription>;

export const VerbCall = z
  .strictObject({
    verb: VerbName,
    params: AnyObject.describe("As in the body of the verb. Default: none.").optional(),
  })
  .describe("A verb to try, with its parameters.");
export type VerbCall = Of<typeof VerbCall>;

export const DryRunParams = z
  .strictObject({ calls: z.array(VerbCall).max(1000) })
  .describe("Verbs to try.");
export type DryRunParams = Of<typeof DryRunParams>;

export const Remedy = z
  .object({
    verb: VerbName,
    params: AnyObject.describe("Its parameters. The others have defaults."),
  })
  .describe("A verb to run first, so that another verb applies.");
export type Remedy = Of<typeof Remedy>;

export const DryRun = z
  .object({
    refusal: z
      .string()
      .nullable()
      .describe("Why the sandbox refuses the call, and what to do; null if it is possible."),
    remedy: Remedy.nullable().describe(
      "A verb that makes the call possible; null if there is none.",
    ),
  })
  .describe("Whether a call of a verb is possible now.");
export type DryRun = Of<typeof DryRun>;

export const ResourcesQuery = z.strictObject({
  accountId: Id.optional(),
  limit: Limit.describe("The maximum number of items, the latest ones. Default: 100.").optional(),
});
export type ResourcesQuery = Of<typeof ResourcesQuery>;

export const ShownResource = z
  .object({
    kind: Kind,
    id: z.string(),
    accountId: z.string(),
    listed: z.boolean().describe("Whether its collection lists it."),
    body: z.unknown().describe("The body that the interface serves."),
    hidden: z
      .unknown()
      .describe("The state that the interface does not show; amounts in minor units."),
  })
  .describe("A resource, with the state that the interface does not show.");
export type ShownResource = Of<typeof ShownResource>;

export const Replayed = z
  .object({ replayed: z.int() })
  .describe("The number of repeated deliveries.");

export const ResetParams = z
  .strictObject({
    world: WorldName.describe("The initial data. Default: the current one.").optional(),
    seed: WholeNumber.describe("The seed of ids and secrets. Default: the current one.").optional(),
  })
  .describe("The state after a reset.");
export type ResetParams = Of<typeof ResetParams>;

/** It is part of a table's name, which ignores case. */
export const SnapshotName = textLike(
  /^[a-z0-9][a-z0-9_-]{0,63}$/,
  "up to 64 of a-z, 0-9, _ and -, a letter or digit first",
).describe("A name of a snapshot.");

export const Problem = z
  .object({
    type: z.string(),
    title: z.string().describe("The type of the error, as a short constant text."),
    status: z.int(),
    detail: z.string().describe("The details, such as the name of an invalid field."),
    remedy: Remedy.describe(
      "A verb that makes the call possible; absent if there is none.",
    ).optional(),
  })
  .describe("An error: a problem document of RFC 9457.");
