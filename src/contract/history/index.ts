import type {
  HistoryFinding,
  HistoryOptions,
  HistoryReport,
  RecordedDelivery,
} from "./delivery.ts";

/**
 * Checks each payload of a history, and what only several events together can show.
 *
 * Its code is loaded by the first call, as most services validate and never check a history.
 *
 * Repeats are accepted, however late: a delivery with the content of an earlier one of the same
 * event is passed over (readings, 10).
 *
 * @param deliveries The deliveries, read one by one, in the order in which they came.
 * @param options `complete` says that nothing is missing and the order is that of sending; without
 * it, what a missing beginning or an overtaking delivery can excuse is a notice (readings, 11).
 * @returns every finding, in the order of the history, what is owed at its end last. Rejects only
 * where `deliveries` does.
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

/** Adds findings to a list one by one: more than a call has room for may come at once. */
export function addAll(findings: HistoryFinding[], more: readonly HistoryFinding[]): void {
  for (const finding of more) findings.push(finding);
}
