import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "../../conformance/report/report.ts";
import { requirementIds } from "../../generated/requirements.ts";
import { type Mock, startMock } from "../../src/cli/prism.ts";
import { type Document, readDocument } from "../document.ts";
import { txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const dir = tempDir();
let prism: Mock;

beforeAll(async () => {
  prism = await startMock();
});

afterAll(async () => {
  await prism.stop();
});

/** Runs the command line against a mock and reads its report. */
async function runAgainst({ url }: Mock, ...flags: string[]) {
  const file = join(dir, `report-${Math.random()}.json`);
  const result = await txfeed("conformance", url, "--report-json", file, ...flags);
  const report: Report = JSON.parse(await readFile(file, "utf8"));
  return { ...result, report, file };
}

/** Runs the mock profile against Prism with a changed contract. */
async function runBroken(change: (document: Document) => void) {
  const document = readDocument();
  change(document);
  const file = join(dir, `openapi-${Math.random()}.json`);
  await writeFile(file, JSON.stringify(document));
  const mock = await startMock({ document: file });
  try {
    return await runAgainst(mock, "--profile", "mock");
  } finally {
    await mock.stop();
  }
}

/** An operation's first response example. */
function exampleOf(document: Document, path: string): Record<string, unknown> {
  const [operation] = Object.values(document.paths[path] ?? {});
  const { examples } = operation?.responses["200"]?.content?.["application/json"] ?? {};
  return Object.values(examples ?? {})[0]?.value ?? {};
}

const withVerdict = ({ requirements }: Report, verdict: string) =>
  requirements.filter((entry) => entry.verdict === verdict).map(({ id }) => id);

test("the mock profile passes on Prism and lists every requirement", async () => {
  const { status, stderr, stdout, report, file } = await runAgainst(prism, "--profile", "mock");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(report).toMatchObject({ target: prism.url, profile: "mock" });
  expect(withVerdict(report, "failed")).toEqual([]);
  expect(withVerdict(report, "passed")).toEqual([
    ...["CONV-01", "CONV-02", "CONV-03", "CONV-04", "CONV-06"],
    ...["AUTH-01", "AUTH-03", "AUTH-07"],
    ...["PAGE-02", "PAGE-03", "PAGE-06", "PAGE-09", "PAGE-10"],
    ...[
      "TXN-01",
      "TXN-02",
      "TXN-03",
      "TXN-04",
      "TXN-05",
      "TXN-06",
      "TXN-07",
      "TXN-08",
      "TXN-09",
      "TXN-16",
    ],
    ...["MSG-01", "MSG-02", "MSG-07", "MSG-08", "MSG-10", "MAT-03"],
  ]);
  const counts = Object.values(report.summary);
  expect(counts.reduce((sum, count) => sum + count)).toBe(143);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(/^101 of \d+ claims decided, 0 failed/);
  expect(lines.at(-3)).toBe(`report-json in ${file}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: output must not contain them
  expect(stdout).not.toMatch(/\u001b/);
});

test("skips and exclusions have reasons, and each pass has a check", async () => {
  const { report } = await runAgainst(prism, "--profile", "mock");
  for (const { verdict, reason, checks } of report.requirements) {
    if (verdict === "skipped" || verdict === "excluded") expect(reason).toBeTruthy();
    if (verdict === "passed") expect(checks.length).toBeGreaterThan(0);
  }
});

test("each endpoint is requested without a token", async () => {
  const { report } = await runAgainst(prism, "--profile", "mock");
  const auth = report.requirements.find(({ id }) => id === "AUTH-07");
  const requests = auth?.checks.filter(({ name }) =>
    /^(GET|PATCH) .* requires a token$/.test(name),
  );
  expect(requests).toHaveLength(17);
});

test("a stateless mock fails the full profile", async () => {
  const credentials = ["--account-id", "a", "--client-id", "b", "--client-secret", "c-secret"];
  const { status, stdout, report } = await runAgainst(prism, ...credentials);
  expect(status).toBe(1);
  expect(withVerdict(report, "failed")).toEqual(
    expect.arrayContaining(["AUTH-04", "AUTH-05", "AUTH-06", "AUTH-08", "PAGE-07", "ERR-01"]),
  );
  expect(stdout).toContain("✗ AUTH-0");
});

type Break = [requirement: string, what: string, change: (document: Document) => void];

const firstTransaction = (document: Document) => {
  const page = exampleOf(document, "/transactions") as {
    _embedded: { transactions: Record<string, unknown>[] };
  };
  return page._embedded.transactions[0] ?? {};
};

test.each<Break>([
  [
    "TXN-05",
    "acceptor.mcc of a listed transaction is a number",
    (document) => Object.assign(firstTransaction(document).acceptor as object, { mcc: 5812 }),
  ],
  [
    "CONV-02",
    "createdAt of a listed transaction has no milliseconds",
    (document) => Object.assign(firstTransaction(document), { createdAt: "2025-03-04T12:30:16Z" }),
  ],
  [
    "AUTH-03",
    "the token response has a refresh_token",
    (document) =>
      Object.assign(
        exampleOf(document, "/auth/realms/{account_id}/protocol/openid-connect/token"),
        { refresh_token: "x" },
      ),
  ],
  [
    "PAGE-09",
    "a cursor-style page has a link to the first page",
    (document) =>
      Object.assign(exampleOf(document, "/subaccounts")._links as object, {
        first: { href: "/subaccounts" },
      }),
  ],
  [
    "AUTH-02",
    "the token is not signed",
    (document) =>
      Object.assign(
        exampleOf(document, "/auth/realms/{account_id}/protocol/openid-connect/token"),
        { access_token: "eyJhbGciOiJub25lIn0.e30." },
      ),
  ],
  [
    "PAGE-04",
    "a page of bank links has no self link",
    (document) => {
      delete (exampleOf(document, "/bank-links")._links as { self?: unknown }).self;
    },
  ],
  [
    "PAGE-10",
    "a page of bank accounts has its items at the top level",
    (document) => {
      const page = exampleOf(document, "/bank-accounts");
      Object.assign(page, page._embedded);
      delete page._embedded;
    },
  ],
  [
    "EP-10",
    "a listed bank transaction has no id",
    (document) => {
      const page = exampleOf(document, "/bank-transactions") as {
        _embedded: { bankTransactions: { id?: string }[] };
      };
      delete page._embedded.bankTransactions[1]?.id;
    },
  ],
  [
    "TXN-06",
    "supersededMessageIds of a listed transaction is a number",
    (document) => Object.assign(firstTransaction(document), { supersededMessageIds: 7 }),
  ],
  [
    "SUB-02",
    "a card subscription has a feed that its type forbids",
    (document) =>
      Object.assign(exampleOf(document, "/card-subscriptions/{id}"), {
        networkBulkFeedId: "00000000-0000-4000-8000-000000000000",
      }),
  ],
  [
    "PAGE-08",
    "a page of transactions has first and last links, but no totalItems",
    (document) =>
      Object.assign(exampleOf(document, "/transactions")._links as object, {
        first: { href: "/transactions" },
        last: { href: "/transactions" },
      }),
  ],
  [
    "PAGE-06",
    "a page of transactions has totalItems, but no first link",
    (document) => Object.assign(exampleOf(document, "/transactions"), { totalItems: 9 }),
  ],
  [
    "EP-12",
    "a match has no id",
    (document) => {
      delete exampleOf(document, "/transaction-matches/{subaccountId}/{matchId}").id;
    },
  ],
])("%s fails, with no others outside EP and CONV, if %s", async (requirement, _what, change) => {
  const { status, stdout, report } = await runBroken(change);
  expect(status).toBe(1);
  // A requirement of the collection or a convention may fail for the same reason.
  const failed = withVerdict(report, "failed");
  expect(failed).toContain(requirement);
  expect(failed.filter((id) => !/^(EP|CONV)-/.test(id) || id === requirement)).toEqual([
    requirement,
  ]);
  expect(stdout).toContain(`✗ `);
});

test("a failure reports its exchange, pointer, values and curl line", async () => {
  const { report } = await runBroken((document) =>
    Object.assign(firstTransaction(document).acceptor as object, { mcc: 5812 }),
  );
  const [check] = report.requirements.find(({ id }) => id === "TXN-05")?.checks ?? [];
  expect(check).toMatchObject({
    verdict: "failed",
    expected: "string",
    actual: "number 5812",
    findings: [
      {
        requirement: "TXN-05",
        level: "error",
        path: "/_embedded/transactions/0/acceptor/mcc",
      },
    ],
  });
  const [nr] = check?.findings?.[0]?.evidence ?? [];
  expect(report.traffic.find((traffic) => traffic.nr === nr)).toMatchObject({
    request: { method: "GET", url: expect.stringMatching(/\/transactions$/) },
    response: { status: 200, body: expect.stringContaining("5812") },
  });
  expect(check?.reproduce).toMatch(/^curl -i "http:\S+\/transactions" -H .*\$TXFEED_TOKEN/);
});

test("AUTH-07 names an endpoint that requires no token", async () => {
  const { report } = await runBroken((document) => {
    const operation = document.paths["/bank-links"]?.get;
    if (operation) operation.security = [];
  });
  const failed = report.requirements.find(({ id }) => id === "AUTH-07")?.checks ?? [];
  const names = failed.filter(({ verdict }) => verdict === "failed").map(({ name }) => name);
  expect(names).toEqual(["GET /bank-links requires a token"]);
});

test("PAGE-02 fails if a limit above 100 returns more than 100 items", async () => {
  const { report } = await runBroken((document) => {
    const limit = document.components.parameters.LimitParameter as { schema: object };
    limit.schema = { type: "integer" };
    const page = exampleOf(document, "/cards") as { _embedded: { cards: unknown[] } };
    page._embedded.cards = Array.from({ length: 101 }, () => page._embedded.cards[0]);
  });
  expect(withVerdict(report, "failed")).toEqual(["PAGE-02"]);
});
