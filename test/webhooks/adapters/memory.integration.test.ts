import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SERVER = fileURLToPath(new URL("memory-server.ts", import.meta.url));
const UPLOAD_BYTES = 150_000_000;
const CHUNK = Buffer.alloc(100_000, "a");

const servers = ["node:http", "Express", "Fastify"];
const kinds = [
  { how: "with content-length", header: `content-length: ${UPLOAD_BYTES}`, frame: CHUNK },
  {
    how: "in chunks",
    header: "transfer-encoding: chunked",
    frame: Buffer.concat([
      Buffer.from(`${CHUNK.length.toString(16)}\r\n`),
      CHUNK,
      Buffer.of(13, 10),
    ]),
  },
];

test.each(servers.flatMap((name) => kinds.map((kind) => ({ name, ...kind }))))(
  "$name grows by less than 10 MB for a 150 MB POST $how",
  async ({ name, header, frame }) => {
    const child = fork(SERVER, [name]);
    try {
      const [url] = await once(child, "message");
      // Warm up first: loading code must not count as growth.
      await fetch(url, { method: "POST", body: "{}" });
      await mostMemory(child);
      const beforeBytes = await mostMemory(child);
      const response = await upload(new URL(url), header, frame);
      const grownBytes = (await mostMemory(child)) - beforeBytes;
      expect(response).toMatch(/^HTTP\/1\.1 413 .*\r\n/);
      expect(grownBytes).toBeLessThan(10_000_000);
    } finally {
      child.kill();
      await once(child, "exit");
    }
  },
);

async function mostMemory(child: ChildProcess): Promise<number> {
  child.send("most");
  const [bytes] = await once(child, "message");
  return bytes;
}

/** Sends the body until the server closes the connection. Resolves to the response. */
async function upload({ hostname, port, pathname }: URL, header: string, frame: Buffer) {
  const socket = connect(Number(port), hostname);
  let response = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    response += text;
  });
  // The socket may report a reset when the server closes the connection.
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`);
  for (let sent = 0; sent < UPLOAD_BYTES && !socket.destroyed; sent += CHUNK.length) {
    if (socket.write(frame)) continue;
    await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  await closed;
  return response;
}
