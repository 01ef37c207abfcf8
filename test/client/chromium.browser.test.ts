import { createHash } from "node:crypto";
import { json } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { createSdkTokenHandler } from "../../src/client/sdk/index.ts";
import { browserTest, useBrowser } from "../support/browser.ts";
import { startServer } from "../support/local-server.ts";
import { bundle } from "./browser-bundle.ts";
import { CREDENTIALS, mount, tokenEndpoint } from "./sdk-fixture.ts";

/** The page's report at the end. */
interface Report {
  /** Properties of the page's token; the token itself is never shown. */
  readonly length: number;
  readonly sha256: string;
  /** The counts for 20 concurrent calls, and for these and a later call. */
  readonly differentTokens: readonly [number, number];
  readonly failure: string;
  readonly failedAfterMs: number;
  readonly text: string;
}

const PAGE =
  '<!doctype html><title>txfeed</title><body><script type="module" src="/page.js"></script>';

/** A strict content security policy: no eval and no other origins. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

const SCRIPT = `
  import { createGetAccessToken } from "/txfeed.js";
  const send = (report) => fetch("/report", { method: "POST", body: JSON.stringify(report) });
  // Report the page's errors to the test, so that it need not wait for a timeout.
  addEventListener("error", ({ message }) => send({ failure: message }));
  addEventListener("unhandledrejection", ({ reason }) => send({ failure: String(reason) }));
  const getAccessToken = createGetAccessToken({ url: "/sdk-token" });
  const tokens = await Promise.all(Array.from({ length: 20 }, () => getAccessToken()));
  const first = new Set(tokens).size;
  // The SDK calls again if the service rejects the token.
  tokens.push(await getAccessToken());
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(tokens[0]));
  const report = {
    length: tokens[0].length,
    sha256: Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(""),
    differentTokens: [first, new Set(tokens).size],
  };
  document.body.textContent = \`a token of \${report.length} characters\`;
  const start = performance.now();
  try {
    await createGetAccessToken({ url: "/hangs" })();
  } catch (error) {
    report.failure = \`\${error.name} \${error.code}\`;
  }
  report.failedAfterMs = performance.now() - start;
  report.text = document.body.innerText;
  send(report);
`;

const newPage = useBrowser();

browserTest("SDK-02, SDK-03: a page gets a token, or a timeout error", async () => {
  const library = await bundle("src/client/browser/index.ts");
  const endpoint = await tokenEndpoint(Date.now);
  const handler = createSdkTokenHandler({
    ...CREDENTIALS,
    baseUrl: endpoint.origin,
    authorize: ({ headers }) => headers.get("cookie") === "session=1",
  });
  const route = mount(handler);
  const requests: string[] = [];
  const { promise: reported, resolve: report } = Promise.withResolvers<Report>();
  const site = await startServer(async (request, response) => {
    const path = `${request.method} ${request.url}`;
    requests.push(path);
    const script = { "content-type": "text/javascript" };
    if (path === "GET /") {
      const headers = { "content-type": "text/html", "content-security-policy": POLICY };
      response.writeHead(200, { ...headers, "set-cookie": "session=1; HttpOnly; SameSite=Strict" });
      response.end(PAGE);
    } else if (path === "GET /txfeed.js") response.writeHead(200, script).end(library);
    else if (path === "GET /page.js") response.writeHead(200, script).end(SCRIPT);
    else if (path === "POST /sdk-token") await route(request, response);
    else if (path === "POST /report") {
      report((await json(request)) as Report);
      response.end();
    } else if (path !== "POST /hangs") response.writeHead(404).end();
  });
  onTestFinished(async () => {
    await site.close();
    await endpoint.close();
  });
  const { page } = await newPage();
  await page.goto(site.origin);

  const output = await reported;
  const [token = ""] = endpoint.tokens;
  expect(output).toMatchObject({
    length: token.length,
    sha256: createHash("sha256").update(token).digest("hex"),
    differentTokens: [1, 2],
    failure: "AccessTokenError timeout",
    text: `a token of ${token.length} characters`,
  });
  expect(output.failedAfterMs).toBeGreaterThan(4000);
  expect(output.failedAfterMs).toBeLessThan(5000);
  expect(endpoint.requests).toBe(2);
  expect(requests.filter((path) => path === "POST /sdk-token")).toHaveLength(2);
});
