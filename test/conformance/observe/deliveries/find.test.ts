import { expect, test } from "vitest";
import {
  distinctEvents,
  type Sample,
  undueEvents,
} from "../../../../conformance/observe/deliveries/find.ts";
import { captured } from "./captured.ts";

/** Deliveries by the letter of their event and the number of their content, such as `A1`. */
const sent = (texts: string) =>
  captured(
    texts.split(" ").map((text) => {
      return { headers: { "webhook-event-type": text.charAt(0) }, body: { id: text.slice(1) } };
    }),
  );

const TWICE = sent("A1 A1");
const REPEATS = sent("B1 B1 B2");
const NO_REPEATS = sent("B1 B2 C1");

test.each<[string, Sample, number]>([
  ["if the sender repeats others", [REPEATS], 1],
  ["if the sender repeated others in an earlier part", [REPEATS, NO_REPEATS], 1],
  ["if the sender repeats others in the last part", [NO_REPEATS, REPEATS], 1],
  ["if there are too few others to tell", [sent("B1 C1")], 1],
  ["unless the sender repeats only this event", [[...TWICE, ...NO_REPEATS]], 2],
  ["unless others are only in two parts", [NO_REPEATS, NO_REPEATS], 2],
  ["unless the parts together have enough others", [sent("B1 B2"), sent("C1")], 2],
])("equal deliveries are one event %s", (_when, sample, count) => {
  expect(distinctEvents(TWICE, sample)).toHaveLength(count);
  expect(undueEvents(TWICE.slice(1), TWICE.slice(0, 1), sample)).toHaveLength(count - 1);
});
