import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../describe.ts";
import { type Finding, findingOf, noticeOf } from "../finding.ts";
import type { Networks } from "../networks.ts";

/**
 * A rule checks a body with a valid shape, and reports each violation of its claim to the
 * collector. It allocates nothing for a body without violations.
 *
 * @returns Whether the body decides the claim: a rule about superseded messages needs one.
 */
type Rule<Body> = (body: Body, collector: FindingCollector) => boolean;

/** The rules of a kind of body, by the claims that they decide. */
export type Rules<Body> = { readonly [Id in ClaimId]?: Rule<Body> };

/** Hears of each claim that a rule decided: the claim, and the path of its body. */
export type OnDecided = (claim: ClaimId, path: string) => void;

/** The findings of a body without violations. */
export const NOTHING: readonly Finding[] = Object.freeze([]);

/** Collects the findings of one body's rules. */
export class FindingCollector {
  readonly networks: Networks;
  /** Set by TXN-07: each message link leads to the projected message at the same index. */
  linksMatchProjection = false;
  readonly #subject: string;
  readonly #onDecided: OnDecided | undefined;
  #findings: Finding[] | undefined;
  #claim: ClaimId = "WHK-02.shape";
  #list = "";
  #index = -1;
  #above = "";

  /** @param subject The event or operation, for the findings. */
  constructor(subject: string, networks: Networks, onDecided?: OnDecided) {
    this.#subject = subject;
    this.networks = networks;
    this.#onDecided = onDecided;
  }

  /** The findings so far. */
  get findings(): readonly Finding[] {
    return this.#findings ?? NOTHING;
  }

  /** Applies the rules of a body, and of the bodies that it embeds. */
  apply<Body>({ own, embedded }: BodyRules<Body>, body: Body): void {
    for (let index = 0; index < own.length; index += 1) {
      const one = own[index] as RuleList<Body>[number];
      this.#claim = one.claim;
      if (one.rule(body, this)) this.#onDecided?.(one.claim, this.#path());
    }
    const items = embedded && (body as Embedding)._embedded?.[embedded.key];
    if (!items) return;
    const { path, rules } = embedded;
    const above = this.#above;
    for (let index = 0; index < items.length; index += 1) {
      if (rules.embedded) this.#above = `${above}${path}/${index}`;
      else {
        this.#list = path;
        this.#index = index;
      }
      this.apply(rules as BodyRules<unknown>, items[index]);
    }
    this.#above = above;
    this.#list = "";
    this.#index = -1;
  }

  /**
   * Reports a violation of the current rule's claim.
   *
   * @param below The place, as a JSON pointer from the body of the rule.
   * @param expected The expected value, in words.
   * @param value The actual value; undefined if there is none.
   */
  violation(below: string, expected: string, value: unknown): void {
    this.#add(findingOf, below, expected, value);
  }

  /** Reports a notice. */
  notice(below: string, expected: string, value: unknown): void {
    this.#add(noticeOf, below, expected, value);
  }

  #add(make: typeof findingOf, below: string, expected: string, value: unknown): void {
    const path = `${this.#path()}${below}`;
    const actual = describeValue(value, below.slice(below.lastIndexOf("/") + 1));
    const found = make(this.#claim, `${this.#subject} ${path}`, { path, expected, actual });
    this.#findings ??= [];
    this.#findings.push(found);
  }

  /** The path of the body that the current rule checks. */
  #path(): string {
    return this.#index < 0 ? this.#above : `${this.#above}${this.#list}/${this.#index}`;
  }
}

/** Rules in the order in which the collector applies them. */
type RuleList<Body> = readonly { readonly claim: ClaimId; readonly rule: Rule<Body> }[];

/** The rules of a kind of body, and of the bodies in a list of its `_embedded`. */
export interface BodyRules<Body> {
  readonly own: RuleList<Body>;
  readonly embedded?: {
    readonly key: string;
    readonly path: string;
    readonly rules: BodyRules<never>;
  };
}

interface Embedding {
  readonly _embedded?: Readonly<Record<string, readonly unknown[] | undefined>>;
}

/** Turns tables of rules into the rules of a body. */
export function rulesOf<Body>(...tables: readonly Rules<Body>[]): BodyRules<Body> {
  const own = tables.flatMap((rules) =>
    (Object.entries(rules) as [ClaimId, Rule<Body>][]).map(([claim, rule]) => ({ claim, rule })),
  );
  return { own };
}
