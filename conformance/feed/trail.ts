import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { Session } from "../session.ts";
import { Unseen } from "../unseen.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type Answer, answerOf } from "./answer.ts";
import { type FoundLink, linksIn, pathOf } from "./link.ts";
import { collections, operationAt, type ReadOperation } from "./operations.ts";

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
export interface Carried {
  readonly link: FoundLink;
  readonly from: Exchange;
}

/**
 * The links that the interface names. They are followed wherever they lead; any other only to an
 * address that the interface gives, as it may be for another method.
 */
const NAMED = ["self", "subaccount", "card", "messages", "message", "bankAccount"];

/** How many links are followed in all, by where they lead: nothing of a target makes it more. */
export interface Quota {
  readonly ofAKind: number;
  /** They are most of what there is, and each is compared with its projection. */
  readonly messages: number;
  /** Of those that lead to no address that the interface gives. */
  readonly astray: number;
}

/** What links lead to, as far as the quota goes. Each is followed once. */
export class Trail {
  readonly answers: Answer[] = [];
  readonly links: FollowedLink[] = [];
  readonly #session: Session;
  readonly #quota: Quota;
  readonly #been = new Set<string>();
  readonly #counts = new Map<ReadOperation | undefined, number>();
  readonly #byPath = new Map<string, Answer>();

  constructor(session: Session, quota: Quota) {
    this.#session = session;
    this.#quota = quota;
  }

  /** Judges an answer, and keeps it. */
  add(operation: OperationWithResponse, exchange: Exchange): Answer {
    const answer = answerOf(operation, exchange, this.#session.means);
    this.answers.push(answer);
    return answer;
  }

  /** Keeps the answer of a resource by the path that it was asked for. */
  addAt(path: string, operation: ReadOperation, exchange: Exchange): Answer {
    const answer = this.add(operation, exchange);
    this.#byPath.set(path, answer);
    return answer;
  }

  /** What was answered at a resource's path. */
  readonly at = (path: string): Answer | undefined => this.#byPath.get(path);

  /** Follows links, and the links of what they lead to, until there is none that is new. */
  async follow(carried: readonly Carried[]): Promise<void> {
    let round = this.#chosenOf(carried);
    while (round.length > 0) {
      const followed = await Promise.all(round.map((one) => this.#followOne(one)));
      // In the order of the links, whichever was answered first.
      for (const link of followed) this.links.push(link);
      round = this.#chosenOf(followed.flatMap((link) => this.#carriedBy(link)));
    }
  }

  #chosenOf(carried: readonly Carried[]): Carried[] {
    return carried.filter(({ link: { href, name } }) => {
      if (this.#been.has(href)) return false;
      const operation = operationAt(href);
      // Pages have been walked to.
      if (collections.some((collection) => collection === operation)) return false;
      if (operation === undefined && !NAMED.includes(name)) return false;
      const count = this.#counts.get(operation) ?? 0;
      if (count >= this.#most(operation)) return false;
      this.#counts.set(operation, count + 1);
      this.#been.add(href);
      return true;
    });
  }

  #most(operation: ReadOperation | undefined): number {
    const { ofAKind, messages, astray } = this.#quota;
    if (operation === undefined) return astray;
    return operation === "GET /transaction-messages/{id}" ? messages : ofAKind;
  }

  async #followOne({ link, from }: Carried): Promise<FollowedLink> {
    const operation = operationAt(link.href);
    try {
      const exchange = await this.#session.follow(link.href);
      return { ...link, from, operation, exchange };
    } catch (error) {
      if (!(error instanceof Unseen)) throw error;
      return { ...link, from, operation, refusal: error.reason };
    }
  }

  /** Keeps what a link led to, and finds the links that it carries. */
  #carriedBy({ operation, exchange, href }: FollowedLink): Carried[] {
    if (!exchange || !operation) return [];
    this.addAt(pathOf(href), operation, exchange);
    return carriedBy(exchange);
  }
}

/** The links of an answer. */
export function carriedBy(exchange: Exchange): Carried[] {
  return linksIn(exchange.response?.json).map((link) => ({ link, from: exchange }));
}
