import { validateEvent } from "../../src/contract/index.ts";
import { type Checks, type Contestant, MEASURED_EVENTS } from "./contestant.ts";

/** `validateEvent`: schema and rules, with findings. */
export const ours: Contestant = {
  name: "txfeed",
  setUp: async () =>
    Object.fromEntries(
      MEASURED_EVENTS.map((event) => [
        event,
        (body: unknown) => {
          const { ok, findings } = validateEvent(event, body);
          return ok ? 0 : findings.length;
        },
      ]),
    ) as Checks,
};
