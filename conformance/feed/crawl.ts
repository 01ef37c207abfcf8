import type { AnsweringOperation } from "../../src/contract/validate.ts";
import type { Session } from "../session.ts";
import { Unseen } from "../unseen.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type Answer, answerOf } from "./answer.ts";
import { type FoundLink, linksIn } from "./link.ts";
import {
  type CollectionOperation,
  collections,
  NOTHING,
  operationAt,
  type ReadOperation,
} from "./operations.ts";
import { spread } from "./spread.ts";
import { type Walk, walk } from "./walk.ts";

/** A link that an answer carried, and what following it gave. */
export interface FollowedLink extends FoundLink {
  /** The first answer that carried it. */
  readonly from: Exchange;
  /** Left out where it was not followed: `refusal` says why. */
  readonly exchange?: Exchange;
  readonly refusal?: string;
}

/** What the target showed: all that its lists, and the links in its answers, lead to. */
export interface Feed {
  readonly walks: ReadonlyMap<CollectionOperation, Walk>;
  /** Every answer: the token's, each page's, each resource's. */
  readonly answers: readonly Answer[];
  /** Every link, once. */
  readonly links: readonly FollowedLink[];
  /** The answers of an operation. */
  readonly of: (operation: AnsweringOperation) => readonly Answer[];
}

/** So many resources of a kind are looked at, spread over all that there are. */
const MOST_OF_A_KIND = 150;

/** Nothing links to these but events. A stateless mock answers any id by its example. */
const UNLINKED = ["/card-subscriptions", "/network-bulk-feeds"];

/** All that the target shows. It is looked at once. */
export function feedOf(session: Session): Promise<Feed> {
  return session.share("feed", crawl);
}

/**
 * Asks for a token, walks every collection, and follows the links of the answers (PAGE-14: none is
 * built). Of a mock, which answers the same whatever it is asked, one page and one resource of each
 * kind are enough.
 */
async function crawl(session: Session): Promise<Feed> {
  const { means } = session;
  const isMock = means.profile === "mock";
  const answers: Answer[] = [];
  const add = (operation: AnsweringOperation, exchange: Exchange): Answer => {
    const answer = answerOf(operation, exchange, means);
    answers.push(answer);
    return answer;
  };
  add(
    "POST /auth/realms/{account_id}/protocol/openid-connect/token",
    await session.tokenExchange(),
  );
  const walks = new Map<CollectionOperation, Walk>();
  const links: FollowedLink[] = [];
  const of = (operation: AnsweringOperation) =>
    answers.filter((answer) => answer.operation === operation);
  if (!(await session.hasToken())) return { walks, answers, links, of };

  const mostPages = isMock ? 1 : undefined;
  await Promise.all(
    collections.map(async (operation) => {
      const walked = await walk(session, operation, {
        // As its own default is the mock's to choose.
        ...(!isMock && { limit: 100 }),
        ...(mostPages !== undefined && { mostPages }),
      });
      walks.set(operation, walked);
    }),
  );
  for (const operation of collections) {
    for (const { exchange } of walks.get(operation)?.pages ?? []) add(operation, exchange);
  }
  const follow = async (link: FoundLink, from: Exchange): Promise<void> => {
    try {
      const exchange = await session.follow(link.href);
      links.push({ ...link, from, exchange });
      const operation = operationAt(link.href);
      if (operation) add(operation, exchange);
    } catch (error) {
      if (!(error instanceof Unseen)) throw error;
      links.push({ ...link, from, refusal: error.reason });
    }
  };
  const been = new Set<string>();
  let looked = 0;
  // What a resource links to may be linked from nowhere else: as far as it goes, but no page again.
  while (looked < answers.length) {
    const found = answers.slice(looked).flatMap(({ exchange }) =>
      linksIn(exchange.response?.json)
        .filter(({ href }) => !been.has(href) && been.add(href))
        .filter(({ href }) => !isPage(operationAt(href)))
        .map((link) => ({ link, from: exchange })),
    );
    looked = answers.length;
    const chosen = [...Map.groupBy(found, ({ link }) => operationAt(link.href)).values()].flatMap(
      (ofKind) => spread(ofKind, isMock ? 1 : MOST_OF_A_KIND),
    );
    await Promise.all(chosen.map(({ link, from }) => follow(link, from)));
  }
  if (isMock) {
    for (const path of UNLINKED) {
      const operation = `GET ${path}/{id}` as ReadOperation;
      if (of(operation).length === 0) add(operation, await session.follow(`${path}/${NOTHING}`));
    }
  }
  return { walks, answers, links, of };
}

function isPage(operation: ReadOperation | undefined): boolean {
  return collections.some((collection) => collection === operation);
}
