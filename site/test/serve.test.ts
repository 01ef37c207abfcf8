import { request } from "node:http";
import { expect, inject, test } from "vitest";

const url = new URL(inject("siteUrl"));

/** Sends a request whose path and headers are not changed by a URL parser or by `fetch`. */
function send(path: string, headers: Record<string, string> = {}, method = "GET") {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const options = { host: url.hostname, port: url.port, path, headers, method };
    const sent = request(options, async (response) => {
      const parts = await Array.fromAsync(response.setEncoding("utf8"));
      resolve({ status: response.statusCode, body: parts.join("") });
    });
    sent.on("error", reject).end();
  });
}

test("forwards requests of its own pages to the sandbox", async () => {
  const { status, body } = await send("/_sandbox/status", { origin: url.origin });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toHaveProperty("accounts");
});

test("refuses pages of other origins, and other names for its address", async () => {
  const foreign = { origin: "http://elsewhere.example" };
  expect(await send("/_sandbox/settle", foreign, "POST")).toMatchObject({ status: 403 });
  const renamed = { host: `elsewhere.example:${url.port}` };
  expect(await send("/_sandbox/status", renamed)).toMatchObject({ status: 403 });
});

test("never forwards a request to another host", async () => {
  const { status, body } = await send("//elsewhere.example/x");
  expect(status).toBe(404);
  expect(body).toContain("//elsewhere.example/x");
});

test("shows the site's page for a missing page", async () => {
  const { status, body } = await send("/nowhere/", { accept: "text/html" });
  expect(status).toBe(404);
  expect(body).toContain("<html");
});
