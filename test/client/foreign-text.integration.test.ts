import { describe, expect, test } from "vitest";
import { BaseAddress } from "../../src/client/base-address.ts";
import { ServerClock, systemClock } from "../../src/client/clock.ts";
import { Redaction } from "../../src/client/log.ts";
import { retryAfterMs } from "../../src/client/retry.ts";
import { Secrets } from "../../src/client/secrets.ts";
import { isSendable } from "../../src/client/token-exchange.ts";
import { reasonOf } from "../../src/errors.ts";

const LENGTH = 1_000_000;

/** A text length that takes a quadratic parser minutes and a linear one milliseconds. */
const MAX_MS = 1000;

const FACTS = { method: "GET", path: "(link)", attempts: 0 };
const base = new BaseAddress("https://feed.example/api");
const server = new ServerClock(systemClock);
const secrets = new Secrets(["secret-1"]);
const redaction = new Redaction({});

/** Parsers of server-provided text. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "a link": (text) => base.resolve(text, FACTS),
  "an absolute link": (text) => base.resolve(`https://feed.example/api/${text}`, FACTS),
  "a link's host": (text) => base.resolve(`https://feed.example:${text}`, FACTS),
  "Retry-After": (text) => retryAfterMs(new Map([["retry-after", text]]) as never, server),
  "a date of Retry-After": (text) =>
    retryAfterMs(new Map([["retry-after", `Mon, ${text} GMT`]]) as never, server),
  Date: (text) => server.learn(text, 0),
  "an access token": isSendable,
  "a reason": (text) => secrets.scrub(reasonOf(new Error(text))).replace(/\s+/g, " "),
  "a response's headers": (text) => redaction.headers({ date: text, "x-request-id": text }),
};

const UNITS = [
  ...["a", "A", " ", "/", "/.", "/ .", ".", "1", ":1", "%", "%2e", "%CC%95%CC%96", "(", "-1", ","],
  ...["Mon, ", " GMT", "\n", "\u0315\u0316", "secret-", "eyJ.", "\\", "?", "#", "@"],
];

describe("the time to read grows linearly with the length", () => {
  test.each(Object.entries(READERS))("of %s", (_name, read) => {
    for (const unit of UNITS) {
      for (const start of ["", "/", "1"]) {
        for (const end of ["", "x", " GMT", "\u0000"]) {
          const text = start + unit.repeat(LENGTH / unit.length) + end;
          const startedAt = performance.now();
          try {
            read(text);
          } catch {
            // Rejecting a text must be fast too.
          }
          const tookMs = performance.now() - startedAt;
          expect(tookMs, JSON.stringify([start, unit, end])).toBeLessThan(MAX_MS);
        }
      }
    }
  });
});
