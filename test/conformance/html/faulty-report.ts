import { writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Report } from "../../../conformance/index.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import type { useBrowser, WatchedPage } from "../../support/browser.ts";
import { startServer } from "../../support/local-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Markup and control characters with which a target could break a page. */
export const HOSTILE =
  "</pre></script><script>window.spoilt=1</script><img src=x onerror=window.spoilt=2>" +
  `"' onclick=window.spoilt=3 \`\${1} javascript:window.spoilt=4 \u202eesrever\u0007\u0000 &lt;b&gt; `;

/** The report of a run against a sandbox with mutations. */
export async function reportOfFaulty(): Promise<Report> {
  await using sandbox = await createSandbox({ world: "small", clock: "frozen" });
  const [credentials] = sandbox.accounts;
  let receiver = "";
  await using server = await startServer(async (request, response) => {
    const body = await textOf(request);
    const isDelivery = request.url === "/deliver";
    const target = isDelivery ? receiver : `${sandbox.baseUrl}${request.url}`;
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !DROPPED.includes(name)),
    ) as Record<string, string>;
    const sent = isDelivery ? spoilDelivery(body) : body;
    const { method = "GET" } = request;
    const reply = await fetch(target, { method, headers, ...(sent !== "" && { body: sent }) });
    const text = await reply.text();
    const type = reply.headers.get("content-type");
    response.writeHead(reply.status, type === null ? {} : { "content-type": type });
    response.end(reply.status === 200 ? corruptResponse(request.url ?? "", text) : text);
  });
  const url = server.origin;
  const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: 1 };
  const target = { baseUrl: url, credentials, profile: "full", webhooks } as const;
  const onListening = async (listening: string) => {
    receiver = listening;
    await sandbox.addEndpoint({ url: `${url}/deliver` });
    await sandbox.trigger("purchase");
    await sandbox.trigger("clear");
  };
  return await runConformance(target, { onListening });
}

const DROPPED = ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"];

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function spoilDelivery(text: string): string {
  const body = JSON.parse(text);
  if (body.status === "SETTLED") body.createdAt = "yesterday";
  if ("descriptor" in body) body.descriptor = `${HOSTILE}${"x".repeat(2_000)}`;
  return JSON.stringify(body);
}

function corruptResponse(path: string, text: string): string {
  if (/^\/transactions(\?|$)/.test(path)) {
    const body = JSON.parse(text);
    for (const one of body["_embedded"].transactions) {
      one.acceptor.mcc = 5812;
      one.descriptor = HOSTILE;
      one.createdAt = "2025-03-04T12:30:16Z";
    }
    return JSON.stringify(body);
  }
  if (path.startsWith("/bank-accounts")) return `<html><script>alert(1)</script>${text}`;
  if (path.startsWith("/cards")) return text.replace(/"totalItems":\d+/, '"totalItems":"many"');
  return text;
}

type NewPage = ReturnType<typeof useBrowser>;
type View = NonNullable<Parameters<NewPage>[0]>;

/** Opens a report from a file, as its recipient does. */
export async function openReport(
  newPage: NewPage,
  html: string,
  view: View = {},
  anchor = "",
): Promise<WatchedPage> {
  const dir = tempDir();
  const file = join(dir, "report.html");
  await writeFile(file, html);
  const watched = await newPage(view);
  await watched.page.goto(`${pathToFileURL(file).href}${anchor}`);
  return watched;
}
