import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { resources as resourceTable } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { ClaimAssertions, caseCheck } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { seenResources } from "../../observe/bodies.ts";
import { failedRequestsOf, feedOf } from "../../observe/crawl.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { isObject, projectedMessages, textOf } from "../../observe/feed.ts";
import {
  collections,
  type Holder,
  holdersIn,
  idIn,
  linkAt,
  operationAt,
  pathOf,
  resources,
  sameId,
} from "../../observe/operations.ts";
import type { ValidatedResponse } from "../../observe/validation.ts";
import { type Exchange, isDelivery, outcomeOf } from "../../wire/exchange.ts";
import { eachSeen, judged, KINDS } from "../shared/bodies.ts";

/** The form of a relative path. */
const RELATIVE = /^\/(?!\/)/;

/** All link names of the interface. */
const NAMED = [
  ...["self", "next", "first", "last", "prev", "messages"],
  ...["subaccount", "card", "bankAccount", "networkBulkFeed"],
];

export const conventions: readonly Check[] = [
  // CONV-05: Hypermedia links are objects with href, a relative path; only the merchant and
  // merchant-logo links of an enrichment are external.
  caseCheck(["CONV-05.relative"], {
    title: "every link that the interface names has a relative href",
    cases: async (session) =>
      (await holdersOf(session)).flatMap(({ links, exchange, findings }) =>
        links
          .filter(({ name }) => NAMED.includes(name))
          // Skip links that the contract's findings already report.
          .filter(({ path }) => !findings.some((found) => path.startsWith(found.path)))
          .map((one) => ({ ...one, exchange, findings })),
      ),
    none: new Skip("no response has a link"),
    find: ({ path, link, exchange, findings }): Breach[] => {
      const href = memberOf(link, "href");
      if (typeof href === "string" && RELATIVE.test(href)) return [];
      if (findings.some((found) => found.path === `${path}/href`)) return [];
      const expected = "an object with an href that starts with one slash";
      const actual = href === undefined ? describeValue(link) : describeValue(href);
      return [{ path, expected, actual, evidence: [exchange] }];
    },
  }),
  // CONV-06: Resources and collections are HAL-style JSON: _links, and _embedded if something is
  // embedded.
  {
    claims: ["CONV-06.links", "CONV-06.embedded"],
    title: "a collection has _links and _embedded, a resource has _links",
    requires: [],
    run: async (session) => {
      const responses = (await feedOf(session)).responses.filter(isResource);
      const assertions = new ClaimAssertions();
      for (const { operation, exchange } of responses) {
        const body = exchange.response?.json;
        const isList = !operation.includes("{");
        const has = (claim: ClaimId, name: string) => {
          const value = memberOf(body, name);
          const breach = { path: `/${name}`, expected: "an object", actual: describeValue(value) };
          const view = assertions.of(claim, isList ? "listed" : "alone");
          view.check(isObject(value), { ...breach, evidence: [exchange] });
        };
        if (isList || !MAYBE_UNLINKED.some((path) => operation.includes(path))) {
          has("CONV-06.links", "_links");
        }
        if (isList) has("CONV-06.embedded", "_embedded");
      }
      const found = assertions.result("");
      return found instanceof Skip
        ? session.skip("no response is a resource or a collection")
        : found;
    },
  },
  eachSeen(["CONV-06.embedded"], {
    title: "the messages of a transaction are nowhere but in _embedded",
    kinds: KINDS.transaction,
    judge: (body) => {
      const [[name] = []] = messagesIn(body);
      if (name === undefined) return [];
      const wrong = { path: `/${name}`, expected: "messages in _embedded", actual: "an array" };
      return [judged("CONV-06.embedded", projectedMessages(body) !== undefined, wrong)];
    },
    none: new Skip("no transaction embeds its messages"),
  }),
  eachSeen(["CONV-06.json"], {
    title: "a content type, if present, is JSON",
    kinds: [...collections, ...resources],
    judge: (_, { message, at }) => {
      const type = isDelivery(message) ? undefined : message.response?.headers["content-type"];
      if (type === undefined || at !== "") return [];
      const wrong = { path: "", expected: "a JSON content type", actual: type };
      return [judged("CONV-06.json", JSON_TYPE.test(type), wrong)];
    },
    none: new Skip("no response has a content type"),
  }),
  // CONV-07: A resource's self link addresses that resource: its path ends in the resource's own
  // id.
  caseCheck(["CONV-07.self-returns"], {
    title: "a self link of an item or a delivery returns its resource",
    ...{ requires: ["state"], wants: ["deliveries"], phase: "compare" },
    cases: async (session) => {
      const feed = await feedOf(session);
      const hasDeliveries = session.capabilities.deliveries;
      const referenced = hasDeliveries ? await referencedResources(session) : undefined;
      return (await seenResources(session)).flatMap(({ body, message, situations }) => {
        const how = situations.find((one) => one === "listed" || one === "delivered");
        const href = linkAt(body, ["_links", "self"]);
        const id = textOf(body, "id");
        if (!how || !href || !id || !sameId(idIn(href), id)) return [];
        const found = isDelivery(message) ? referenced?.at(href) : feed.at(pathOf(href));
        const { status, json } = found?.exchange.response ?? {};
        const returned = status === 200 ? textOf(json, "id") : undefined;
        // EP-04 reports a missing id.
        return found && returned ? [{ id, how, message, returned, exchange: found.exchange }] : [];
      });
    },
    none: new Skip("no item has a self link that returned a resource"),
    find: ({ id, message, returned, exchange }): Breach[] => {
      if (sameId(returned, id)) return [];
      return [{ path: "/id", expected: id, actual: returned, evidence: [exchange, message] }];
    },
    situationsOf: ({ how }) => [how],
  }),
  // CONV-09: Every link of a payload resolves for the account that received it.
  caseCheck(["CONV-09.response-links"], {
    title: "every link of a response returns 200",
    cases: async (session) => {
      const { links } = await feedOf(session);
      const unanswered = await failedRequestsOf(session);
      const situations = new Map<string, Situation[]>();
      for (const holder of await holdersOf(session)) {
        for (const { link } of holder.links) {
          const href = String(memberOf(link, "href"));
          situations.set(href, [...(situations.get(href) ?? []), ...holder.situations]);
        }
      }
      // A link without a response counts only if its recheck failed too.
      return links.flatMap(({ exchange, ...link }) => {
        const second = exchange && unanswered.get(exchange);
        const shown = { ...link, second, situations: situations.get(link.href) ?? [] };
        return exchange?.response || second ? [shown] : [];
      });
    },
    none: new Skip("no response has a link that can be followed"),
    find: ({ path, href, from, second }) => {
      if (!second || second.response?.status === 200) return [];
      if (second.response?.status === 405 && BANK_LINK.test(pathOf(href))) return [];
      const evidence = [from, second] as const;
      return [{ path, expected: `200 at ${href}`, actual: outcomeOf(second), evidence }];
    },
    situationsOf: ({ situations }) => situations,
  }),
  caseCheck(["CONV-09.delivery-links"], {
    title: "every link of a delivery resolves",
    requires: ["deliveries", "state"],
    cases: async (session) =>
      (await referencedResources(session)).resources.filter(({ isLink }) => isLink),
    none: new Skip("no delivery has a link"),
    find: ({ href, from, exchange }) => {
      if (exchange.response?.status === 200) return [];
      const expected = `200, because a delivery of ${from.name} links to ${href}`;
      return [{ expected, actual: outcomeOf(exchange), evidence: [exchange, from] }];
    },
  }),
];

