import { expect, test } from "vitest";
import { formats } from "../../src/contract/formats.ts";
import { readDocument } from "../document.ts";

interface Declared {
  readonly pattern: string;
  readonly maxLength?: number;
}

const { schemas } = readDocument().components;

test.each<[keyof typeof formats, string, boolean]>([
  ["date", "2025-03-04", true],
  ["date", "2024-02-29", true],
  ["date", "2000-02-29", true],
  ["date", "2025-02-29", false],
  ["date", "1900-02-29", false],
  ["date", "2025-02-30", false],
  ["date", "2025-13-01", false],
  ["date", "2025-00-10", false],
  ["date", "2025-04-31", false],
  ["date", "2025-04-00", false],
  ["date", "2025-3-4", false],
  ["date", "2025-03-04T00:00:00.000Z", false],
  ["date-time", "2025-03-04T12:30:16.120Z", true],
  ["date-time", "2025-03-04T23:59:59.999Z", true],
  ["date-time", "2025-03-04T12:30:16Z", false],
  ["date-time", "2025-03-04T12:30:16.12Z", false],
  ["date-time", "2025-03-04T12:30:16.1200Z", false],
  ["date-time", "2025-03-04T12:30:16.120+00:00", false],
  ["date-time", "2025-03-04t12:30:16.120z", false],
  ["date-time", "2025-03-04 12:30:16.120Z", false],
  ["date-time", "2025-02-30T12:30:16.120Z", false],
  ["date-time", "2025-03-04T24:00:00.000Z", false],
  ["date-time", "2025-03-04T12:60:00.000Z", false],
  ["date-time", "2025-03-04T23:59:60.000Z", false],
  ["date-time", "2025-03-04T12:30:16.120Z\n", false],
  ["date-time-local", "2025-03-04T12:30:15", true],
  ["date-time-local", "2025-03-04T12:30:15.5", true],
  ["date-time-local", "2025-03-04T12:30:15.123456", true],
  ["date-time-local", `2025-03-04T12:30:15.${"7".repeat(30)}`, true],
  ["date-time-local", `2025-03-04T12:30:15.${"7".repeat(31)}`, false],
  ["date-time-local", "2025-03-04T12:30:15.1a", false],
  ["date-time-local", "2025-03-04T12:30:15.", false],
  ["date-time-local", "2025-03-04T12:30:15Z", false],
  ["date-time-local", "2025-03-04T12:30:15+01:00", false],
  ["date-time-local", "2025-02-29T12:30:15", false],
  ["date-time-local", "2025-03-04T12:30", false],
  ["date-time-local", "2025-03-04", false],
  ["uuid", "ea9e2cb5-f6fc-4d76-ad1c-812d9eac6cc9", true],
  ["uuid", "EA9E2CB5-F6FC-4D76-AD1C-812D9EAC6CC9", true],
  ["uuid", "00000000-0000-0000-0000-000000000000", true],
  ["uuid", "ea9e2cb5f6fc4d76ad1c812d9eac6cc9", false],
  ["uuid", "urn:uuid:ea9e2cb5-f6fc-4d76-ad1c-812d9eac6cc9", false],
  ["uuid", "ga9e2cb5-f6fc-4d76-ad1c-812d9eac6cc9", false],
  ["uuid", "", false],
  ["uri", "https://cornercafe.example/", true],
  ["uri", "https://cornercafe.example/".padEnd(2048, "x"), true],
  ["uri", "https://cornercafe.example/".padEnd(2049, "x"), false],
  ["uri", `https://a.example/${"😀".repeat(2030)}`, true],
  ["uri", `https://a.example/${"😀".repeat(2031)}`, false],
  ["uri", "/cards/1", false],
  ["uri", "//logos.example/x.png", false],
])("%s: %j is %s", (format, text, expected) => {
  expect(formats[format](text)).toBe(expected);
  // Validators apply the format instead of the equivalent pattern and length of the document.
  const [schema] = Object.values(schemas).filter(
    (one) => (one["x-format"] ?? one.format) === format,
  );
  const { pattern, maxLength = Number.POSITIVE_INFINITY } = schema as unknown as Declared;
  expect(new RegExp(pattern, "u").test(text) && [...text].length <= maxLength).toBe(expected);
});

test("a string has the same result twice, and after similar strings", () => {
  const good = "ea9e2cb5-f6fc-4d76-ad1c-812d9eac6cc9";
  const bad = "ea9e2cb5-f6fc-4d76-ad1c-812d9eac6ccg";
  const results = [good, good, bad, bad, good, "", "9", "6cc9"].map((text) => formats.uuid(text));
  expect(results).toEqual([true, true, false, false, true, false, false, false]);
  expect(["", "Z", "000Z"].map((text) => formats["date-time"](text))).toEqual([
    false,
    false,
    false,
  ]);
});

test("a million characters match no format", () => {
  const long = "1".repeat(1_000_000);
  const texts = [long, `2025-03-04T12:30:15.${long}`, `https://a.example/${long}`];
  for (const format of Object.values(formats)) {
    expect(texts.map((text) => format(text))).toEqual([false, false, false]);
  }
});
