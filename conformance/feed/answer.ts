import type { EventName } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { eventSchemaNames, responseSchemaNames } from "../../generated/schema-index.ts";
import type { Finding } from "../../src/contract/finding.ts";
import {
  type OperationWithResponse,
  validateEvent,
  validateResponse,
} from "../../src/contract/validate.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { Means } from "../means.ts";
import type { Exchange } from "../wire/exchange.ts";
import { visitPlaces } from "./places.ts";

/** A body with what the contract says of it. */
export interface Judged {
  readonly findings: readonly Finding[];
  /** The requirements that the contract names at a place where the body has a value. */
  readonly seen: ReadonlySet<RequirementId>;
}

/** What an operation answered. */
export interface Answer extends Judged {
  readonly operation: OperationWithResponse;
  readonly exchange: Exchange;
  /** Whether it is a 200 with a JSON body; only then there is a shape to look at. */
  readonly isJson: boolean;
}

/** A delivery with what the contract says of it. */
export interface Arrival extends Judged {
  readonly delivery: Delivery;
}

const NOTHING_SEEN: Judged = { findings: [], seen: new Set() };

export function answerOf(
  operation: OperationWithResponse,
  exchange: Exchange,
  { networks }: Means,
): Answer {
  const { status, json } = exchange.response ?? {};
  if (status !== 200 || json === undefined) {
    return { operation, exchange, isJson: false, ...NOTHING_SEEN };
  }
  const { findings } = validateResponse(operation, 200, json, { networks });
  const seen = seenIn(responseSchemaNames[operation], json);
  return { operation, exchange, isJson: true, findings, seen };
}

export function arrivalOf(delivery: Delivery, { networks }: Means): Arrival {
  const { name, json } = delivery;
  if (json === undefined) return { delivery, ...NOTHING_SEEN };
  const { findings } = validateEvent(name, json, { networks });
  const place = Object.hasOwn(eventSchemaNames, name)
    ? eventSchemaNames[name as EventName]
    : undefined;
  return { delivery, findings, seen: place === undefined ? new Set() : seenIn(place, json) };
}

function seenIn(place: string, body: unknown): Set<RequirementId> {
  const seen = new Set<RequirementId>();
  visitPlaces(place, body, ({ requirements = [], format }, value) => {
    // A null shows nothing of what its place asks of a value.
    if (value === null) return;
    for (const id of requirements) seen.add(id);
    if (format) seen.add(format);
  });
  return seen;
}
