import { instance, type Viz } from "@viz-js/viz";
import type { ResourceName } from "../../generated/resources.ts";
import { BANK_ACCOUNT_TRANSITIONS, BANK_LINK_TRANSITIONS } from "../../src/model/bank-account.ts";
import { BANK_TRANSACTION_TRANSITIONS } from "../../src/model/bank-transaction.ts";
import { SUBSCRIPTION_TRANSITIONS } from "../../src/model/card-subscription.ts";
import { BULK_FEED_TRANSITIONS } from "../../src/model/network-bulk-feed.ts";
import type { Transition } from "../../src/model/state-machine.ts";
import { TRANSACTION_TRANSITIONS } from "../../src/model/transaction.ts";
import { MATCH_TRANSITIONS } from "../../src/model/transaction-match.ts";

/** The state table of each resource that has one. */
export const STATE_TABLES = {
  cardSubscriptions: SUBSCRIPTION_TRANSITIONS,
  networkBulkFeeds: BULK_FEED_TRANSITIONS,
  transactions: TRANSACTION_TRANSITIONS,
  bankLinks: BANK_LINK_TRANSITIONS,
  bankAccounts: BANK_ACCOUNT_TRANSITIONS,
  bankTransactions: BANK_TRANSACTION_TRANSITIONS,
  transactionMatches: MATCH_TRANSITIONS,
} as const satisfies Partial<Record<ResourceName, readonly Transition[]>>;

/**
 * Renders the state diagram of each resource as an inline SVG, by the resource's name. A state is a
 * `<g class="state" data-state="active">`, an arrow a `<g class="transition">` with `data-from`,
 * `data-to` and `data-triggers`. Lines and text have the colour of the surrounding text. Every
 * diagram is at most 340 pixels wide, so that it needs no style sheet on a narrow screen.
 */
export async function renderStateDiagrams(): Promise<string> {
  const graphviz = await instance();
  const diagrams = Object.entries(STATE_TABLES).map(([name, rows]) => {
    return [name, drawingOf(graphviz, titleOf(name), rows)];
  });
  return `${JSON.stringify(Object.fromEntries(diagrams), undefined, 1)}\n`;
}

/** `cardSubscriptions` becomes "States of a card subscription". */
function titleOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `States of a ${words.replace(/(?<=match)es$|s$/, "")}`;
}

/**
 * Graphviz has the widths of the letters of this font built in. It measures a larger size than the
 * diagram has, because the fonts of pages may be wider.
 */
const FONT = { fontname: "Helvetica", fontsize: 14 };

const GRAPH = { bgcolor: "transparent", nodesep: 0.3, ranksep: 0.4 };
const STATE = { ...FONT, shape: "box", style: "rounded", height: 0.35, margin: "0.14,0.06" };
const START = { shape: "circle", style: "filled", fillcolor: "black", width: 0.12, height: 0.12 };
const ARROW = { ...FONT, fontsize: 13, arrowsize: 0.6 };

/** Renders a state table. Rows with the same states before and after share an arrow. */
function drawingOf(graphviz: Viz, title: string, rows: readonly Transition[]): string {
  const states = [...new Set(rows.flatMap(({ from, to }) => [...from, to]))];
  const changes = rows.flatMap(({ from, to, trigger }) => from.map((one) => [one, to, trigger]));
  const arrows = Object.groupBy(changes, ([from, to]) => `${from} ${to}`);
  const triggersOf = (from: string, to: string) =>
    (arrows[`${from} ${to}`] ?? []).map(([, , trigger = ""]) => trigger);
  // The output names nodes by their position, which needs no escapes.
  const positionOf = (state = "") => String(states.indexOf(state));
  const svg = graphviz.renderString(
    {
      graphAttributes: GRAPH,
      nodeAttributes: STATE,
      edgeAttributes: ARROW,
      nodes: states.map((state) => ({
        name: positionOf(state),
        attributes: state === "new" ? { ...START, label: "" } : { label: state },
      })),
      edges: Object.values(arrows).flatMap((group) => {
        const [[from = "", to = ""] = []] = group ?? [];
        const label = triggersOf(from, to).join("\n");
        return { tail: positionOf(from), head: positionOf(to), attributes: { label } };
      }),
    },
    { format: "svg" },
  );
  const [, width, height, viewBox] =
    /width="(\d+)pt" height="(\d+)pt"\s+viewBox="(.+?)"/.exec(svg) ?? [];
  const content = svg
    .slice(svg.indexOf("<g "), svg.lastIndexOf("</svg>"))
    .replace(/<g id="\w+" class="node">\s*<title>(\d+)<\/title>/g, (_, at) => {
      const state = states[Number(at)];
      return state === "new" ? `<g class="start">` : `<g class="state" data-state="${state}">`;
    })
    .replace(/<g id="\w+" class="edge">\s*<title>(\d+)&#45;&gt;(\d+)<\/title>/g, (_, ...ends) => {
      const [from = "", to = ""] = ends.slice(0, 2).map((at) => states[Number(at)]);
      const triggers = triggersOf(from, to).join(" ");
      const data = `data-from="${from}" data-to="${to}" data-triggers="${triggers}"`;
      return `<g class="transition" ${data}>`;
    })
    .replaceAll(/<!--.*?-->| id="graph0" class="graph"| font-family="[^"]*"| xml:space="\w+"/g, "")
    .replaceAll(/ font-size="(\d+).00"/g, (_, measured) => ` font-size="${measured - 2}"`)
    .replaceAll(/(stroke|fill)="black"/g, `$1="currentColor"`)
    .replaceAll(/\s*\n\s*/g, "");
  const size = `width="${width}" height="${height}" viewBox="${viewBox}"`;
  const start = `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${size} fill="currentColor">`;
  return `${start}<title>${title}</title>${content}</svg>`;
}
