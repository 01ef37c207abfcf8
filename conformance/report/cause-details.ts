import { memberOf, segmentsOf, valueAt } from "../../src/contract/pointer.ts";
import { counted } from "../../src/text.ts";
import { type Delivery, type Exchange, isDelivery, parseJson } from "../wire/exchange.ts";
import type { EvidencedFinding } from "./report.ts";

const MAX_ADDENDS = 8;

/** The settled amounts of a transaction, and the amounts of its messages that they sum up. */
const SUMS: Readonly<Record<string, string>> = {
  transactionSettledAmount: "transactionAmount",
  cardholderBillingSettledAmount: "cardholderBillingAmount",
};

/** What a finding is about, in lines: the id of its resource, and the addends of a sum. */
export function detailsOf(
  { path }: EvidencedFinding,
  evidence: Exchange | Delivery | undefined,
): string[] {
  if (!path.startsWith("/") || !evidence) return [];
  const body = parseJson(bodyOf(evidence));
  const segments = segmentsOf(path);
  const owners = segments.map((_, at) =>
    valueAt(body, segments.slice(0, segments.length - 1 - at)),
  );
  const ids = owners.map((owner) => memberOf(owner, "id"));
  const id = ids.find((one) => typeof one === "string");
  return [
    ...(typeof id === "string" ? [`id ${id}`] : []),
    ...addendsOf(owners[0], segments.at(-1) ?? ""),
  ];
}

function addendsOf(transaction: unknown, sum: string): string[] {
  const amount = Object.hasOwn(SUMS, sum) ? SUMS[sum] : undefined;
  const messages = memberOf(memberOf(transaction, "_embedded"), "messages");
  if (amount === undefined || !Array.isArray(messages)) return [];
  const lines = messages.slice(0, MAX_ADDENDS).map((message: unknown) => {
    const [value, id, type, superseded] = [amount, "id", "messageType", "superseded"].map((name) =>
      memberOf(message, name),
    );
    const mark = superseded === true ? ", superseded" : "";
    return `${String(value)}  ${String(type)} ${String(id)}${mark}`;
  });
  const more = messages.length - lines.length;
  return [
    `${amount} of its messages:`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${counted(more, "more message")}`] : []),
  ];
}

function bodyOf(evidence: Exchange | Delivery): string {
  return isDelivery(evidence) ? evidence.request.body : (evidence.response?.body ?? "");
}

/** The size of the bodies that show a finding, in characters. */
export function sizeOf(
  { evidence }: EvidencedFinding,
  traffic: ReadonlyMap<number, Exchange | Delivery>,
): number {
  const bodies = evidence.flatMap((nr) => traffic.get(nr) ?? []).map(bodyOf);
  return bodies.reduce((sum, { length }) => sum + length, 0);
}
