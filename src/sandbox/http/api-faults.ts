import { setTimeout as wait } from "node:timers/promises";
import type { ApiFault } from "../control/control.ts";
import { Refusal } from "../refusal.ts";
import { HeadedRefusal, unauthorized } from "./problems.ts";

/** Injects the faults of a request: all latencies, then the first error. */
export async function injectFaults(faults: readonly ApiFault[]): Promise<void> {
  const delayMs = faults.reduce((sum, fault) => sum + (fault.delayMs ?? 0), 0);
  // The timer must not keep a closed sandbox alive.
  await wait(delayMs, undefined, { ref: false });
  for (const fault of faults) {
    const refusal = refusalOf(fault);
    if (refusal) throw refusal;
  }
}

function refusalOf({ kind, retryAfterSeconds = 1 }: ApiFault): Refusal | undefined {
  const detail = "a fault that was asked for at /_sandbox/faults";
  switch (kind) {
    case "401":
      return unauthorized(detail, { error: "invalid_token" });
    case "429": {
      const refusal = new Refusal(429, "Too many requests", detail);
      return new HeadedRefusal(refusal, { "retry-after": String(retryAfterSeconds) });
    }
    case "500":
      return new Refusal(500, "Internal server error", detail);
    case "latency":
      return undefined;
  }
}
