import { formats } from "../contract/formats.ts";
import type { Endpoint, Sandbox, SandboxOptions } from "../sandbox/index.ts";
import { type Command, type CommandCall, EXIT, portIn, usageError } from "./command.ts";
import { NETWORKS_FLAG, networksIn } from "./contract-flags.ts";
import { interrupted } from "./interrupted.ts";
import { outputTo } from "./output.ts";
import { styleFor } from "./style.ts";

/** Where a sandbox listens, and where it is looked for, unless something else is said. */
export const SANDBOX_PORT = 4020;

/** `txfeed sandbox`: the whole service, until it is interrupted. */
export const sandbox: Command = {
  name: "sandbox",
  positionals: [],
  summary: "runs the whole service on this machine, with a page to drive it",
  notes: [
    "What a data file holds goes before --seed, --world, --clock and --now.",
    "Without --seed, secrets are random if --host is not loopback.",
  ],
  flags: {
    port: {
      type: "string",
      value: "N",
      help: `the port; ${SANDBOX_PORT} unless set, 0 for a free one`,
    },
    host: { type: "string", value: "HOST", help: "the address to listen on; 127.0.0.1 unless set" },
    data: { type: "string", value: "FILE", help: "keeps the state; in memory unless set" },
    seed: { type: "string", value: "N", help: "decides ids and secrets; default: 1" },
    world: { type: "string", value: "empty|small|large", help: "to begin with; small unless set" },
    clock: { type: "string", value: "real|frozen", help: "how the clock goes; real unless set" },
    now: { type: "string", value: "T", help: "when it begins, such as 2026-01-05T09:00:00.000Z" },
    "webhook-url": {
      type: "string",
      value: "URL",
      multiple: true,
      help: "where deliveries go; may be there more than once",
    },
    networks: NETWORKS_FLAG,
    validate: { type: "boolean", help: "holds each answer and delivery against the contract" },
    json: { type: "boolean", help: "prints one line of JSON: addresses, accounts, credentials" },
  },
  run: async ({ values }) => {
    const options = optionsIn(values);
    // Only here is the server needed.
    const { createSandbox } = await import("../sandbox/index.ts");
    const running = await createSandbox(options);
    const ended = interrupted();
    const endpoints = await running.endpoints();
    const isJson = values.json === true;
    const text = isJson ? JSON.stringify(factsOf(running)) : screenOf(running, options, endpoints);
    // Who reads along may leave: the sandbox goes on.
    await outputTo(process.stdout).write(`${text}\n`);
    await ended;
    await running.close();
    for (const violation of running.violations) console.error(`txfeed: ${violation}`);
    return running.violations.length > 0 ? EXIT.found : EXIT.ok;
  },
};

function optionsIn(values: CommandCall["values"]): SandboxOptions {
  return {
    port: portIn(sandbox, String(values.port ?? SANDBOX_PORT)),
    host: textIn(values, "host"),
    data: textIn(values, "data"),
    seed: seedIn(values.seed),
    world: wordIn(values, "world", ["empty", "small", "large"] as const),
    clock: wordIn(values, "clock", ["real", "frozen"] as const),
    now: timeIn(values.now),
    networks: networksIn(sandbox, values),
    webhooks: urlsIn(values["webhook-url"]),
    validate: values.validate === true,
  };
}

function textIn(values: CommandCall["values"], flag: string): string | undefined {
  const value = values[flag];
  if (value === "") throw usageError(sandbox, `--${flag} is empty`);
  return value === undefined ? undefined : String(value);
}

function seedIn(value: CommandCall["values"][string]): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(String(value))) return Number(value);
  throw usageError(sandbox, `--seed takes a number of at most 15 digits, not '${value}'`);
}

function wordIn<Word extends string>(
  values: CommandCall["values"],
  flag: string,
  words: readonly Word[],
): Word | undefined {
  const found = words.find((word) => word === values[flag]);
  if (found || values[flag] === undefined) return found;
  throw usageError(sandbox, `--${flag} takes ${words.join(" or ")}, not '${values[flag]}'`);
}

function timeIn(value: CommandCall["values"][string]): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  if (formats["date-time"](text) && text >= "1970" && text < "3000") return text;
  const wanted = "a time such as 2026-01-05T09:00:00.000Z";
  throw usageError(sandbox, `--now takes ${wanted}, not '${text}'`);
}

function urlsIn(value: CommandCall["values"][string]): { url: string }[] {
  return [value ?? []].flat().map((url) => {
    const { protocol } = URL.parse(String(url)) ?? {};
    if (protocol === "http:" || protocol === "https:") return { url: String(url) };
    throw usageError(sandbox, `--webhook-url takes http(s)://..., not '${url}'`);
  });
}

/** What a program that started the sandbox needs, and nothing else. */
function factsOf({ baseUrl, controlUrl, accounts, networks }: Sandbox) {
  const [first, { accountId, clientId, clientSecret }] = accounts;
  const secondAccount = { accountId, clientId, clientSecret };
  return { baseUrl, ...first, networks, secondAccount, controlUrl };
}

function screenOf(running: Sandbox, options: SandboxOptions, endpoints: readonly Endpoint[]) {
  const { baseUrl, controlUrl, accounts } = running;
  const [first, second] = accounts;
  const style = styleFor(process.stdout);
  const url = baseUrl === `http://127.0.0.1:${SANDBOX_PORT}` ? "" : ` --url ${baseUrl}`;
  const rows = [
    ["page", `${controlUrl}/`],
    ["OpenAPI document", `${baseUrl}/openapi.json`],
    ["state", options.data === undefined ? "in memory" : `kept in ${options.data}`],
    [],
    ["account", first.accountId],
    ["client id", first.clientId],
    ["client secret", first.clientSecret],
    ["SDK client id", first.sdkClientId],
    ["SDK client secret", first.sdkClientSecret],
    [],
    ["second account", second.accountId],
    ["client id", second.clientId],
    ["client secret", second.clientSecret],
    [],
    ...(endpoints.length > 0
      ? []
      : [["deliveries to", "nowhere; --webhook-url URL, or the page"], []]),
    ...endpoints.flatMap((endpoint) => [
      ["deliveries to", endpoint.url],
      ["signed with", endpoint.secret],
      [],
    ]),
    ["make it happen", `txfeed trigger purchase${url}`],
    ["what there is", `txfeed trigger --list${url}`],
  ];
  const width = Math.max(...rows.map(([name = ""]) => name.length)) + 2;
  const lines = rows.map(([name, value]) =>
    name === undefined ? "" : `  ${style.dim(name.padEnd(width))}${value}`,
  );
  const last = `sandbox on ${style.bold(baseUrl)}; Ctrl-C stops it`;
  return [...lines, "", last].join("\n");
}
