import type { RequirementId } from "../../../generated/requirements.ts";
import { describeValue } from "../describe.ts";
import { type Finding, findingOf, noticeOf } from "../finding.ts";
import type { Networks } from "../networks.ts";

/**
 * A rule: looks at a body whose shape holds, and tells the judge where the body breaks the rule's
 * requirement. Where all is well it does nothing, and makes nothing.
 */
export type Rule<Body> = (body: Body, collector: FindingCollector) => void;

/** The rules of a kind of body, each by the requirement that it decides. */
export type Rules<Body> = { readonly [Id in RequirementId]?: Rule<Body> };

/** What is found where all is well. */
export const NOTHING: readonly Finding[] = Object.freeze([]);

/** Hears what rules have to say of one body. */
export class FindingCollector {
  readonly networks: Networks;
  /** Set by TXN-07: each link of the transaction leads to the projected message at its index. */
  linksMatchProjection = false;
  readonly #subject: string;
  #findings: Finding[] | undefined;
  #requirement: RequirementId = "WHK-02";
  #list = "";
  #index = -1;
  #above = "";

  /** @param subject The event or operation, as findings name it. */
  constructor(subject: string, networks: Networks) {
    this.#subject = subject;
    this.networks = networks;
  }

  /** What was found so far. */
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

  /** Applies rules to each item of a list below the body, whose paths then start there. */
  applyToEach<Body>(rules: RuleList<Body>, list: string, items: readonly Body[]): void {
    this.#list = list;
    for (let index = 0; index < items.length; index += 1) {
      this.#index = index;
      this.apply(rules, items[index] as Body);
    }
    this.#list = "";
    this.#index = -1;
  }

  /** Makes every path start below this one, for what stands inside of a page. */
  within(above: string): void {
    this.#above = above;
  }

  /**
   * Reports that the requirement of the rule at work does not hold.
   *
   * @param below Where, as a JSON pointer from what the rule looks at.
   * @param expected What was expected there, in words.
   * @param value What stands there; undefined for nothing.
   */
  violation(below: string, expected: string, value: unknown): void {
    this.#add(findingOf, below, expected, value);
  }

  /** Reports what is worth knowing and no fault. */
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

/** Rules as the judge applies them, in the order in which they are told. */
export type RuleList<Body> = readonly {
  readonly requirement: RequirementId;
  readonly rule: Rule<Body>;
}[];

/** Makes the list of a table's rules. */
export function listOf<Body>(rules: Rules<Body>): RuleList<Body> {
  const entries = Object.entries(rules) as [RequirementId, Rule<Body>][];
  return entries.map(([requirement, rule]) => ({ requirement, rule }));
}
