import { events, type ShapeValidator, shapeOf } from "../../../generated/validators.js";
import { DEFAULT_NETWORKS, validateEvent } from "../../../src/contract/index.ts";
import { type Checks, type Library, MEASURED_EVENTS } from "./library.ts";

/** `validateEvent`: schema and rules, with findings. */
export const txfeed: Library = {
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

/** The generated validators without rules and findings, for comparison with other libraries. */
export const txfeedSchemaOnly: Library = {
  name: "txfeed, schema only",
  setUp: async () =>
    Object.fromEntries(
      MEASURED_EVENTS.map((event) => {
        const validate = events[event] as ShapeValidator<unknown>;
        const check = (body: unknown) =>
          shapeOf(validate, body, DEFAULT_NETWORKS) ? 0 : (validate.errors?.length ?? 1);
        return [event, check];
      }),
    ) as Checks,
};
