import { expect, test, vi } from "vitest";
import { progressOn } from "../../src/cli/progress.ts";
import { runVerb } from "../../src/cli/queue-verbs.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { memoryInbox } from "../../src/webhooks/sqlite/index.ts";
import { parsed, received } from "./queue-calls.ts";

/** An inbox with more deliveries than a page has. */
async function longInbox() {
  const inbox = memoryInbox();
  for (let at = 0; at < 1_200; at += 1) await inbox.add(received(0, { key: `key ${at}` }));
  return inbox;
}

/** An output, and the text that it got. */
function output({ isClosed }: { isClosed: boolean }) {
  let text = "";
  const out = {
    isClosed,
    write: async (more: string) => {
      text += more;
    },
  };
  return { out, text: () => text };
}

const others = { warn() {}, style: styleFor({}, {}) };

test.each([
  [true, 1],
  [false, 3],
])("if its reader closed the output: %s, list --json reads %i pages", async (isClosed, pages) => {
  const inbox = await longInbox();
  const list = vi.spyOn(inbox, "list");
  const { out, text } = output({ isClosed });
  const progress = progressOn(undefined);
  const call = parsed("list", "--json", "--limit", "2000");
  expect(await runVerb(inbox, call, { ...others, out, progress })).toBe(0);
  expect(list).toHaveBeenCalledTimes(pages);
  expect(text().split("\n")).toHaveLength((isClosed ? 500 : 1_200) + 1);
});

test("list and --dry-run show how many deliveries were read, and erase it before the table", async () => {
  const inbox = await longInbox();
  const events: string[] = [];
  const progress = {
    ...progressOn(undefined),
    show: (render: (elapsedMs: number) => string) => void events.push(render(0)),
    clear: () => void events.push("erased"),
  };
  const out = { isClosed: false, write: async () => void events.push("written") };
  const run = (...args: string[]) => runVerb(inbox, parsed(...args), { ...others, out, progress });
  const reading = [500, 1_000, 1_200].map((count) => {
    return `reading: ${count.toLocaleString("en-US")} deliveries`;
  });
  await run("list", "--limit", "2000");
  expect(events.splice(0)).toEqual([...reading, "erased", "written"]);
  await run("drop", "--all", "--dry-run");
  expect(events.slice(0, 4)).toEqual([...reading, "erased"]);
  expect(events.at(-1)).toBe("written");
});
