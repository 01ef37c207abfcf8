// A separate process that gets a transaction with very long texts. It prints the code of the error,
// if any, and the duration.
import { responseExamples } from "../../generated/response-examples.ts";
import { createFeedClient, type FeedError } from "../../src/client/index.ts";
import { credentials } from "./credentials.ts";

const [unit = "A", timeoutMs = "2000"] = process.argv.slice(2);
const [{ body: transaction }] = responseExamples["GET /transactions/{transactionId}"];
const MAX_BYTES = 16 * 2 ** 20;

/** Replaces every text of a body by a hostile one of a length. */
function hostile(body: unknown, length: number): unknown {
  return JSON.parse(
    JSON.stringify(body, (_key, member) =>
      typeof member === "string" ? `${unit.repeat(length / unit.length)}!a` : member,
    ),
  );
}

const TOKEN = { access_token: "token-1", expires_in: 300, token_type: "Bearer" };
let text = "";
const feed = createFeedClient({
  ...credentials("https://feed.example"),
  timeoutMs: Number(timeoutMs),
  validate: "throw",
  transport: async ({ method }) => ({
    status: 200,
    headers: new Headers(),
    text: method === "POST" ? JSON.stringify(TOKEN) : text,
  }),
});
// Load the validators before the measurement.
await feed.transactions.get("1").catch(() => {});

const count = JSON.stringify(transaction).match(/":"/g)?.length ?? 1;
let length = Math.floor(MAX_BYTES / count);
do {
  text = JSON.stringify(hostile(transaction, length));
  length = Math.floor(length / 2);
} while (Buffer.byteLength(text) > MAX_BYTES);

const startedAt = performance.now();
const code = await feed.transactions.get("1").then(
  () => "none",
  (error: FeedError) => error.code,
);
process.stdout.write(JSON.stringify({ code, tookMs: performance.now() - startedAt }));
