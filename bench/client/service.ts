/** The service that the clients call, in a separate process. It sends its port. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pageText, tokenText, transactionTexts } from "./responses.ts";

const TRANSACTION_PATH = "/transactions/";

/** Longer than any client waits for its turn, so that clients keep their connections. */
const KEEP_ALIVE_MS = 120_000;

const bodies = new Map([...transactionTexts].map(([id, text]) => [id, Buffer.from(text)]));

function send(response: ServerResponse, body: Buffer | undefined): void {
  const headers = { "content-type": "application/json", "content-length": body?.length ?? 0 };
  response.writeHead(body ? 200 : 404, headers).end(body);
}

const server = createServer((request, response) => {
  const { url = "" } = request;
  if (url.startsWith(TRANSACTION_PATH)) {
    return send(response, bodies.get(url.slice(TRANSACTION_PATH.length)));
  }
  if (request.method === "POST") {
    request.resume().once("end", () => send(response, Buffer.from(tokenText)));
    return;
  }
  const { searchParams } = new URL(url, "http://127.0.0.1");
  send(response, Buffer.from(pageText(searchParams)));
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
