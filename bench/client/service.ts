/** The service that the clients call, in a process of its own; it tells its port. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pageText, tokenText, transactionTexts } from "./responses.ts";

const TRANSACTION_PATH = "/transactions/";

/** Longer than any contestant has to wait for its turn: nobody is to open connections again. */
const KEEP_ALIVE_MS = 120_000;

const bodies = new Map([...transactionTexts].map(([id, text]) => [id, Buffer.from(text)]));

function answer(response: ServerResponse, body: Buffer | undefined): void {
  const headers = { "content-type": "application/json", "content-length": body?.length ?? 0 };
  response.writeHead(body ? 200 : 404, headers).end(body);
}

const server = createServer((request, response) => {
  const { url = "" } = request;
  if (url.startsWith(TRANSACTION_PATH)) {
    return answer(response, bodies.get(url.slice(TRANSACTION_PATH.length)));
  }
  if (request.method === "POST") {
    request.resume().once("end", () => answer(response, Buffer.from(tokenText)));
    return;
  }
  const { searchParams } = new URL(url, "http://127.0.0.1");
  answer(response, Buffer.from(pageText(searchParams)));
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
