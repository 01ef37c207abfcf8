import { TextBudget } from "../wire/budget.ts";
import { type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";

/** Maximum size of all bodies in a report. Further bodies are only in the evidence. */
const MAX_CHARS = 16_000_000;

/** Number of characters kept of a shortened body. */
const KEPT_CHARS = 1_000;

/**
 * Removes parsed bodies from exchanges and deliveries. Shortens bodies after the total size reaches
 * the limit, and describes that in `cut`.
 */
export function trafficInReport(all: readonly (Exchange | Delivery)[]): (Exchange | Delivery)[] {
  const budget = new TextBudget({ chars: MAX_CHARS, values: 0 });
  return all.map((entry) => {
    const unparsed = withBody(entry, (body, cut) => ({ body, ...(cut !== undefined && { cut }) }));
    if (budget.take(JSON.stringify(unparsed).length)) return unparsed;
    return withBody(entry, (body, cut) => {
      if (body.length <= KEPT_CHARS) return { body, ...(cut !== undefined && { cut }) };
      const left = `the evidence has all ${body.length} characters`;
      return { body: body.slice(0, KEPT_CHARS), cut: cut ?? left };
    });
  });
}

/** Removes the parsed body and replaces the body text. */
function withBody(
  entry: Exchange | Delivery,
  change: (body: string, cut?: string) => { readonly body: string; readonly cut?: string },
): Exchange | Delivery {
  if (isDelivery(entry)) {
    const { json, ...delivery } = entry;
    const { body, cut } = change(entry.request.body, entry.cut);
    const request = { ...entry.request, body };
    return { ...delivery, request, ...(cut !== undefined && { cut }) };
  }
  const { response, ...exchange } = entry;
  if (!response) return exchange;
  const { json, ...unparsed } = response;
  return { ...exchange, response: { ...unparsed, ...change(response.body, response.cut) } };
}
