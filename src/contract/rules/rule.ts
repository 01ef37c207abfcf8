import type { RequirementId } from "../../../generated/requirements.ts";
import { describeValue } from "../describe.ts";
import { type Finding, findingOf, noticeOf } from "../finding.ts";
import type { Networks } from "../networks.ts";

/**
 * A rule checks a body with a valid shape, and reports each violation of its requirement to the
 * collector. It allocates nothing for a body without violations.
 */
type Rule<Body> = (body: Body, collector: FindingCollector) => void;

/** The rules of a kind of body, by the requirements that they check. */
export type Rules<Body> = { readonly [Id in RequirementId]?: Rule<Body> };

/** The findings of a body without violations. */
export const NOTHING: readonly Finding[] = Object.freeze([]);

/** Collects the findings of one body's rules. */
export class FindingCollector {
  readonly networks: Networks;
  /** Set by TXN-07: each message link leads to the projected message at the same index. */
  linksMatchProjection = false;
  readonly #subject: string;
  #findings: Finding[] | undefined;
  #requirement: RequirementId = "WHK-02";
  #list = "";
  #index = -1;
  #above = "";

  /** @param subject The event or operation, for the findings. */
  constructor(subject: string, networks: Networks) {
    this.#subject = subject;
    this.networks = networks;
  }

  /** The findings so far. */
  get findings(): readonly Finding[] {
    return this.#findings ?? NOTHING;
  }

  /** Applies rules to a body. */
  apply<Body>(rules: RuleList<Body>, body: Body): void {
    for (let index = 0; index < rules.length; index += 1) {
      const one = rules[index] as RuleList<Body>[number];
      this.#requirement = one.requirement;
      one.rule(body, this);
    }
  }

  /** Applies rules to each item of a list in the body. Their paths start at the item. */
  applyToEach<Body>(rules: RuleList<Body>, list: string, items: readonly Body[]): void {
    this.#list = list;
    for (let index = 0; index < items.length; index += 1) {
      this.#index = index;
      this.apply(rules, items[index] as Body);
    }
    this.#list = "";
    this.#index = -1;
  }

  /** Prefixes every path, for an item of a page. */
  within(above: string): void {
    this.#above = above;
  }

  /**
   * Reports a violation of the current rule's requirement.
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
    const item = this.#index < 0 ? "" : `${this.#list}/${this.#index}`;
    const path = `${this.#above}${item}${below}`;
    const actual = describeValue(value, below.slice(below.lastIndexOf("/") + 1));
    const found = make(this.#requirement, `${this.#subject} ${path}`, { path, expected, actual });
    this.#findings ??= [];
    this.#findings.push(found);
  }
}

/** Rules in the order in which the collector applies them. */
export type RuleList<Body> = readonly {
  readonly requirement: RequirementId;
  readonly rule: Rule<Body>;
}[];

/** Turns a table of rules into a list. */
export function listOf<Body>(rules: Rules<Body>): RuleList<Body> {
  const entries = Object.entries(rules) as [RequirementId, Rule<Body>][];
  return entries.map(([requirement, rule]) => ({ requirement, rule }));
}
