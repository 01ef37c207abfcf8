import { validateEvent } from "../validate.ts";
import type {
  HistoryFinding,
  HistoryOptions,
  HistoryReport,
  RecordedDelivery,
} from "./delivery.ts";

/**
 * Checks each payload of a history, and what only several events together can show. It reads the
 * deliveries one by one and keeps no body.
 */
export async function checkHistory(
  deliveries: Iterable<RecordedDelivery> | AsyncIterable<RecordedDelivery>,
  options: HistoryOptions = {},
): Promise<HistoryReport> {
  const findings: HistoryFinding[] = [];
  let line = 0;
  for await (const { headers, body, line: own } of deliveries) {
    line = own ?? line + 1;
    const validation = validateEvent(headers["webhook-event-type"], body, options);
    for (const found of validation.findings) findings.push({ ...found, lines: [line] });
  }
  return { ok: findings.every(({ level }) => level !== "error"), findings };
}
