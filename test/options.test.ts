import { expect, test } from "vitest";
import { TxfeedError } from "../src/errors.ts";
import { assertKnownOptions } from "../src/options.ts";

const KNOWN = ["on", "verify", "onInvalid", "timeoutMs"];
const refusal = (options: unknown) => () =>
  assertKnownOptions("createReceiver", options as object, KNOWN);

test.each<[unknown, string]>([
  [{ oninvalid: 1 }, 'unknown option "oninvalid"; did you mean "onInvalid"?'],
  [{ on: {}, timeout: 1 }, 'unknown option "timeout"; did you mean "timeoutMs"?'],
  [{ verifi: undefined }, 'unknown option "verifi"; did you mean "verify"?'],
  [{ colour: 1 }, 'unknown option "colour"; known options: on, verify, onInvalid, timeoutMs'],
  [{ constructor: 1 }, 'unknown option "constructor"; known options: on, verify, onInv'],
  [["on"], 'unknown option "0"; known options: on, verify'],
  [undefined, "options must be an object; got undefined"],
  [null, "options must be an object; got null"],
  ["on", "options must be an object; got on"],
])("%j is refused: %s", (options, message) => {
  expect(refusal(options)).toThrow(TxfeedError);
  expect(refusal(options)).toThrow(
    expect.objectContaining({
      code: "usage",
      message: expect.stringContaining(`createReceiver: ${message}`),
    }),
  );
});

test.each<[object]>([[{}], [{ on: 1, timeoutMs: 2 }], [{ verify: undefined }]])(
  "%j is accepted",
  (options) => {
    expect(refusal(options)).not.toThrow();
  },
);
