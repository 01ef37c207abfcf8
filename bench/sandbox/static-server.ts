/**
 * Answers what it is told to by nothing but node:http: the most that a sandbox could reach. It
 * tells its port once it knows its answers.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What is answered at a path. */
export interface StaticResponse {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

process.once("message", (told: readonly StaticResponse[]) => {
  const answers = new Map(
    told.map(({ path, headers, body }) => [path, { headers, bytes: Buffer.from(body) }]),
  );
  const server = createServer(({ url = "" }, response) => {
    const answer = answers.get(url);
    if (answer) response.writeHead(200, answer.headers).end(answer.bytes);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit());
