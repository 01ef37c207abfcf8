import { resources } from "../../../generated/resources.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import type { Breach, Check } from "../../check.ts";
import { inResponses } from "../../observe/body-checks.ts";
import { feedOf } from "../../observe/crawl.ts";
import { failedRequestsOf } from "../../observe/failed-requests.ts";
import { isObject, textOf } from "../../observe/items.ts";
import { type Holder, holdersIn, idIn, pathOf } from "../../observe/link.ts";
import type { ValidatedResponse } from "../../observe/validation.ts";
import type { Session } from "../../run/session.ts";
import { outcomeOf } from "../../wire/exchange.ts";

/** The fields that have the same id as a link to a related resource, by link name (CONV-08). */
const RELATIONS: Readonly<Record<string, string>> = {
  subaccount: "subaccountId",
  card: "cardId",
  bankAccount: "bankAccountId",
  networkBulkFeed: "networkBulkFeedId",
};

/** All link names of the interface. */
const NAMED = ["self", "next", "first", "last", "prev", "messages", ...Object.keys(RELATIONS)];

const RELATIVE = /^\/(?!\/)/;

export const conventions: readonly Check[] = [
  // CONV-01: Identifiers are strings, UUID-shaped unless stated otherwise.
  inResponses(["CONV-01.uuid"], "identifiers are UUID-shaped strings"),
  // CONV-02: Timestamps are ISO 8601, UTC, with milliseconds.
  inResponses(["CONV-02.form", "CONV-02.exists"], "timestamps are UTC with milliseconds"),
  // CONV-03: Dates are YYYY-MM-DD.
  inResponses(["CONV-03.form"], "dates are YYYY-MM-DD"),
  // CONV-04: Amounts are JSON numbers.
  inResponses(["CONV-04.number"], "amounts are JSON numbers"),
  // CONV-05: Hypermedia links are objects with href, a relative path; only the merchant and
  // merchant-logo links of an enrichment are external.
  inResponses(["CONV-05.object", "CONV-05.relative"], "links are objects with a relative href"),
  {
    claims: ["CONV-05.relative"],
    title: "every link that the interface names has a relative href",
    requires: [],
    run: async (session) => {
      const links = (await holdersOf(session)).flatMap(({ links, validated }) =>
        links
          .filter(({ name }) => NAMED.includes(name))
          // Skip links that the contract's findings already report.
          .filter(({ path }) => !validated.findings.some((found) => path.startsWith(found.path)))
          .map((one) => ({ ...one, validated })),
      );
      const skip = await session.skip("no response has a link");
      return each(links, skip, ({ path, link, validated: { exchange, findings } }): Breach[] => {
        const href = memberOf(link, "href");
        if (typeof href === "string" && RELATIVE.test(href)) return [];
        if (findings.some((found) => found.path === `${path}/href`)) return [];
        const expected = "an object with an href that starts with one slash";
        const actual = href === undefined ? describeValue(link) : describeValue(href);
        return [{ path, expected, actual, evidence: [exchange] }];
      });
    },
  },
  // CONV-06: Resources and collections are HAL-style JSON: _links, and _embedded if something is
  // embedded.
  inResponses(["CONV-06.json", "CONV-06.links"], "resources and collections are HAL-style JSON"),
  {
    claims: ["CONV-06.links", "CONV-06.embedded"],
    title: "a collection has _links and _embedded, a resource has _links",
    requires: [],
    run: async (session) => {
      const responses = (await feedOf(session)).responses.filter(isResource);
      const skip = await session.skip("no response is a resource or a collection");
      return each(responses, skip, ({ operation, exchange }): Breach[] => {
        const body = exchange.response?.json;
        return membersDue(operation)
          .filter((name) => !isObject(memberOf(body, name)))
          .map((name) => {
            const actual = describeValue(memberOf(body, name));
            return { path: `/${name}`, expected: "an object", actual, evidence: [exchange] };
          });
      });
    },
  },
  {
    claims: ["CONV-06.json"],
    title: "a content type, if present, is JSON",
    requires: [],
    run: async (session) => {
      const responses = (await feedOf(session)).responses.filter(isResource).filter(hasContentType);
      const skip = await session.skip("no response has a content type");
      return each(responses, skip, ({ exchange }) => {
        const type = contentTypeOf(exchange) ?? "";
        if (JSON_TYPE.test(type)) return [];
        return [{ expected: "a JSON content type", actual: type, evidence: [exchange] }];
      });
    },
  },
  // CONV-07: A resource's self link addresses that resource: its path ends in the resource's own
  // id.
  {
    claims: ["CONV-07.self-id"],
    title: "a self link ends in the resource's own id",
    requires: [],
    run: async (session) => {
      const selves = (await holdersOf(session)).flatMap(({ body, links, validated }) => {
        const id = textOf(body, "id");
        return id === undefined ? [] : leading(links, "self", id, validated);
      });
      return each(selves, await session.skip("no resource has a self link"), leadsElsewhere);
    },
  },
  // CONV-08: Links to related resources carry the same id as the matching field (subaccountId and
  // _links.subaccount, cardId and _links.card, bankAccountId and _links.bankAccount,
  // networkBulkFeedId and _links.networkBulkFeed).
  {
    claims: ["CONV-08.subaccount", "CONV-08.card", "CONV-08.bank-account", "CONV-08.bulk-feed"],
    title: "a link to a related resource ends in the id of the matching field",
    requires: [],
    run: async (session) => {
      const related = (await holdersOf(session)).flatMap(({ body, links, validated }) =>
        Object.entries(RELATIONS).flatMap(([name, field]) => {
          const id = textOf(body, field);
          return id === undefined ? [] : leading(links, name, id, validated);
        }),
      );
      const skip = await session.skip(
        "no resource has both an id field and a link to the same resource",
      );
      return each(related, skip, leadsElsewhere);
    },
  },
  // CONV-09: Every link of a payload resolves for the account that received it.
  {
    claims: ["CONV-09.response-links"],
    title: "every link of a response returns 200",
    requires: [],
    run: async (session) => {
      const { links } = await feedOf(session);
      const unanswered = await failedRequestsOf(session);
      // A link without a response counts only if its recheck failed too.
      const followed = links.filter(
        ({ exchange }) => exchange && (exchange.response || unanswered.has(exchange)),
      );
      const skip = await session.skip("no response has a link that can be followed");
      return each(followed, skip, ({ path, href, from, exchange }) => {
        const second = exchange && unanswered.get(exchange);
        if (!second || second.response?.status === 200) return [];
        if (second.response?.status === 405 && BANK_LINK.test(pathOf(href))) return [];
        const evidence = [from, second] as const;
        return [{ path, expected: `200 at ${href}`, actual: outcomeOf(second), evidence }];
      });
    },
  },
];

