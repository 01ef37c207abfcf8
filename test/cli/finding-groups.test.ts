import { expect, test } from "vitest";
import { FindingGroups } from "../../src/cli/finding-groups.ts";
import { renderReport } from "../../src/cli/findings-report.ts";
import { styleFor } from "../../src/cli/style.ts";
import { Unreadable } from "../../src/cli/unreadable.ts";
import { findingOf } from "../../src/contract/finding.ts";

const style = styleFor({ isTTY: false });

function render(faults: FindingGroups, unreadable = new Unreadable()): string {
  return renderReport({ faults, unreadable, sum: "the sum" }, style);
}

const found = (path: string, subject = "x.made") =>
  findingOf("TXN-08", `${subject} ${path || "(body)"}`, {
    path,
    expected: "true",
    actual: "false",
  });

test("counts the same fault together, whatever the index and the line", () => {
  const faults = new FindingGroups();
  for (let line = 1; line <= 1_200; line++)
    faults.add(found(`/m/${line % 7}/s`), "x.made", `${line}`);
  faults.add(found("", "x.made.longer"), "x.made.longer", "7");
  expect(render(faults).split("\n")).toEqual([
    "  ✗ TXN-08  error    In the projection, superseded is true exactly for the ids in",
    "                     supersededMessageIds.",
    "    x.made         /m/[]/s   1,200 times, on lines 1, 2, 3, 4, 5, …",
    "      expected true, got false",
    "    x.made.longer  (body)   once, on line 7",
    "      expected true, got false",
    "",
    "the sum",
    "",
  ]);
});

test("shows the whole message where it says more than what is compared", () => {
  const faults = new FindingGroups();
  faults.add({ ...found("/a"), message: "the one and the other differ" }, "x.made", "1");
  faults.add({ ...found("/b"), message: "of no event alone" }, "", "3, 7");
  faults.add({ ...found("/b"), message: "of no event alone" }, "", "8, 9");
  expect(render(faults)).toContain(
    [
      "    x.made  /a   once, on line 1",
      "      the one and the other differ",
      "    of no event alone",
      "      2 times, on lines 3, 7; 8, 9",
    ].join("\n"),
  );
});

test("names a line once where a payload has a fault several times", () => {
  const faults = new FindingGroups();
  for (const index of [0, 1, 2]) faults.add(found(`/m/${index}`), "x.made", "4");
  expect(render(faults)).toContain("/m/[]   3 times, on line 4\n");
});

test("shows errors before warnings before notices", () => {
  const faults = new FindingGroups();
  for (const level of ["notice", "warning", "error"] as const) {
    faults.add({ ...found("/a"), level }, "x.made", "1");
  }
  expect(render(faults).match(/^ {2}. TXN-08 {2}\w+/gm)).toEqual([
    "  ✗ TXN-08  error",
    "  ! TXN-08  warning",
    "  · TXN-08  notice",
  ]);
});

test("keeps apart a thousand faults, and counts what is found of more", () => {
  const faults = new FindingGroups();
  for (let name = 0; name < 1_500; name++) faults.add(found("/a"), `x.made${name}`, "1");
  faults.add(found("/a"), "x.made0", "2");
  expect(faults.byRequirement().flat()).toHaveLength(1_000);
  expect(render(faults)).toContain("\n  and 500 findings of further faults\n");
  expect(render(faults)).toContain("2 times, on lines 1, 2\n");
});

test("shows the first ten lines that can't be judged, and how many more there are", () => {
  const unreadable = new Unreadable();
  for (let line = 1; line <= 1_012; line++) unreadable.add(`${line}`, "not JSON");
  const rows = render(new FindingGroups(), unreadable).split("\n");
  expect(rows[0]).toBe("  ✗ 1,012 lines can't be judged");
  expect(rows.slice(1, 11).every((row, at) => row === `    line ${at + 1}: not JSON`)).toBe(true);
  expect(rows.slice(11)).toEqual(["    and 1,002 more", "", "the sum", ""]);
});

test("says nothing but the sum where there is nothing to say", () => {
  expect(render(new FindingGroups())).toBe("the sum\n");
});
