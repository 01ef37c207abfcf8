import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Session } from "../session.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../transport/exchange.ts";
import { type FoundLink, linksIn, pathOf } from "./link.ts";
import { collections, operationAt, type ReadOperation } from "./operations.ts";
import { type ValidatedResponse, validatedResponse } from "./validation.ts";

/** A link that an answer carried, and what following it gave. */
export interface FollowedLink extends FoundLink {
  /** The first answer that carried it. */
  readonly from: Exchange;
  /** What it leads to; undefined where it is no address that the interface gives. */
  readonly operation: ReadOperation | undefined;
  /** Left out where it was not followed: `refusal` says why. */
  readonly exchange?: Exchange;
  readonly refusal?: string;
}

/** A link, and the answer that carried it. */
export interface CarriedLink {
  readonly link: FoundLink;
  readonly from: Exchange;
}

/**
 * The links that the interface names. They are followed wherever they lead; any other only to an
 * address that the interface gives, as it may be for another method.
 */
const NAMED = ["self", "subaccount", "card", "messages", "message", "bankAccount"];

/** How many links are followed in all, by where they lead: nothing of a target makes it more. */
interface Quota {
  readonly ofAKind: number;
  /** They are most of what there is, and each is compared with its projection. */
  readonly messages: number;
  /** Of those that lead to no address that the interface gives. */
  readonly astray: number;
}

/** What links lead to, as far as the quota goes. Each is followed once. */
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

  /** Judges an answer, and keeps it. */
  add(operation: OperationWithResponse, exchange: Exchange): ValidatedResponse {
    const answer = validatedResponse(operation, exchange, this.#session.capabilities);
    this.responses.push(answer);
    return answer;
  }

  /** Keeps the answer of a resource by the path that it was asked for. */
  addAt(path: string, operation: ReadOperation, exchange: Exchange): ValidatedResponse {
    const answer = this.add(operation, exchange);
    this.#byPath.set(path, answer);
    return answer;
  }

  /** What was answered at a resource's path. */
  readonly at = (path: string): ValidatedResponse | undefined => this.#byPath.get(path);

  /** Follows links, and the links of what they lead to, until there is none that is new. */
  async follow(carried: readonly CarriedLink[]): Promise<void> {
    let round = this.#chosenOf(carried);
    while (round.length > 0) {
      const followed = await Promise.all(round.map((one) => this.#followOne(one)));
      // In the order of the links, whichever was answered first.
      for (const link of followed) this.links.push(link);
      round = this.#chosenOf(followed.flatMap((link) => this.#carriedBy(link)));
    }
  }

  #chosenOf(carried: readonly CarriedLink[]): CarriedLink[] {
    return carried.filter(({ link: { href, name } }) => {
      if (this.#visited.has(href)) return false;
      const operation = operationAt(href);
      // Pages have been walked to.
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

  /** Keeps what a link led to, and finds the links that it carries. */
  #carriedBy({ operation, exchange, href }: FollowedLink): CarriedLink[] {
    if (!exchange || !operation) return [];
    this.addAt(pathOf(href), operation, exchange);
    return linksCarriedBy(exchange);
  }
}

/** The links of an answer. */
function linksCarriedBy(exchange: Exchange): CarriedLink[] {
  return linksIn(exchange.response?.json).map((link) => ({ link, from: exchange }));
}
