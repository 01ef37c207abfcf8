import { expect, expectTypeOf, test } from "vitest";
import { eventNames } from "../../generated/events.ts";
import { type EventBody, eventSchema, eventSchemas } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";

const event = "banktransaction.created";
const standard = eventSchemas[event]["~standard"];

test.each(eventNames)("%s has a Standard Schema", (name) => {
  expect(eventSchemas[name]["~standard"]).toMatchObject({ version: 1, vendor: "txfeed" });
});

test("a valid body is the value, with its type", () => {
  const body = make(event);
  const result = standard.validate(body);
  expect(result).toEqual({ value: body });
  if (!result.issues) expectTypeOf(result.value).toEqualTypeOf<EventBody<typeof event>>();
});

test("each error is an issue with a path of segments", () => {
  const { issues } = standard.validate({ ...make(event), amount: "12" });
  expect(issues).toMatchObject([{ path: ["amount"] }]);
  expect(issues?.[0]?.message).toContain(`${event} /amount`);
});

test("warnings and notices are not issues", () => {
  const feed = make("networkbulkfeed.statechanged");
  const schema = eventSchemas["networkbulkfeed.statechanged"]["~standard"];
  expect(schema.validate({ ...feed, oldState: feed.newState })).not.toHaveProperty("issues");
});

test("uses the configured networks", () => {
  const message = { ...make("transactionmessage.created"), network: "CC", traceId: "007" };
  const [asC, asA] = ["CC", "XX"].map((c) =>
    eventSchema("transactionmessage.created", { networks: { a: "AA", b: "BB", c } })[
      "~standard"
    ].validate({ ...message, approvalCode: null }),
  );
  expect(asC).not.toHaveProperty("issues");
  expect(asA?.issues).toHaveLength(1);
});
