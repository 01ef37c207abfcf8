import { expect, test } from "vitest";
import { completeDocument, type Line, linesIn } from "../../src/cli/input.ts";

/** The lines of an input in chunks of `every` bytes. */
async function read(
  input: string | Buffer,
  { every = Infinity, longest = 100, as = linesIn } = {},
): Promise<Line[]> {
  const bytes = Buffer.from(input);
  const size = Math.min(every, bytes.length);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return (await Array.fromAsync(as(chunks(), longest))).flat();
}

const text = '\ufeff{"a":"é\u2028€"}\r\n\n \t\r\n"\u{1f600}"\n\n\ufefflast';
const wanted = [
  { number: 1, text: '{"a":"é\u2028€"}\r' },
  { number: 4, text: '"\u{1f600}"' },
  { number: 6, text: "last" },
];

test.each([1, 2, 3, 5, 7, 1000])("lines are the same in chunks of %i bytes", async (every) => {
  expect(await read(text, { every })).toEqual(wanted);
});

test.each([1, 4, 1000])("a line too long is skipped, in chunks of %i bytes", async (every) => {
  expect(await read(`ok\n${"x".repeat(9)}\nfits\n${"y".repeat(9)}`, { every, longest: 8 })).toEqual(
    [
      { number: 1, text: "ok" },
      { number: 2, problem: "longer than 8 bytes" },
      { number: 3, text: "fits" },
      { number: 4, problem: "longer than 8 bytes" },
    ],
  );
});

test("a line that is not UTF-8 is reported and skipped", async () => {
  expect(await read(Buffer.from([0xff, 0xfe, 0x0a, 0x37]))).toEqual([
    { number: 1, problem: "not UTF-8" },
    { number: 2, text: "7" },
  ]);
});

test("the lines of a chunk are yielded together", async () => {
  async function* chunks() {
    yield Buffer.from("1\n2\n3");
    yield Buffer.from("\n");
  }
  const batches = await Array.fromAsync(linesIn(chunks()));
  expect(batches.map((batch) => batch.length)).toEqual([2, 1]);
});

test("an input without a line is empty", async () => {
  expect(await read("")).toEqual([]);
  expect(await read("\n\n \n")).toEqual([]);
});

test.each<[string, Line]>([
  ["\ufeff{\n}\n", { number: 1, text: "{\n}\n" }],
  [" \n", { number: 1, problem: "empty" }],
  ["", { number: 1, problem: "empty" }],
  ["x".repeat(101), { number: 1, problem: "longer than 100 bytes" }],
])("%j is read as a whole", async (input, line) => {
  expect(await read(input, { every: 2, as: completeDocument })).toEqual([line]);
});
