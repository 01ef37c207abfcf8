import { maxPageSize } from "../../../generated/resources.ts";
import { Assertions, ClaimAssertions } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { Recheck } from "../../observe/crawl.ts";
import {
  isConclusive,
  isPage,
  type Page,
  styleOf,
  totalOf,
  type Walk,
  walk,
} from "../../observe/pages.ts";
import { checkInvalidLimit, isComplete, keysOnPages } from "../../observe/paging.ts";
import { CONNECTED, ENROLLED, hasVerbs, runScenarios } from "../../scenarios/act.ts";
import { type GrownList, grownAccounts, grownCards } from "../../scenarios/listed.ts";
import type { Capability } from "../../target.ts";
import { tooLong } from "./limits.ts";
import { repeated } from "./walks.ts";

/** Without `settle`, more than 100 accounts could take a long time. */
const MANY: readonly Capability[] = [...CONNECTED, "verb:settle"];

const SHORT = new Skip("the driver could not create a list of more than 100 resources");
const SAME = "nothing was added to a list during its walk";

/** Checks of lists that grow during a walk, and of a list of more than 100 resources. */
export const pagingScenarios: readonly Check[] = [
  // PAGE-11: Walking next from the first page reaches every resource exactly once.
  {
    claims: ["PAGE-11.every", "PAGE-11.once"],
    title: "a walk of a growing list reaches every older resource",
    requires: ENROLLED,
    run: async (session) => {
      const lists = await grownLists(session);
      const assertions = new ClaimAssertions();
      for (const { before, walked, after } of lists) {
        const [old, all] = [keysOnPages(before), keysOnPages(after)];
        const last = walked.pages.at(-1);
        // CONV-05 reports a link that was not followed.
        const isStopped = walked.end.kind === "broken" && last && isPage(last);
        // If the older resources have another order, one of them changed.
        if (!last || isStopped || !isConclusive(last) || !areIn(old, all)) continue;
        const reached = new Set(keysOnPages(walked));
        const [missing] = old.filter((key) => !reached.has(key));
        assertions.of("PAGE-11.every", "growing-list").check(missing === undefined, {
          expected: `each of the ${old.length} resources from before the walk`,
          ...{ actual: `${missing} is missing`, evidence: [last.exchange] },
        });
        // If the list doesn't grow at its end, the pages may shift.
        const isAppended = old.every((key, i) => all[i] === key);
        if (isAppended) assertions.of("PAGE-11.once", "growing-list").all(repeated(walked));
      }
      return assertions.result(SAME);
    },
  },
  // PAGE-08: Offset style has totalItems, the number of resources matching the filters.
  {
    claims: ["PAGE-08.counts"],
    title: "totalItems counts resources that were added during a walk",
    requires: ENROLLED,
    run: async (session) => {
      const lists = await grownLists(session);
      const assertions = new Assertions();
      for (const { walked, after } of lists) {
        if (styleOf(walked) !== "offset-style") continue;
        for (const page of walked.pages.slice(1).filter(isPage)) {
          if (typeof totalOf(page) !== "number") continue;
          const count = assertions.of("PAGE-08.counts", "growing-list");
          count.all(await miscounted(session, page, after));
        }
      }
      return assertions.result(SAME);
    },
  },
  // PAGE-01: limit is an integer from 1 to 100; a page never has more items than limit.
  {
    claims: ["PAGE-01.at-most"],
    title: "a page of a list of over 100 resources has at most 100",
    requires: MANY,
    run: async (session) => {
      const { after } = await grownAccounts(session);
      if (keysOnPages(after).length <= maxPageSize) return SHORT;
      const assertions = new Assertions();
      for (const page of after.pages) {
        assertions.of("PAGE-01.at-most", "limit-100").all(tooLong(page));
      }
      return assertions.result("");
    },
  },
  // PAGE-02: A limit outside 1 to 100 or not an integer is not honoured (the status is not
  // specified; a 4xx is expected, a page of more than 100 items is a failure).
  {
    claims: ["PAGE-02.not-honoured"],
    title: "a limit over 100 is not honoured in a list of over 100",
    requires: MANY,
    run: async (session) => {
      const { after } = await grownAccounts(session);
      if (keysOnPages(after).length <= maxPageSize) return SHORT;
      const assertions = new Assertions();
      for (const limit of ["101", "1000000"]) {
        const breaches = await checkInvalidLimit(session, after.operation, limit, false);
        const notHonoured = assertions.of("PAGE-02.not-honoured", "limit-101");
        if (breaches) notHonoured.all(breaches);
      }
      return assertions.result("no response was conclusive");
    },
  },
];

/** The lists that grew during a walk. */
async function grownLists(session: Session): Promise<GrownList[]> {
  const canLink = (["startLink", "completeLink", "settle"] as const).every((verb) =>
    hasVerbs(session, verb),
  );
  const { completed } = await runScenarios<GrownList>(
    () => grownCards(session),
    ...(canLink ? [() => grownAccounts(session)] : []),
  );
  return completed.filter(({ before, after }) => {
    const old = new Set(keysOnPages(before));
    const isGrown = keysOnPages(after).some((key) => !old.has(key));
    return isGrown && isComplete(before) && isComplete(after);
  });
}

/** Whether the resources of one list are in another one, in the same order. */
function areIn(some: readonly string[], all: readonly string[]): boolean {
  const own = new Set(some);
  const rest = all.filter((key) => own.has(key));
  return rest.length === some.length && rest.every((key, i) => key === some[i]);
}

/** A wrong total counts only if it recurs, because the list may have changed again. */
async function miscounted(session: Session, page: Page, after: Walk): Promise<Breach[]> {
  const isRight = (shown: Page, list: Walk) => totalOf(shown) === keysOnPages(list).length;
  if (isRight(page, after)) return [];
  const exchange = await new Recheck(session).fetch(page.exchange);
  const list = await walk(session, after.operation, { limit: maxPageSize });
  if (!exchange || !isComplete(list)) return [];
  const again = { ...page, exchange };
  if (!isPage(again) || isRight(again, list)) return [];
  const expected = `${keysOnPages(list).length}, the added resources included`;
  return [{ path: "/totalItems", expected, actual: `${totalOf(again)}`, evidence: [exchange] }];
}
