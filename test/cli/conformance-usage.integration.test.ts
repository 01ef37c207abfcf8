import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { conformance } from "../../conformance/cli/conformance.ts";
import { readCall } from "../../src/cli/command.ts";
import { TxfeedError } from "../../src/errors.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The environment variables of the program, cleared for the tests. */
const VARIABLES = [
  ...["ACCOUNT_ID", "CLIENT_ID", "CLIENT_SECRET"],
  ...["SDK_CLIENT_ID", "SDK_CLIENT_SECRET", "SECOND_ACCOUNT"],
];
const NO_VARIABLES = Object.fromEntries(VARIABLES.map((name) => [`TXFEED_${name}`, ""]));

const CREDENTIALS = ["--account-id", "a", "--client-id", "b", "--client-secret", "canary-secret"];
const CLOSED_URL = "http://127.0.0.1:9";

const dir = tempDir();

beforeAll(async () => {
  for (const [name, value] of Object.entries(NO_VARIABLES)) vi.stubEnv(name, value);
  const baseline = [{ requirement: "PAGE-99", reason: "x", expires: "2027-01-31" }];
  await writeFile(join(dir, "baseline.json"), JSON.stringify(baseline));
  await writeFile(join(dir, "silent.mjs"), "export default {};");
});

afterAll(async () => {
  vi.unstubAllEnvs();
});

const inDir = (words: readonly string[]) => words.map((word) => word.replace("DIR", dir));

test.each<[string[], string]>([
  [["--sdk-client-id", "s"], "--sdk-client-secret or TXFEED_SDK_CLIENT_SECRET is missing"],
  [["--sdk-client-secret", "canary-s"], "--sdk-client-id or TXFEED_SDK_CLIENT_ID is missing"],
  [["--second-account", "a:canary-s"], "--second-account takes ID:CLIENT_ID:SECRET"],
  [["--networks", "A"], '--networks takes A=...,B=...,C=..., not "A"'],
  [["--bank-link", "x"], "--bank-link requires --writes"],
  [["--bank-link", "", "--writes"], "--bank-link is empty"],
  [["--collect", "5"], "--collect requires --webhook-listen, or a driver that subscribes"],
  [["--collect", "5", "--driver", "DIR/silent.mjs"], "because the driver does not subscribe"],
  [
    ["--collect", "1.5", "--webhook-listen", "127.0.0.1:0"],
    "--collect takes a whole number from 0",
  ],
  [["--webhook-listen", "4021"], "--webhook-listen takes HOST:PORT[/PATH], such as 127.0.0.1:4021"],
  [["--webhook-listen", "127.0.0.1:65536"], "--webhook-listen takes HOST:PORT"],
  [["--webhook-listen", "http://127.0.0.1:1"], "--webhook-listen takes HOST:PORT"],
  [["--webhook-listen", "127.0.0.1:1/hook"], 'invalid path "/hook": it is easy to guess'],
  [["--webhook-listen", `127.0.0.1:1/${"x".repeat(30)}?y`], ": it must be a slash followed by"],
  [
    ["--webhook-listen", `127.0.0.1:1/${"x".repeat(30)}/../y`],
    ": it has an empty, '.' or '..' segment",
  ],
  [["--seed", "1"], "--seed requires --explore"],
  [["--explore"], "--explore requires --driver MODULE"],
  [
    ["--explore", "--driver", "sandbox", "--time", "60"],
    'such as 60s or 5m, up to 35791m, not "60"',
  ],
  [["--explore", "--driver", "sandbox", "--time", "35792m"], 'up to 35791m, not "35792m"'],
  [["--explore", "--driver", "sandbox", "--seed", "x"], "--seed takes a whole number from 0 to"],
  [["--explore", "--driver", "sandbox", "--scripts", "0"], "--scripts takes a whole number from 1"],
  [
    ["--explore", "--driver", "sandbox", "--depth", "9"],
    "--depth takes a whole number from 1 to 6",
  ],
  [["--explore", "--driver", "sandbox", "--depth", "2", "--seed", "1"], "--depth excludes --seed"],
  [["--explore", "--only", "PAGE"], "--explore excludes --only"],
  [["--explore", "--profile", "mock"], "--explore excludes --profile mock"],
  [
    ["--explore", "--driver", "DIR/silent.mjs"],
    "--explore requires --webhook-listen HOST:PORT, or a driver with the verb subscribe",
  ],
  [["--concurrency", "0"], '--concurrency takes a whole number from 1 to 100, not "0"'],
  [["--only", "PAGE-99"], `there is no group or requirement "PAGE-99"; did you mean "PAGE-09"?`],
  [["--only", "PAGE,PAGES"], `there is no group or requirement "PAGES"; did you mean "PAGE"?`],
  [["--only", "pagination"], 'requirement "pagination"; txfeed conformance --list shows all'],
  [["--list", "--only", "TXN-5"], `there is no group or requirement "TXN-5"; did you mean "TXN-05`],
  [["--header", "X-Api-Key"], "--header takes 'NAME: VALUE'"],
  [["--header", "X-Api-Key: "], "--header X-Api-Key: it has no value"],
  [["--header", "X-Api-Key: $NO_SUCH"], "the environment variable NO_SUCH is not set"],
  [["--header", "X-Ké: canary"], "--header X-Ké: its name or its value is not valid in HTTP"],
  [["--header", "X-Key: canary\nX: y"], "its name or its value is not valid in HTTP"],
  [["--header", "Authorization: canary"], "the run sends its own tokens in it"],
  [["--header", "content-type: canary"], "the run sets it"],
  [["--header", "X-A: canary", "--header", "x-a: canary"], "--header x-a: it is given twice"],
  [["--client-key", "DIR/x"], "--client-key requires --client-cert"],
  [["--client-cert", "DIR/silent.mjs"], "silent.mjs can't be used: "],
  [["--client-cert", "DIR/none.pem"], "none.pem can't be read"],
  [["--rate", "0"], '--rate takes a whole number from 1 to 1,000, not "0"'],
  [["--baseline", "DIR/none.json"], "none.json can't be read: there is no such file"],
  [["--baseline", "DIR/baseline.json"], 'entry 1: there is no requirement "PAGE-99"'],
  [["--junit", "DIR/x", "--report-json", "DIR/x"], "--report-json and --junit name the same file"],
  [
    ["--evidence", "DIR/x", "--html", "DIR/../DIR/x".replace("DIR/../DIR", "DIR/.")],
    "name the same",
  ],
  [["--evidence", "DIR/none/x"], "can't be written: its folder is missing"],
  [["--html", "DIR"], "is not a file"],
])("conformance %j is bad usage, in one line, and nothing is written", async (words, message) => {
  const before = await readdir(dir);
  const args = [CLOSED_URL, ...CREDENTIALS, ...inDir(words)];
  const failed = Promise.resolve().then(() => conformance.run(readCall(conformance, args)));
  const error = await failed.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TxfeedError);
  const { code, message: output } = error as TxfeedError;
  expect(["usage", "file"]).toContain(code);
  expect(output).toContain(message);
  expect(output).not.toMatch(/canary|\n/);
  expect(await readdir(dir)).toEqual(before);
});

