import type { components } from "../../../generated/types.ts";
import { idOf } from "../rules/link.ts";
import type { HistoryState } from "./history-state.ts";

/** Reads an `enrichment.merchant.created` with a valid shape. */
export function onEnrichmentCreated(
  body: components["schemas"]["MerchantEnrichmentEvent"],
  history: HistoryState,
): void {
  const id = idOf(body._links.message.href);
  if (history.messages.get(id)?.createdLine !== undefined || history.unreadable.has(id)) return;
  if (history.unannouncedMessages.has(id)) return;
  history.unannouncedMessages.set(id, {
    ...history.obligation("/_links/message/href"),
    isBankOnly: false,
  });
}
