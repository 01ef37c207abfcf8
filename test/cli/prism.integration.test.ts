import { afterAll, beforeAll, expect, test } from "vitest";
import { type Mock, startMock } from "../../src/cli/prism.ts";
import { validateResponse } from "../../src/contract/index.ts";
import { readExamples } from "../document.ts";
import { notFound, serve } from "../support/local-server.ts";

let mock: Mock;
const violations: string[] = [];

beforeAll(async () => {
  mock = await startMock({ onViolation: (violation) => violations.push(violation) });
});

afterAll(() => mock.stop());

const AUTHORIZED = {
  accept: "application/json, application/problem+json",
  authorization: "Bearer anything",
};
const TOKEN = "POST /auth/realms/{account_id}/protocol/openid-connect/token";

/** Asks the mock for one example of an operation. */
function ask(operation: string, example: string): Promise<Response> {
  const [method = "", template = ""] = operation.split(" ");
  const path = template.replaceAll(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");
  const form = { client_id: "a", client_secret: "b", grant_type: "client_credentials" };
  return fetch(mock.url + path, {
    method,
    headers: {
      ...AUTHORIZED,
      prefer: `example=${example}`,
      ...(method === "POST" && { "content-type": "application/x-www-form-urlencoded" }),
    },
    ...(method === "POST" && { body: new URLSearchParams(form).toString() }),
  });
}

const responses = readExamples().filter(({ kind }) => kind === "response");

test.each(responses)("Prism serves $case of $of, valid by our validator", async (example) => {
  const response = await ask(example.of, example.case);
  const body = await response.json();
  expect(response.status).toBe(200);
  expect(body).toEqual(example.value);
  if (example.of.startsWith("PATCH")) return;
  expect(validateResponse(example.of as typeof TOKEN, 200, body).findings).toEqual([]);
});

test("Prism refuses a request without a token with 401 and a reason", async () => {
  const { status } = await fetch(`${mock.url}/cards`);
  expect(status).toBe(401);
  await expect.poll(() => violations.join("\n")).toContain("security");
});

test.each(["101", "0", "ten"])("Prism refuses a limit of %s with 400", async (limit) => {
  const { status } = await fetch(`${mock.url}/cards?limit=${limit}`, { headers: AUTHORIZED });
  expect(status).toBe(400);
});

test("a used port is reported at once", async () => {
  const port = Number(new URL(await serve(notFound)).port);
  await expect(startMock({ port })).rejects.toMatchObject({
    code: "port-in-use",
    message: expect.stringContaining(`port ${port} on 127.0.0.1`),
  });
});

test("a document that Prism can't read is reported by name", async () => {
  await expect(startMock({ document: "no-such-file.yaml" })).rejects.toMatchObject({
    code: "not-started",
    message: expect.stringContaining("no-such-file.yaml"),
  });
});
