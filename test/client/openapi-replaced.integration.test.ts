import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { FeedFetch } from "../../src/client/index.ts";
import type { createOpenapiClient, OpenapiClient } from "../../src/client/openapi-client.ts";
import { ROOT } from "../document.ts";
import { clientOf, startTestServer } from "./test-server.ts";

/** Another implementation of what src/client/openapi-client.ts provides, without openapi-fetch. */
vi.mock("../../src/client/openapi-client.ts", () => ({
  createOpenapiClient: ((baseUrl: string, fetch: FeedFetch) => {
    const method =
      (name: string) =>
      async (template: string, init: Init = {}) => {
        const { params, body, ...options } = init;
        const path = template.replace(/\{(\w+)\}/g, (_, id) =>
          encodeURIComponent(params?.path[id] ?? ""),
        );
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const response = await fetch(baseUrl + path, { ...options, ...sent, method: name });
        const content = await response.json();
        return response.ok ? { data: content, response } : { error: content, response };
      };
    return { GET: method("GET"), PATCH: method("PATCH") } as unknown as OpenapiClient;
  }) satisfies typeof createOpenapiClient,
}));

interface Init {
  readonly params?: { readonly path: Readonly<Record<string, string>> };
  readonly body?: unknown;
}

test("one file imports openapi-fetch", () => {
  const folders = ["src", "conformance", "generated", "scripts", "spec"];
  const importers = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file))
      .filter((file) =>
        /(?:from|import\() *"openapi-fetch"/.test(readFileSync(join(ROOT, file), "utf8")),
      ),
  );
  expect(importers).toEqual(["src/client/openapi-client.ts"]);
});

test("the client works with another implementation of that file", async () => {
  const server = await startTestServer(({ url }) => ({
    status: url === "/cards/2" ? 404 : 200,
    body: { id: "1" },
  }));
  const feed = clientOf(server);
  const params = { path: { id: "1" } };
  expect((await feed.GET("/cards/{id}", { params })).data).toEqual({ id: "1" });
  const missing = await feed.GET("/cards/{id}", { params: { path: { id: "2" } } });
  expect(missing).toMatchObject({ error: { id: "1" }, response: { status: 404 } });
  const link = { params: { path: { bankLinkId: "1" } }, body: { a: 1 } };
  expect((await feed.PATCH("/bank-links/{bankLinkId}", link)).response.ok).toBe(true);
  expect(await feed.cards.get("1")).toEqual({ id: "1" });
  expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    "GET /cards/1 ",
    "GET /cards/2 ",
    'PATCH /bank-links/1 {"a":1}',
    "GET /cards/1 ",
  ]);
});
