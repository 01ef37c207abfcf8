import { type Command, type CommandCall, type CommandVerb, usageError, verbIn } from "./command.ts";
import { FORMAT_FLAG, formatIn, JSON_FLAG } from "./format.ts";
import { outputTo, warn } from "./output.ts";
import { progressOn } from "./progress.ts";
import { filterIn } from "./queue-filter.ts";
import { openInbox } from "./queue-inbox.ts";
import { type QueueCall, runVerb, type Verb } from "./queue-verbs.ts";
import { styleFor } from "./terminal.ts";

/** The flags of all verbs. */
const COMMON = ["inbox", "schema", "json", "format"];
const FILTERS = ["state", "event", "lane", "since", "before", "limit"];
const CHANGES = [...COMMON, ...FILTERS, "all", "dry-run"];

const TIME_NOTE =
  "TIME is ISO 8601 (UTC without an offset), or an age such as 90s, 15min, 2h or 7d.";

const VERBS: Readonly<Record<Verb, CommandVerb>> = {
  status: {
    positionals: [],
    summary: "counts deliveries and lanes, and says what needs attention",
    notes: ["A lane is handled in order. The deliveries of a resource are a lane."],
    flags: [...COMMON, "check"],
    examples: [
      { command: "txfeed queue status --inbox feed.db", does: "show what needs attention" },
      { command: "txfeed queue status --inbox feed.db --check", does: "exit 1 if something does" },
    ],
  },
  list: {
    positionals: [],
    summary: "lists deliveries by id, in order of receipt",
    notes: [TIME_NOTE],
    flags: [...COMMON, ...FILTERS],
    examples: [
      {
        command: "txfeed queue list --inbox feed.db --state quarantined --since 2h",
        does: "list recent failures",
      },
      { command: "txfeed queue list --inbox feed.db --json", does: "print a line per delivery" },
    ],
  },
  show: {
    positionals: ["ID..."],
    summary: "shows deliveries with headers, body and the reason of their last failure",
    notes: [],
    flags: COMMON,
    examples: [{ command: "txfeed queue show 17 --inbox feed.db", does: "show delivery 17" }],
  },
  replay: {
    positionals: ["[ID...]"],
    summary: "makes deliveries due now, those in quarantine with all their attempts",
    notes: [
      "Filters select only deliveries in quarantine, unless --state selects others.",
      TIME_NOTE,
    ],
    flags: CHANGES,
    examples: [
      { command: "txfeed queue replay 17 --inbox feed.db", does: "handle it again" },
      {
        command: "txfeed queue replay --inbox feed.db --event transaction.updated --dry-run",
        does: "change nothing yet",
      },
      { command: "txfeed queue replay --inbox feed.db --all", does: "replay the quarantine" },
    ],
  },
  drop: {
    positionals: ["[ID...]"],
    summary: "deletes deliveries; the sender may deliver them again",
    notes: [TIME_NOTE],
    flags: CHANGES,
    examples: [
      { command: "txfeed queue drop 17 --inbox feed.db", does: "delete delivery 17" },
      {
        command: "txfeed queue drop --inbox feed.db --state quarantined --before 30d",
        does: "delete old failures",
      },
    ],
  },
};

/** `txfeed queue`: operates the inbox of a receiver. */
export const queue: Command = {
  name: "queue",
  positionals: ["status|list|show|replay|drop", "[ID...]"],
  summary: "shows the deliveries that a receiver stored, and replays or drops them",
  notes: [
    "TARGET is a file (SQLite), postgres://USER@HOST/DATABASE, or pglite:FOLDER. If it contains a",
    "password, put it in TXFEED_INBOX. Postgres needs the package pg in your project;",
    "PGlite needs its package, and no other program may have the folder open. An inbox in memory",
    "can only be operated in its process, by its methods of the same names.",
    TIME_NOTE,
  ],
  verbs: VERBS,
  flags: {
    inbox: {
      type: "string",
      value: "TARGET",
      help: "SQLite file, postgres://... or pglite:FOLDER (default: TXFEED_INBOX)",
    },
    schema: { type: "string", value: "NAME", help: "the schema in Postgres (default: txfeed)" },
    state: { type: "string", value: "waiting|quarantined", help: "select by state" },
    event: { type: "string", value: "NAME", help: "select by event, such as transaction.updated" },
    lane: {
      type: "string",
      value: "NAME",
      help: "select by lane, such as transactions:8f14e45f-...",
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
    json: {
      ...JSON_FLAG,
      help: "print JSON: a line per delivery with list and show, else one line",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    { command: "txfeed queue status --inbox feed.db", does: "show what needs attention" },
    { command: "txfeed queue list --inbox feed.db --state quarantined", does: "list the failures" },
    {
      command: "txfeed queue show 17 --inbox feed.db",
      does: "show a delivery and its last failure",
    },
    { command: "txfeed queue replay 17 --inbox feed.db", does: "handle it again" },
  ],
  run: async (command) => {
    const call = queueCallIn(command, Date.now());
    const progress = progressOn(process.stderr);
    progress.show(() => "opening the inbox");
    const { inbox, close } = await openInbox(command.values, process.env).finally(progress.clear);
    try {
      const out = outputTo(process.stdout);
      return await runVerb(inbox, call, {
        out,
        warn: (line) => warn(`txfeed: ${line}`),
        style: styleFor(process.stdout),
        progress,
      });
    } finally {
      progress.end();
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
export function queueCallIn(call: CommandCall, now: number): QueueCall {
  const { verb, words } = verbIn({ ...queue, verbs: VERBS }, call);
  const { values } = call;
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
