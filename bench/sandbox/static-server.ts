/**
 * Serves fixed responses with node:http only. Its request rate is the upper limit for a sandbox. It
 * receives the responses as a message, and sends its port.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The response of a path. */
export interface StaticResponse {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

process.once("message", (list: readonly StaticResponse[]) => {
  const responses = new Map(
    list.map(({ path, headers, body }) => [path, { headers, bytes: Buffer.from(body) }]),
  );
  const server = createServer(({ url = "" }, response) => {
    const known = responses.get(url);
    if (known) response.writeHead(200, known.headers).end(known.bytes);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit());
