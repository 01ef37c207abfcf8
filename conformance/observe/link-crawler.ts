import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type FoundLink, linksIn, pathOf } from "./links.ts";
import { collections, operationAt, type ReadOperation } from "./operations.ts";
import { type ValidatedResponse, validatedResponse } from "./validation.ts";

/** A link in a response, and the result of following it. */
export interface FollowedLink extends FoundLink {
  /** The first response with the link. */
  readonly from: Exchange;
  /** The operation it leads to; undefined if it is not in the interface. */
  readonly operation: ReadOperation | undefined;
  /** Omitted if the link was not followed; `refusal` then has the reason. */
  readonly exchange?: Exchange;
  readonly refusal?: string;
}

/** A link and the response it was found in. */
export interface CarriedLink {
  readonly link: FoundLink;
  readonly from: Exchange;
}

/**
 * The links that the interface names. They are always followed. Other links are followed only to
 * URLs of the interface, because they may be for another method.
 */
const NAMED = ["self", "subaccount", "card", "messages", "message", "bankAccount"];

/** Maximum number of links followed, by target. The target's data cannot raise it. */
interface Quota {
  readonly ofAKind: number;
  /**
   * Higher, because messages are the most frequent resource and each is compared with its
   * projection.
   */
  readonly messages: number;
  /** Links to URLs outside the interface. */
  readonly astray: number;
}

/** Follows each link once, within the quota, and collects the responses. */
export class LinkCrawler {
  readonly responses: ValidatedResponse[] = [];
  readonly links: FollowedLink[] = [];
  readonly #session: Session;
  readonly #quota: Quota;
  readonly #visited = new Set<string>();
  readonly #counts = new Map<ReadOperation | undefined, number>();
  readonly #byPath = new Map<string, ValidatedResponse>();

  constructor(session: Session, quota: Quota) {
    this.#session = session;
    this.#quota = quota;
  }

  /** Validates and keeps a response. */
  add(operation: OperationWithResponse, exchange: Exchange): ValidatedResponse {
    const response = validatedResponse(operation, exchange, this.#session.capabilities);
    this.responses.push(response);
    return response;
  }

  /** Keeps a resource's response by its requested path. */
  addAt(path: string, operation: ReadOperation, exchange: Exchange): ValidatedResponse {
    const response = this.add(operation, exchange);
    this.#byPath.set(path, response);
    return response;
  }

  /** The response at a resource's path. */
  readonly at = (path: string): ValidatedResponse | undefined => this.#byPath.get(path);

  /** Follows links recursively until there are no new ones. */
  async follow(carried: readonly CarriedLink[]): Promise<void> {
    let round = this.#chosenOf(carried);
    while (round.length > 0) {
      const followed = await Promise.all(round.map((one) => this.#followOne(one)));
      // Keep the order of the links, not of the responses.
      for (const link of followed) this.links.push(link);
      round = this.#chosenOf(followed.flatMap((link) => this.#carriedBy(link)));
    }
  }

  #chosenOf(carried: readonly CarriedLink[]): CarriedLink[] {
    return carried.filter(({ link: { href, name } }) => {
      if (this.#visited.has(href)) return false;
      const operation = operationAt(href);
      // Collections are walked separately.
      if (collections.some((collection) => collection === operation)) return false;
      if (operation === undefined && !NAMED.includes(name)) return false;
      const count = this.#counts.get(operation) ?? 0;
      if (count >= this.#most(operation)) return false;
      this.#counts.set(operation, count + 1);
      this.#visited.add(href);
      return true;
    });
  }

  #most(operation: ReadOperation | undefined): number {
    const { ofAKind, messages, astray } = this.#quota;
    if (operation === undefined) return astray;
    return operation === "GET /transaction-messages/{id}" ? messages : ofAKind;
  }

  async #followOne({ link, from }: CarriedLink): Promise<FollowedLink> {
    const operation = operationAt(link.href);
    try {
      const exchange = await this.#session.follow(link.href);
      return { ...link, from, operation, exchange };
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      return { ...link, from, operation, refusal: error.reason };
    }
  }

  /** Keeps a link's response and returns the links in it. */
  #carriedBy({ operation, exchange, href }: FollowedLink): CarriedLink[] {
    if (!exchange || !operation) return [];
    this.addAt(pathOf(href), operation, exchange);
    return linksCarriedBy(exchange);
  }
}

/** The links in a response. */
function linksCarriedBy(exchange: Exchange): CarriedLink[] {
  return linksIn(exchange.response?.json).map((link) => ({ link, from: exchange }));
}
