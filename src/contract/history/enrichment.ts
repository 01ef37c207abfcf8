import type { components } from "../../../generated/types.ts";
import { idOf } from "../rules/link.ts";
import type { World } from "./world.ts";

/** Reads `enrichment.merchant.created`, where it has its shape. */
export function onEnrichmentCreated(
  body: components["schemas"]["MerchantEnrichmentEvent"],
  world: World,
): void {
  const id = idOf(body._links.message.href);
  if (world.messages.get(id)?.createdLine !== undefined || world.unreadable.has(id)) return;
  if (world.unannouncedMessages.has(id)) return;
  world.unannouncedMessages.set(id, { ...world.debt("/_links/message/href"), isBankOnly: false });
}
