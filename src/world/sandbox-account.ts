import * as z from "zod";
import type { Of } from "./schema.ts";

/** An account of the service, with its credentials for the API and for the SDK. */
export const SandboxAccount = z
  .object({
    accountId: z.string(),
    clientId: z.string(),
    clientSecret: z.string(),
    sdkClientId: z.string(),
    sdkClientSecret: z.string(),
  })
  .describe("The credentials of an account.");
export type SandboxAccount = Of<typeof SandboxAccount>;
