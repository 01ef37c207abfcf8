import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { expect, expectTypeOf, test } from "vitest";
import { type LambdaEvent, toLambdaHandler } from "../../../src/webhooks/adapters/aws-lambda.ts";
import { recorder } from "./recorder.ts";
import { eventOf } from "./servers.ts";

const WEBHOOKS = new URL("http://gateway/webhooks");
const JSON_TYPE = { "content-type": "application/json" };

test("the handler has the type of AWS", () => {
  type Handler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;
  expectTypeOf(toLambdaHandler(recorder().receiver)).toExtend<Handler>();
});

test("the result has payload format 2.0", async () => {
  const response = { headers: JSON_TYPE, body: '{"title":"é"}' };
  const handler = toLambdaHandler(recorder({ ...response, status: 422 }).receiver);
  const result = await handler(eventOf("POST", WEBHOOKS, JSON_TYPE, Buffer.from("{}")));
  expect(result).toEqual({ ...response, statusCode: 422, isBase64Encoded: false });
});

test("headers are found in any case, and a null body is an empty body", async () => {
  const { receiver, seen } = recorder();
  const event = eventOf("POST", WEBHOOKS, { "Webhook-Event-Type": "x" }, Buffer.alloc(0));
  await toLambdaHandler(receiver)({ ...event, body: null } as unknown as LambdaEvent);
  expect(seen[0]?.header("webhook-event-type")).toBe("x");
  expect(seen[0]?.bytes).toEqual(new Uint8Array());
});

const restEvent = { httpMethod: "POST", path: "/", requestContext: { stage: "x" } };
test.each<[string, unknown, string]>([
  ["a REST API", restEvent, "got format 1.0, of a REST API"],
  ["an HTTP API of format 1.0", { version: "1.0", requestContext: {} }, "got format 1.0"],
  ["a load balancer", { httpMethod: "POST", requestContext: { elb: {} } }, "1.0, of an App"],
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
