import type { EventName } from "../../generated/events.ts";
import type { Situation } from "../../generated/requirements.ts";
import type { Finding } from "../../src/contract/finding.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { ClaimBreach, Session } from "../check.ts";
import type { Capabilities } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { feedOf } from "./crawl.ts";
import { referencedResources } from "./deliveries/api-lookups.ts";
import { validatedDeliveriesOf } from "./deliveries/history.ts";
import { isObject, supersededIn } from "./feed.ts";
import {
  type CollectionOperation,
  ITEM_KEYS,
  LISTED_BY,
  type ListedOperation,
} from "./operations.ts";
import { itemsOf, placedItems } from "./pages.ts";
import { situationsIn, situationsOf } from "./situations.ts";
import {
  type Shown,
  type ValidatedResponse,
  type Validation,
  validatedBody,
} from "./validation.ts";

/** What one body of the run shows of the claims on one resource. */
export interface SeenResource extends Shown {
  /** What shows it; for a resource in a body, how it shows it. */
  readonly kind: EventName | OperationWithResponse | "projected" | "listed";
  readonly message: Exchange | Delivery;
  /** The position of the resource in the message, as a JSON pointer. */
  readonly at: string;
  readonly situations: readonly Situation[];
  /** The breaches in the body; those of a resource in it are the body's. */
  readonly breaches: readonly ClaimBreach[];
  /** The finding because of which claims are open. */
  readonly invalidBy?: Finding | undefined;
}

/**
 * Validates every body of the run, once: responses, items of lists, projected messages, deliveries
 * and the resources that deliveries link to. Call it only from checks that run at the end of a run.
 */
export function seenResources(session: Session): Promise<readonly SeenResource[]> {
  return session.share("bodies", async (shared) => {
    const { capabilities } = shared;
    const { responses } = await feedOf(shared);
    const seen = responses.flatMap((response) => seenInResponse(response, capabilities));
    if (!capabilities.deliveries) return withSuperseded(seen);
    const deliveries = await validatedDeliveriesOf(shared);
    const all = deliveries.map(({ delivery }) => delivery);
    const { resources } = await referencedResources(shared);
    return withSuperseded([
      ...seen,
      ...deliveries.flatMap(({ delivery, ...validation }) =>
        seenIn(validation, delivery, capabilities, {
          kind: delivery.name as EventName,
          situations: situationsIn(delivery, capabilities.networks, all),
        }),
      ),
      ...resources.flatMap(({ response }) =>
        response ? seenInResponse(response, capabilities) : [],
      ),
    ]);
  });
}

/** Adds the situation of superseded messages, which only their transactions show. */
function withSuperseded(seen: readonly SeenResource[]): readonly SeenResource[] {
  const ids = new Set(seen.flatMap(({ body }) => supersededIn(body)));
  return seen.map((one) => {
    if (!ids.has(memberOf(one.body, "id"))) return one;
    return { ...one, situations: [...one.situations, "superseded-one"] };
  });
}

/** Validates the items of a list one by one, so that an invalid one hides no other. */
function seenInResponse(
  { operation, exchange, isJson, ...validation }: ValidatedResponse,
  capabilities: Capabilities,
): SeenResource[] {
  if (!isJson) return [];
  const body = exchange.response?.json;
  if (!Object.hasOwn(ITEM_KEYS, operation)) {
    const situations = ["alone", ...situationsOf(body, capabilities.networks)] as const;
    return seenIn(validation, exchange, capabilities, { kind: operation, situations });
  }
  const items = itemsIn(operation, exchange);
  const isOfPage = (path: string) => !items.some(({ at }) => `${path}/`.startsWith(`${at}/`));
  const page = {
    findings: validation.findings.filter(({ path }) => isOfPage(path)),
    resources: new Map([...validation.resources].filter(([path]) => isOfPage(path))),
  };
  return [
    ...seenIn(page, exchange, capabilities, {
      kind: operation,
      situations: [operation.slice("GET /".length) as Situation],
    }),
    ...items.flatMap(({ at, item, single }) =>
      seenIn(validatedBody(single, item, capabilities), exchange, capabilities, {
        kind: single,
        situations: ["listed", ...situationsOf(item, capabilities.networks)],
        at,
      }),
    ),
  ];
}

/** The operation that gets one item of a list. */
const SINGLES = new Map(
  Object.entries(LISTED_BY).map(([single, list]) => [list, single as ListedOperation]),
);

/** The items of a list whose resources have an operation of their own. */
function itemsIn(operation: OperationWithResponse, exchange: Exchange) {
  const list = operation as CollectionOperation;
  const single = SINGLES.get(list);
  if (single === undefined) return [];
  const page = { exchange, items: itemsOf(list, exchange) };
  return placedItems(list, page).flatMap(({ body: item, at }) =>
    isObject(item) ? [{ at, item, single }] : [],
  );
}

/**
 * What a validated value shows.
 *
 * @param where.at The position of the value in the message, as a JSON pointer.
 */
function seenIn(
  { findings, resources }: Validation,
  message: Exchange | Delivery,
  { networks }: Capabilities,
  {
    kind,
    situations,
    at = "",
  }: Pick<SeenResource, "kind" | "situations"> & { readonly at?: string },
): SeenResource[] {
  const breaches = breachesOf(findings, message, at);
  const ofBody = { situations, breaches };
  const invalidBy = findings.find(({ level }) => level === "error") ?? findings[0];
  return [...resources].map(([path, { body, decided, open }]) => ({
    ...{ body, decided, open, invalidBy, message, at: `${at}${path}` },
    ...(path === ""
      ? { kind, ...ofBody }
      : {
          ...{ kind: placeOf(path), breaches: [] },
          situations: [placeOf(path), ...situationsOf(body, networks)],
        }),
  }));
}

function placeOf(path: string): "projected" | "listed" {
  return path.includes("/_embedded/messages/") ? "projected" : "listed";
}

/**
 * The breaches among the contract's findings: a value outside an open set is a notice (MSG-10).
 *
 * @param at The position of the validated value in the message, as a JSON pointer.
 */
export function breachesOf(
  findings: readonly Finding[],
  message: Exchange | Delivery,
  at = "",
): ClaimBreach[] {
  return findings.flatMap(({ claim, level, path, expected = "", actual = "" }) =>
    claim === undefined || level === "notice"
      ? []
      : [{ claim, path: `${at}${path}`, expected, actual, evidence: [message] as const }],
  );
}
