import { readFileSync } from "node:fs";
import { join } from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { isDeclared } from "../../../src/sandbox/contract-document.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { ROOT } from "../../document.ts";

const generatedDocument = () =>
  JSON.parse(readFileSync(join(ROOT, "generated/openapi.json"), "utf8"));

async function open() {
  const sandbox = await createSandbox({ world: "empty" });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe("the sandbox's own contract", () => {
  test("is the generated document with the real server and token URL", async () => {
    const { baseUrl, accounts } = await open();
    const response = await fetch(`${baseUrl}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { servers, components, ...rest } = await response.json();
    expect(servers).toEqual([{ url: baseUrl, description: "This sandbox" }]);
    const { tokenUrl } = components.securitySchemes.ApiCredentials.flows.clientCredentials;
    const { accountId, clientId, clientSecret } = accounts[0];
    expect(tokenUrl).toBe(`${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`);
    const grant = { grant_type: "client_credentials", client_id: clientId };
    const body = new URLSearchParams({ ...grant, client_secret: clientSecret });
    expect((await fetch(tokenUrl, { method: "POST", body })).status).toBe(200);
    const { servers: _, components: generated, ...others } = generatedDocument();
    expect(rest).toEqual(others);
    components.securitySchemes = generated.securitySchemes;
    expect(components).toEqual(generated);
  });

  test("is also available as YAML", async () => {
    const { baseUrl } = await open();
    const response = await fetch(`${baseUrl}/openapi.yaml`);
    expect(response.headers.get("content-type")).toBe("application/yaml");
    const json = await (await fetch(`${baseUrl}/openapi.json`)).json();
    expect(parse(await response.text())).toEqual(json);
    await SwaggerParser.validate(json);
  });

  test("names the requested address and the current state's account", async () => {
    const sandbox = await open();
    const port = new URL(sandbox.baseUrl).port;
    await sandbox.reset({ seed: 2 });
    const text = await (await fetch(`http://localhost:${port}/openapi.json`)).text();
    expect(text).toContain(`"http://localhost:${port}"`);
    expect(text).toContain(`/auth/realms/${sandbox.accounts[0].accountId}/`);
  });

  test("is readable from other origins and contains no secret", async () => {
    const { baseUrl, accounts } = await open();
    for (const path of ["/openapi.json", "/openapi.yaml"]) {
      const response = await fetch(baseUrl + path, {
        headers: { origin: "https://editor.example" },
      });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      const text = await response.text();
      for (const { clientSecret, sdkClientSecret } of accounts) {
        expect(text).not.toContain(clientSecret);
        expect(text).not.toContain(sdkClientSecret);
      }
      const posted = await fetch(baseUrl + path, { method: "POST" });
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
    }
  });

  test("is linked from the page", async () => {
    const { controlUrl } = await open();
    const page = `${controlUrl}/`;
    const script = await (await fetch(new URL("assets/page.js", page))).text();
    const links = [...script.matchAll(/href: ?"([^"]*openapi[^"]*)"/g)].map(
      ([, href = ""]) => href,
    );
    expect(links).toHaveLength(2);
    for (const href of links) expect((await fetch(new URL(href, page))).status).toBe(200);
  });
});

test.each([
  [{ 200: {}, 404: {} }, 404, true],
  [{ 200: {}, "4XX": {} }, 404, true],
  [{ 200: {}, "4XX": {} }, 500, false],
  [{ 200: {}, default: {} }, 500, true],
  [{ 200: {}, 401: {} }, 404, false],
  [{ "2XX": {} }, 200, true],
  [{}, 200, false],
])("%j declares %i: %j", (responses, status, isThere) => {
  expect(isDeclared(responses, status)).toBe(isThere);
});
