import { expect, test } from "vitest";
import { renderList } from "../../../conformance/cli/list.ts";
import { requirementIds, requirements } from "../../../generated/requirements.ts";
import { styleFor } from "../../../src/cli/terminal.ts";

const list = (...only: string[]) =>
  renderList(only.length > 0 ? only : undefined, styleFor({ isTTY: false }, {})).split("\n");

test("every requirement has one line, with its text", () => {
  const lines = list();
  for (const id of requirementIds) {
    const own = lines.filter((line) => line.trimStart().startsWith(`${id} `));
    expect(own).toHaveLength(1);
    expect(own[0]).toContain(requirements[id].text);
  }
});

test("a line shows how a requirement is checked, or why it is excluded", () => {
  const lines = list();
  const lineOf = (id: string) => lines.find((line) => line.includes(`  ${id} `)) ?? "";
  expect(lineOf("AUTH-01")).toMatch(/^ {2}AUTH-01 {2}http .* POST \/auth/);
  expect(lineOf("CONV-07")).toMatch(/ derived {2}A resource's self link/);
  expect(lineOf("VER-01")).toMatch(/ excluded .*\(Applies to the consumer, not the server\.\)$/);
});

test("with claims, each claim is listed with its checks, its place and its situations", () => {
  const lines = renderList(["AUTH-09"], styleFor({ isTTY: false }, {}), true).split("\n");
  const at = lines.findIndex((line) => line.includes(" AUTH-09.refused-after  "));
  expect(lines[at]).toMatch(/ {2}A token that is older .* driven; Authentication, rule 4; /);
  expect(lines[at + 1]).toBe("      in after-limit");
});

test("only selected groups are listed, with headings and a sum", () => {
  const lines = list("PAGE", "TXN-05");
  expect(lines.filter((line) => /^(PAGE|TXN) /.test(line))).toEqual([
    "PAGE pagination",
    "TXN transactions",
  ]);
  expect(lines.filter((line) => /^ {2}[A-Z]+-\d\d/.test(line))).toHaveLength(16);
  expect(lines.at(-1)).toMatch(
    /^16 requirements, 1 excluded; checks: .* claims in \d+ situations$/,
  );
});
