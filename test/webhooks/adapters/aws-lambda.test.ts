import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { expect, expectTypeOf, test } from "vitest";
import { type LambdaEvent, toLambdaHandler } from "../../../src/webhooks/adapters/aws-lambda.ts";
import { eventOf } from "./gateway.ts";
import { recorder } from "./recorder.ts";

const WEBHOOKS = new URL("http://gateway/webhooks");
const JSON_TYPE = { "content-type": "application/json" };

test("the handler has the type of AWS", () => {
  type Handler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;
  expectTypeOf(toLambdaHandler(recorder().receiver)).toExtend<Handler>();
});

test("the result has payload format 2.0", async () => {
  const response = { status: 422, headers: JSON_TYPE, body: '{"title":"é"}' };
  const handler = toLambdaHandler(recorder(response).receiver);
  const event = eventOf("POST", WEBHOOKS, JSON_TYPE, Buffer.from("{}"));
  expect(await handler(event)).toEqual({
    statusCode: 422,
    headers: JSON_TYPE,
    body: '{"title":"é"}',
    isBase64Encoded: false,
  });
});

test("headers are found in any case", async () => {
  const { receiver, seen } = recorder();
  const event = eventOf("POST", WEBHOOKS, { "Webhook-Event-Type": "x" }, Buffer.from("{}"));
  await toLambdaHandler(receiver)(event);
  expect(seen[0]?.header("webhook-event-type")).toBe("x");
});

test.each<[string, unknown, string]>([
  [
    "a REST API",
    { httpMethod: "POST", path: "/", requestContext: { stage: "x" } },
    "got format 1.0",
  ],
  ["an HTTP API of format 1.0", { version: "1.0", requestContext: {} }, "got format 1.0"],
  [
    "a load balancer",
    { httpMethod: "POST", requestContext: { elb: {} } },
    "got format 1.0, of an App",
  ],
  ["a queue", { Records: [] }, "got an event without a format"],
  ["nothing", undefined, "got an event without a format"],
])("an event of %s is refused", async (_source, event, got) => {
  const { receiver, seen } = recorder();
  await expect(toLambdaHandler(receiver)(event as LambdaEvent)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(new RegExp(`needs payload format 2\\.0; .*${got}`)),
  });
  expect(seen).toEqual([]);
});

test("a null body is an empty body", async () => {
  const { receiver, seen } = recorder();
  const event = eventOf("POST", WEBHOOKS, {}, Buffer.alloc(0));
  await toLambdaHandler(receiver)({ ...event, body: null } as unknown as LambdaEvent);
  expect(seen[0]?.bytes).toEqual(new Uint8Array());
});
