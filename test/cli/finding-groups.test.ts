import { expect, test } from "vitest";
import { FindingGroups, Unreadable } from "../../src/cli/finding-groups.ts";
import { renderReport } from "../../src/cli/findings-report.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { findingOf } from "../../src/contract/finding.ts";

const style = styleFor({ isTTY: false });

function render(groups: FindingGroups, unreadable = new Unreadable()): string {
  return renderReport({ groups, unreadable, summary: "the summary" }, style);
}

const found = (path: string, subject = "x.made") =>
  findingOf("TXN-08.marked", `${subject} ${path || "(body)"}`, {
    path,
    expected: "true",
    actual: "false",
  });

test("findings that differ only in index and line are one group", () => {
  const groups = new FindingGroups();
  for (let line = 1; line <= 1_200; line++)
    groups.add(found(`/m/${line % 7}/s`), "x.made", `${line}`);
  groups.add(found("", "x.made.longer"), "x.made.longer", "7");
  expect(render(groups).split("\n")).toEqual([
    "  ✗ TXN-08  error    In the projection, superseded is true exactly for the ids in",
    "                     supersededMessageIds.",
    "    x.made         /m/[]/s   1,200 times, on lines 1, 2, 3, 4, 5, …",
    "      expected true, got false",
    "    x.made.longer  (body)   once, on line 7",
    "      expected true, got false",
    "",
    "the summary",
    "",
  ]);
});

test("a message other than the comparison is shown in full", () => {
  const groups = new FindingGroups();
  groups.add({ ...found("/a"), message: "the values differ" }, "x.made", "1");
  groups.add({ ...found("/b"), message: "a message about several events" }, "", "3, 7");
  groups.add({ ...found("/b"), message: "a message about several events" }, "", "8, 9");
  expect(render(groups)).toContain(
    [
      "    x.made  /a   once, on line 1",
      "      the values differ",
      "    a message about several events",
      "      2 times, on lines 3, 7; 8, 9",
    ].join("\n"),
  );
});

test("a line with several findings of a group is listed once", () => {
  const groups = new FindingGroups();
  for (const index of [0, 1, 2]) groups.add(found(`/m/${index}`), "x.made", "4");
  expect(render(groups)).toContain("/m/[]   3 times, on line 4\n");
});

test("errors come before warnings, warnings before notices", () => {
  const groups = new FindingGroups();
  for (const level of ["notice", "warning", "error"] as const) {
    groups.add({ ...found("/a"), level }, "x.made", "1");
  }
  expect(render(groups).match(/^ {2}. TXN-08 {2}\w+/gm)).toEqual([
    "  ✗ TXN-08  error",
    "  ! TXN-08  warning",
    "  · TXN-08  notice",
  ]);
});

test("findings in groups after the first 1,000 are only counted", () => {
  const groups = new FindingGroups();
  for (let name = 0; name < 1_500; name++) groups.add(found("/a"), `x.made${name}`, "1");
  groups.add(found("/a"), "x.made0", "2");
  expect(groups.byRequirement().flat()).toHaveLength(1_000);
  expect(render(groups)).toContain("\n  and 500 findings in further groups\n");
  expect(render(groups)).toContain("2 times, on lines 1, 2\n");
});

test("the first ten unreadable lines are listed, the others counted", () => {
  const unreadable = new Unreadable();
  for (let line = 1; line <= 1_012; line++) unreadable.add(`${line}`, "not JSON");
  const rows = render(new FindingGroups(), unreadable).split("\n");
  expect(rows[0]).toBe("  ✗ 1,012 lines unreadable");
  expect(rows.slice(1, 11).every((row, at) => row === `    line ${at + 1}: not JSON`)).toBe(true);
  expect(rows.slice(11)).toEqual(["    and 1,002 more", "", "the summary", ""]);
});

test("a report without findings is only the summary", () => {
  expect(render(new FindingGroups())).toBe("the summary\n");
});
