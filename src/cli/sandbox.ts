import { formats } from "../contract/formats.ts";
import type { Endpoint, Sandbox, SandboxOptions } from "../sandbox/index.ts";
import { type Command, type CommandCall, EXIT, portIn, usageError } from "./command.ts";
import { NETWORKS_FLAG, networksIn } from "./contract-flags.ts";
import { JSON_FLAG, wordIn } from "./format.ts";
import { outputTo, warn } from "./output.ts";
import { progressOn } from "./progress.ts";
import { interrupted, styleFor } from "./terminal.ts";

/** The default port of a sandbox. */
export const SANDBOX_PORT = 4020;

/** `txfeed sandbox`: runs a sandbox until it is interrupted. */
export const sandbox: Command = {
  name: "sandbox",
  positionals: [],
  summary: "runs the full service locally, with a page to control it",
  notes: [
    "State in --data overrides --seed, --world, --clock and --now.",
    "Without --seed, secrets are random unless --host is a loopback address.",
  ],
  flags: {
    port: {
      type: "string",
      value: "N",
      help: `port to listen on, 0 for a free one (default: ${SANDBOX_PORT})`,
    },
    host: { type: "string", value: "HOST", help: "address to listen on (default: 127.0.0.1)" },
    data: { type: "string", value: "FILE", help: "persist the state to FILE (default: in memory)" },
    seed: { type: "string", value: "N", help: "seed of ids and secrets (default: 1)" },
    world: { type: "string", value: "empty|small|large", help: "initial data (default: small)" },
    clock: {
      type: "string",
      value: "real|frozen",
      help: "run the clock in real time or freeze it (default: real)",
    },
    now: { type: "string", value: "TIME", help: "initial time, such as 2026-01-05T09:00:00.000Z" },
    "webhook-url": {
      type: "string",
      value: "URL",
      multiple: true,
      help: "send deliveries to URL; repeatable",
    },
    networks: NETWORKS_FLAG,
    validate: { type: "boolean", help: "validate each response and delivery against the contract" },
    json: { ...JSON_FLAG, help: "print URLs, accounts and credentials as one line of JSON" },
  },
  examples: [
    { command: "txfeed sandbox", does: "run the service until Ctrl-C" },
    {
      command: "txfeed sandbox --webhook-url http://127.0.0.1:4040",
      does: "send its deliveries to a receiver",
    },
    { command: "txfeed sandbox --data sandbox.db", does: "keep the state in a file" },
    {
      command: "txfeed sandbox --clock frozen --now 2026-01-05T09:00:00.000Z",
      does: "control the time",
    },
    { command: "txfeed sandbox --port 0 --json", does: "print the credentials for a program" },
  ],
  run: async ({ values }) => {
    const options = optionsIn(values);
    const progress = progressOn(process.stderr);
    progress.step("starting the sandbox");
    // Loaded on demand: help and usage errors do not need it.
    const running = await import("../sandbox/index.ts")
      .then(({ createSandbox }) => {
        progress.step("creating the initial data");
        return createSandbox(options);
      })
      .finally(progress.end);
    const ended = interrupted();
    const endpoints = await running.endpoints();
    const isJson = values.json === true;
    const text = isJson
      ? JSON.stringify(factsOf(running, endpoints))
      : screenOf(running, options, endpoints);
    // The sandbox continues even if the reader of its output closes it.
    await outputTo(process.stdout).write(`${text}\n`);
    await ended;
    await running.close();
    for (const violation of running.violations) warn(`txfeed: ${violation}`);
    return running.violations.length > 0 ? EXIT.found : EXIT.ok;
  },
};

function optionsIn(values: CommandCall["values"]): SandboxOptions {
  return {
    port: portIn(sandbox, String(values.port ?? SANDBOX_PORT)),
    host: textIn(values, "host"),
    data: textIn(values, "data"),
    seed: seedIn(values.seed),
    world: optionalWordIn(values, "world", ["empty", "small", "large"] as const),
    clock: optionalWordIn(values, "clock", ["real", "frozen"] as const),
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
  throw usageError(sandbox, `--seed takes a number of at most 15 digits, not "${value}"`);
}

function optionalWordIn<Word extends string>(
  values: CommandCall["values"],
  flag: string,
  words: readonly Word[],
): Word | undefined {
  const value = values[flag];
  return value === undefined ? undefined : wordIn(sandbox, flag, value, words);
}

function timeIn(value: CommandCall["values"][string]): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  if (formats["date-time"](text) && text >= "1970" && text < "3000") return text;
  const wanted = "a time such as 2026-01-05T09:00:00.000Z";
  throw usageError(sandbox, `--now takes ${wanted}, not "${text}"`);
}

function urlsIn(value: CommandCall["values"][string]): { url: string }[] {
  return [value ?? []].flat().map((url) => {
    const { protocol } = URL.parse(String(url)) ?? {};
    if (protocol === "http:" || protocol === "https:") return { url: String(url) };
    throw usageError(sandbox, `--webhook-url takes http(s)://..., not "${url}"`);
  });
}

/** The output of `--json`: the values that a program needs to use the sandbox. */
function factsOf(
  { baseUrl, controlUrl, accounts, networks }: Sandbox,
  endpoints: readonly Endpoint[],
) {
  const [first, { accountId, clientId, clientSecret }] = accounts;
  const secondAccount = { accountId, clientId, clientSecret };
  const webhooks = endpoints.map(({ url, secret }) => ({ url, secret }));
  return { baseUrl, ...first, networks, secondAccount, controlUrl, webhooks };
}

function screenOf(running: Sandbox, options: SandboxOptions, endpoints: readonly Endpoint[]) {
  const { baseUrl, controlUrl, accounts } = running;
  const [first, second] = accounts;
  const style = styleFor(process.stdout);
  const url = baseUrl === `http://127.0.0.1:${SANDBOX_PORT}` ? "" : ` --url ${baseUrl}`;
  const rows = [
    ["page", `${controlUrl}/`],
    ["OpenAPI document", `${baseUrl}/openapi.json`],
    ["state", options.data === undefined ? "in memory" : `in ${options.data}`],
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
      : [["deliveries to", "nowhere; set --webhook-url URL or use the page"], []]),
    ...endpoints.flatMap((endpoint) => [
      ["deliveries to", endpoint.url],
      ["signed with", endpoint.secret],
      [],
    ]),
    ["trigger an event", `txfeed trigger purchase${url}`],
    ["list all events", `txfeed trigger --list${url}`],
  ];
  const width = Math.max(...rows.map(([name = ""]) => name.length)) + 2;
  const lines = rows.map(([name, value]) =>
    name === undefined ? "" : `  ${style.dim(name.padEnd(width))}${value}`,
  );
  const last = `sandbox on ${style.bold(baseUrl)}; press Ctrl-C to stop`;
  return [...lines, "", last].join("\n");
}