test("bad usage of the program is one line and exit 2", async () => {
  const args = ["conformance", CLOSED_URL, ...CREDENTIALS, "--only", "PAGE-99"];
  const { status, stdout, stderr } = await run("bin/txfeed.ts", args, NO_VARIABLES);
  expect(stderr).toMatch(/^txfeed: --only: [^\n]+; did you mean "PAGE-09"\? \(see: [^\n]+\n$/);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test("a wrong variable is bad usage that does not repeat it", async () => {
  vi.stubEnv("TXFEED_SECOND_ACCOUNT", "a:canary-s");
  const call = readCall(conformance, [CLOSED_URL, ...CREDENTIALS]);
  const message =
    "TXFEED_SECOND_ACCOUNT takes ID:CLIENT_ID:SECRET (see: txfeed conformance --help)";
  await expect(conformance.run(call)).rejects.toMatchObject({ code: "usage", message });
  vi.stubEnv("TXFEED_SECOND_ACCOUNT", "");
});

test("empty variables count as unset", async () => {
  const call = readCall(conformance, [CLOSED_URL]);
  const message = expect.stringContaining("--account-id or TXFEED_ACCOUNT_ID is missing");
  await expect(conformance.run(call)).rejects.toMatchObject({ code: "usage", message });
});

test("the list needs no server and no credentials", async () => {
  const args = ["conformance", "--list", "--only", "page,TXN-05", "--only", "MSG"];
  const { status, stdout, stderr } = await run("bin/txfeed.ts", args, NO_VARIABLES);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.match(/^ {2}[A-Z]+-\d\d/gm)).toHaveLength(15 + 1 + 12);
});
