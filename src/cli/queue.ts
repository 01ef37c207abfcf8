import { suggestion } from "../nearest.ts";
import { type Command, type CommandCall, usageError } from "./command.ts";
import { formatIn } from "./contract-flags.ts";
import { outputTo } from "./output.ts";
import { filterIn } from "./queue-filter.ts";
import { openInbox } from "./queue-inbox.ts";
import { type QueueCall, runVerb, VERBS, type Verb } from "./queue-verbs.ts";
import { styleFor } from "./terminal.ts";

const FILTERS = ["state", "event", "lane", "since", "before", "limit"];

/** The flags of each verb, besides those of all. */
const FLAGS_OF: Readonly<Record<Verb, readonly string[]>> = {
  status: ["check"],
  list: FILTERS,
  show: [],
  replay: [...FILTERS, "all", "dry-run"],
  drop: [...FILTERS, "all", "dry-run"],
};

const LIST = new Intl.ListFormat("en-GB");

const COMMON = ["inbox", "schema", "format"];

/** `txfeed queue`: operates the inbox of a receiver. */
export const queue: Command = {
  name: "queue",
  positionals: ["status|list|show|replay|drop", "[ID...]"],
  summary: "shows the deliveries that a receiver stored, and replays or drops them",
  notes: [
    "  status          counts deliveries and lanes; a lane is handled in order, such as a resource",
    "  list            lists deliveries by id, in order of receipt",
    "  show ID...      shows deliveries with headers, body and the reason of their last failure",
    "  replay [ID...]  makes deliveries due now, those in quarantine with all their attempts",
    "                  (filters select only those, unless --state says otherwise)",
    "  drop [ID...]    deletes deliveries; the sender may deliver them again",
    "",
    "TARGET is a file (SQLite), postgres://USER@HOST/DATABASE, or pglite:FOLDER. If it contains a",
    "password, put it in TXFEED_INBOX. Postgres needs the package pg or postgres in your project;",
    "PGlite needs its package, and no other program may have the folder open. An inbox in memory",
    "can only be operated in its process, by its methods of the same names.",
    "TIME is ISO 8601 (UTC without an offset), or an age such as 90s, 15min, 2h or 7d.",
  ],
  flags: {
    inbox: { type: "string", value: "TARGET", help: "the inbox (default: TXFEED_INBOX)" },
    schema: { type: "string", value: "NAME", help: "the schema in Postgres (default: txfeed)" },
    state: { type: "string", value: "waiting|quarantined", help: "select by state" },
    event: { type: "string", value: "NAME", help: "select by event, such as transaction.updated" },
    lane: {
      type: "string",
      value: "NAME",
      help: "select by lane, such as transaction:8f14e45f-...",
    },
    since: { type: "string", value: "TIME", help: "select those received at TIME or later" },
    before: { type: "string", value: "TIME", help: "select those received before TIME" },
    limit: {
      type: "string",
      value: "N",
      help: "select the first N (default: 50 with list, or all)",
    },
    all: {
      type: "boolean",
      help: "replay all in quarantine, or drop all; instead of ids and filters",
    },
    "dry-run": { type: "boolean", help: "list what replay or drop would change; change nothing" },
    check: { type: "boolean", help: "exit 1 if status finds a problem, for cron jobs" },
    format: {
      type: "string",
      value: "text|json",
      help: "output format (default: text); list: NDJSON",
    },
  },
  run: async (command) => {
    const call = queueCallIn(command, Date.now());
    const { inbox, close } = await openInbox(command.values, process.env);
    try {
      const out = outputTo(process.stdout);
      return await runVerb(inbox, call, {
        write: out.write,
        warn: (line) => console.error(`txfeed: ${line}`),
        style: styleFor(process.stdout),
      });
    } finally {
      await close();
    }
  },
};

/**
 * Parses a call of the command.
 *
 * @param now The time from which ages count, in milliseconds since 1970.
 * @throws {TxfeedError} `usage` if a verb, an id or a flag is wrong or does not fit the verb.
 */
export function queueCallIn({ positionals, values }: CommandCall, now: number): QueueCall {
  const [word = "", ...words] = positionals;
  const verb = VERBS.find((one) => one === word);
  if (!verb) {
    const advice = suggestion(word, VERBS, `the verbs are ${VERBS.join(", ")}`);
    throw usageError(queue, `there is no verb "${word}"; ${advice}`);
  }
  for (const flag of Object.keys(values)) {
    if (COMMON.includes(flag) || FLAGS_OF[verb].includes(flag)) continue;
    const takers = VERBS.filter((one) => FLAGS_OF[one].includes(flag));
    throw usageError(queue, `--${flag} is for ${LIST.format(takers)}, not for ${verb}`);
  }
  const ids = words.map(idIn);
  if (ids.length > 0 && (verb === "status" || verb === "list")) {
    throw usageError(queue, `${verb} takes no ID; txfeed queue show ${ids[0]} shows a delivery`);
  }
  if (ids.length === 0 && verb === "show") throw usageError(queue, "ID is missing");
  const filter = filterIn(values, now);
  const conditions = Object.keys(filter).filter((name) => name !== "limit");
  const isAll = values["all"] === true;
  if (verb === "replay" || verb === "drop") {
    const selections = [...(ids.length > 0 ? ["ids"] : []), ...conditions];
    if (isAll && selections.length > 0) {
      throw usageError(queue, `--all selects everything; leave it or ${selections[0]} out`);
    }
    if (!isAll && selections.length === 0) {
      throw usageError(queue, `${verb} takes ids, filters or --all`);
    }
  }
  return {
    verb,
    // Ids are explicit enough: an operator may want a delayed delivery now.
    filter: verb === "replay" && ids.length === 0 ? { state: "quarantined", ...filter } : filter,
    ids: [...new Set(ids)],
    isDryRun: values["dry-run"] === true,
    isCheck: values["check"] === true,
    isJson: formatIn(queue, values) === "json",
  };
}

function idIn(word: string): number {
  const id = Number(word);
  if (/^\d+$/.test(word) && Number.isSafeInteger(id)) return id;
  throw usageError(queue, `an ID is a number that list shows, not "${word}"`);
}