/** The interface defines only PATCH for a bank link's own URL, not GET. */
const BANK_LINK = /^\/bank-links\/[^/]+$/;

/** Resources that need no links, because the interface shows none for them. */
const MAYBE_UNLINKED = [resources.bankTransactions.path, resources.transactionMatches.path];

/** The HAL members that a response must have. */
function membersDue(operation: ValidatedResponse["operation"]): readonly string[] {
  if (!operation.includes("{")) return ["_links", "_embedded"];
  return MAYBE_UNLINKED.some((path) => operation.includes(path)) ? [] : ["_links"];
}

const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i;

function isResource({ operation, isJson }: ValidatedResponse): boolean {
  return isJson && operation.startsWith("GET ");
}

function hasContentType({ exchange }: ValidatedResponse): boolean {
  return contentTypeOf(exchange) !== undefined;
}

function contentTypeOf({ response }: ValidatedResponse["exchange"]): string | undefined {
  return response?.headers["content-type"];
}

interface HolderOf extends Holder {
  readonly validated: ValidatedResponse;
}

/** All objects with links, in all responses. */
function holdersOf(session: Session): Promise<readonly HolderOf[]> {
  return session.share("holders of links", async () =>
    (await feedOf(session)).responses
      .filter(isResource)
      .flatMap((validated) =>
        holdersIn(validated.exchange.response?.json).map((one) => ({ ...one, validated })),
      ),
  );
}

interface Leading {
  readonly path: string;
  readonly href: string;
  readonly id: string;
  readonly validated: ValidatedResponse;
}

/** The relative links with a given name, and the id that they must end in. */
function leading(
  links: Holder["links"],
  name: string,
  id: string,
  validated: ValidatedResponse,
): readonly Leading[] {
  return links.flatMap((one) => {
    const href = memberOf(one.link, "href");
    const isPath = one.name === name && typeof href === "string" && RELATIVE.test(href);
    return isPath ? [{ path: `${one.path}/href`, href, id, validated }] : [];
  });
}

function leadsElsewhere({ path, href, id, validated: { exchange } }: Leading): Breach[] {
  if (idIn(href).toLowerCase() === id.toLowerCase()) return [];
  return [{ path, expected: `a path that ends in ${id}`, actual: href, evidence: [exchange] }];
}
