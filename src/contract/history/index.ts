import type {
  HistoryFinding,
  HistoryOptions,
  HistoryReport,
  RecordedDelivery,
} from "./delivery.ts";

/**
 * Validates each payload of a history, and checks the consistency between deliveries.
 *
 * The code loads with the first call, because most services never check a history.
 *
 * Duplicates are ignored, however late they come: a delivery with the content of an earlier one of
 * the same event.
 *
 * @param deliveries The deliveries in the order of receipt. They are read one by one.
 * @param options `complete`: no event is missing, and the order is the order of sending. Otherwise
 * a finding that a missing start or reordering could explain is a notice.
 * @returns The findings in the order of the history; findings about missing events come last.
 * Rejects only if `deliveries` does.
 */
export async function checkHistory(
  deliveries: Iterable<RecordedDelivery> | AsyncIterable<RecordedDelivery>,
  options: HistoryOptions = {},
): Promise<HistoryReport> {
  const { HistoryCheck } = await import("./history-check.ts");
  const check = new HistoryCheck(options);
  const findings: HistoryFinding[] = [];
  if (Symbol.iterator in deliveries) {
    for (const delivery of deliveries) addAll(findings, check.add(delivery));
  } else {
    for await (const delivery of deliveries) addAll(findings, check.add(delivery));
  }
  addAll(findings, check.end());
  return { ok: findings.every(({ level }) => level !== "error"), findings };
}

/** Appends findings one by one: there may be more than a call can take as arguments. */
export function addAll(findings: HistoryFinding[], more: readonly HistoryFinding[]): void {
  for (const finding of more) findings.push(finding);
}
