import type { Handle } from "./handle.ts";
import { ignoreErrors } from "./ignore-errors.ts";
import type { TakenDelivery } from "./queue.ts";
import type { ReceiverOptions } from "./receiver-options.ts";
import type { AttemptResult } from "./retries.ts";
import { validateWith } from "./validate.ts";
import type { Work } from "./worker.ts";

/** Makes what a receiver does with what its queue gives back. */
export function workWith(handle: Handle, options: ReceiverOptions): Work {
  // The findings of what keeps the contract were told when it came.
  const { onFinding: _, ...rest } = options;
  const judge = validateWith(rest);
  const onDelivery = ignoreErrors(options.onDelivery);
  return {
    async handle({
      event,
      body: text,
      key,
      receivedAt,
      token,
    }: TakenDelivery): Promise<AttemptResult> {
      try {
        const reading = await judge({ event, text, body: JSON.parse(text), receivedAt });
        if (reading.ok) return await handle(reading.event, () => key, token);
        // Stored by a version of this package that judged otherwise.
        const faults = reading.findings.filter(({ level }) => level === "error");
        throw new Error(faults.map(({ message }) => message).join("; "));
      } catch (error) {
        return { outcome: "quarantined", error };
      }
    },
    report: (tried, durationMs, delivery) =>
      void onDelivery({ ...tried, event: delivery?.event ?? null, durationMs }),
  };
}