interface HolderOf extends Holder {
  readonly exchange: Exchange;
  readonly findings: ValidatedResponse["findings"];
  readonly situations: readonly Situation[];
}

/** All objects with links, in all responses. */
function holdersOf(session: Session): Promise<readonly HolderOf[]> {
  return session.share("holders of links", async () =>
    (await feedOf(session)).responses
      .filter(isResource)
      .flatMap(({ operation, exchange, findings }) =>
        holdersIn(exchange.response?.json).map((one) => ({
          ...{ ...one, exchange, findings },
          situations: situationsAt(one.at, operation),
        })),
      ),
  );
}

/** The situations of an object by its position in a response. */
function situationsAt(at: string, operation: string): readonly Situation[] {
  if (/\/_embedded\/messages\/\d+$/.test(at)) return ["projected"];
  const isSingle = operation.includes("{");
  if (at === "") return isSingle ? ["alone"] : [];
  return !isSingle && /^\/_embedded\/\w+\/\d+$/.test(at) ? ["listed"] : [];
}

function isResource({ operation, isJson }: ValidatedResponse): boolean {
  return isJson && operation.startsWith("GET ");
}

/** The interface defines only PATCH for a bank link's own URL, not GET. */
const BANK_LINK = /^\/bank-links\/[^/]+$/;

/** Resources that need no links, because the interface shows none for them. */
const MAYBE_UNLINKED = [resourceTable.bankTransactions.path, resourceTable.transactionMatches.path];

/** The members of a transaction, and of _embedded, that are arrays of messages. */
function messagesIn(body: unknown): [name: string, messages: unknown[]][] {
  const embedded = memberOf(body, "_embedded");
  return [...Object.entries(body ?? {}), ...Object.entries(embedded ?? {})].filter(
    (member): member is [string, unknown[]] =>
      Array.isArray(member[1]) && member[1].some(isMessage),
  );
}

/** Whether a value is a message by its self link. */
function isMessage(value: unknown): boolean {
  const href = valueAt(value, ["_links", "self", "href"]);
  return typeof href === "string" && operationAt(href) === "GET /transaction-messages/{id}";
}

const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;
