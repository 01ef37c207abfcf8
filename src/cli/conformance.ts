import type { Credentials, Profile } from "../../conformance/means.ts";
import { renderMatrix } from "../../conformance/reports/matrix.ts";
import type { Report } from "../../conformance/reports/report.ts";
import { runConformance } from "../../conformance/run.ts";
import { type Command, type CommandCall, EXIT, usageError } from "./command.ts";
import { refuseUnwritable, writeWhole } from "./file.ts";
import { styleFor } from "./style.ts";

/** `txfeed conformance`: runs the checks against a server and shows the matrix. */
export const conformance: Command = {
  name: "conformance",
  positionals: ["BASE_URL"],
  summary: "tells of a server, requirement by requirement, what holds and what does not",
  flags: {
    "account-id": { type: "string", value: "ID", help: "or TXFEED_ACCOUNT_ID" },
    "client-id": { type: "string", value: "ID", help: "or TXFEED_CLIENT_ID" },
    "client-secret": {
      type: "string",
      value: "SECRET",
      help: "or TXFEED_CLIENT_SECRET; never printed",
    },
    profile: {
      type: "string",
      value: "full|mock",
      help: "full unless set; mock: only what a mock can honour, no credentials needed",
    },
    "report-json": { type: "string", value: "FILE", help: "writes the whole report" },
  },
  run: async ({ positionals, values }) => {
    const baseUrl = readBaseUrl(positionals[0] ?? "");
    const profile = readProfile(values.profile);
    const credentials = readCredentials(values, profile);
    const file = values["report-json"]?.toString();
    if (file !== undefined) await refuseUnwritable(file);

    const report = await runConformance({ baseUrl, profile, credentials });
    const style = styleFor(process.stdout);
    try {
      if (file !== undefined) await writeWhole(file, `${JSON.stringify(report, null, 2)}\n`);
    } catch (error) {
      console.log(renderMatrix(report, style));
      throw error;
    }
    console.log(renderMatrix(report, style, file));
    return statusOf(report);
  },
};

/** The exit status that a report stands for. */
export function statusOf({ summary: { passed, failed, warned } }: Report): number {
  if (failed > 0) return EXIT.found;
  return passed + warned > 0 ? EXIT.ok : EXIT.undecided;
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isHttp || url.username || url.password || url.search || url.hash) {
    const wanted = "http(s)://HOST[:PORT][/PATH], with no user, query or fragment";
    throw usageError(conformance, `BASE_URL takes ${wanted}`);
  }
  return url.href;
}

function readProfile(value: CommandCall["values"][string]): Profile {
  if (value === undefined) return "full";
  if (value === "full" || value === "mock") return value;
  throw usageError(conformance, `--profile takes full or mock, not '${value}'`);
}

/** What a stateless mock is given where nothing is set: it accepts anything. */
const FOR_A_MOCK: Credentials = {
  accountId: "mock-account",
  clientId: "mock-client",
  clientSecret: "mock-secret",
};

function readCredentials(values: CommandCall["values"], profile: Profile): Credentials {
  const read = (name: keyof Credentials, flag: string, variable: string): string => {
    const value = values[flag] ?? process.env[variable];
    if (typeof value === "string" && value !== "") return value;
    if (profile === "mock") return FOR_A_MOCK[name];
    throw usageError(conformance, `--${flag} or ${variable} is missing`);
  };
  return {
    accountId: read("accountId", "account-id", "TXFEED_ACCOUNT_ID"),
    clientId: read("clientId", "client-id", "TXFEED_CLIENT_ID"),
    clientSecret: read("clientSecret", "client-secret", "TXFEED_CLIENT_SECRET"),
  };
}
