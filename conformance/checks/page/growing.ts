import { operations } from "../../../generated/operations.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { Assertions, ClaimAssertions, caseCheck } from "../../assert.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { isAnnounced } from "../../observe/deliveries/find.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import {
  isComplete,
  isConclusive,
  isPage,
  keysOnPages,
  styleOf,
  totalOf,
  type Walk,
  walk,
} from "../../observe/pages.ts";
import { Refused, unlessSkipped } from "../../skip.ts";
import type { Capability } from "../../target.ts";
import { deliveriesSince, drive, hasVerbs } from "../../verbs/drive.ts";
import { wrong } from "./facts.ts";
import { checkInvalidLimit } from "./http.ts";
import { counts, tooLong } from "./pages.ts";
import { repeated } from "./walks.ts";

/** Without `settle`, more than 100 accounts could take a long time. */
const MANY: readonly Capability[] = [
  ...(["verb:startLink", "verb:completeLink", "verb:settle", "deliveries"] as const),
];

const ENROLLED: readonly Capability[] = ["verb:enroll", "deliveries"];

const INCONCLUSIVE = new Skip("no response was conclusive");

const SAME = "nothing but the run's own additions changed a list during its walk";

/** Checks of lists that grow during a walk, and of a list of more than 100 resources. */
export const growingLists: readonly Check[] = [
  {
    claims: ["PAGE-11.every", "PAGE-11.once"],
    title: "a walk of a growing list reaches every older resource",
    requires: ENROLLED,
    run: async (session) => {
      const assertions = new ClaimAssertions();
      for (const list of await grownLists(session)) {
        const { walked } = list;
        const [old, all] = [list.before, list.after].map(keysOnPages) as [string[], string[]];
        const last = walked.pages.at(-1);
        // CONV-05 reports a link that was not followed.
        const isStopped = walked.end.kind === "broken" && last && isPage(last);
        // If the older resources have another order, one of them changed.
        const own = new Set(old);
        const isSorted = all.filter((key) => own.has(key)).every((key, i) => key === old[i]);
        if (!last || isStopped || !isConclusive(last) || !isSorted) continue;
        const every = assertions.of("PAGE-11.every", "growing-list");
        every.all(inBoth(list, (walk) => lost(walk, old)));
        // If the list doesn't grow at its end, the pages may shift.
        const isAppended = old.every((key, i) => all[i] === key);
        const once = assertions.of("PAGE-11.once", "growing-list");
        if (isAppended) once.all(inBoth(list, repeated));
      }
      return assertions.result(SAME);
    },
  },
  {
    claims: ["PAGE-08.counts"],
    title: "totalItems counts resources that were added during a walk",
    requires: ENROLLED,
    run: async (session) => {
      const assertions = new Assertions();
      for (const list of await grownLists(session)) {
        if (styleOf(list.walked) !== "offset-style") continue;
        const { length } = keysOnPages(list.after);
        const found = ({ pages }: Walk) =>
          pages
            .slice(1)
            .filter((page) => isPage(page) && typeof totalOf(page) === "number")
            .flatMap((page) => counts(page, length));
        assertions.of("PAGE-08.counts", "growing-list").all(inBoth(list, found));
      }
      return assertions.result(SAME);
    },
  },
  caseCheck(["PAGE-01.at-most"], {
    title: "a page of a list of over 100 resources has at most 100",
    ...{ requires: MANY, none: INCONCLUSIVE },
    cases: async (session) => (await longList(session)).pages,
    find: tooLong,
    situationsOf: () => ["limit-100"],
  }),
  caseCheck(["PAGE-02.not-honoured"], {
    title: "a limit over 100 is not honoured in a list of over 100",
    ...{ requires: MANY, none: INCONCLUSIVE },
    cases: async (session) => {
      const { path } = operations[(await longList(session)).operation];
      const limits = ["101", "1000000"].map((limit) => checkInvalidLimit(session, path, limit));
      return (await Promise.all(limits)).filter((one) => one !== undefined);
    },
    find: (breaches) => breaches,
    situationsOf: () => ["limit-101"],
  }),
];

/** A list to which the run added resources during a walk. */
interface GrownList {
  /** The whole list before the addition and after it, in pages of 100. */
  readonly before: Walk;
  readonly after: Walk;
  /** The first page was read before the addition, the others after it, twice. */
  readonly walked: Walk;
  readonly again: Walk;
  /** The ids that the run added. */
  readonly added: readonly string[];
}

/** The lists that grew during a walk by what the run added, and did not change otherwise. */
async function grownLists(session: Session): Promise<GrownList[]> {
  const canLink = hasVerbs(session, "startLink", "completeLink", "settle");
  const lists = [
    await unlessSkipped(grownCards(session)),
    canLink ? await unlessSkipped(grownAccounts(session)) : undefined,
  ];
  const grown = lists.filter((list) => list !== undefined);
  return grown.filter(({ before, after, added }) => {
    const known = new Set([...keysOnPages(before), ...added]);
    const all = new Set(keysOnPages(after));
    const isOwn =
      added.length > 0 && known.size === all.size && [...known].every((id) => all.has(id));
    return isOwn && isComplete(before) && isComplete(after);
  });
}

/** The breaches of a walk if it shows some both times: others may have changed the list once. */
function inBoth(
  { walked, again }: GrownList,
  find: (walk: Walk) => readonly Breach[],
): readonly Breach[] {
  return find(again).length > 0 ? find(walked) : [];
}

/** Reports older resources that a walk did not reach. */
function lost(walked: Walk, old: readonly string[]): Breach[] {
  const reached = new Set(keysOnPages(walked));
  const [missing] = old.filter((key) => !reached.has(key));
  const last = walked.pages.at(-1);
  if (missing === undefined || !last) return [];
  const expected = `each of the ${old.length} resources from before the walk`;
  return wrong(last, "", expected, `${missing} is missing`);
}

/** A list of more than 100 resources, from its first page. */
async function longList(session: Session): Promise<Walk> {
  const { after } = await grownAccounts(session);
  if (keysOnPages(after).length > maxPageSize) return after;
  throw new Skip("the driver could not create a list of more than 100 resources");
}

/** Enrolls a card while the cards are walked. */
function grownCards(session: Session): Promise<GrownList> {
  return session.share("a card is enrolled during a walk", (own) =>
    grown(own, "GET /cards", async () => {
      const since = (await own.deliveries()).length;
      const { cardId, subscriptionId } = await drive(own, "enroll", undefined);
      await deliveriesSince(own, since, (all) =>
        isAnnounced(all, "cardsubscription.created", subscriptionId),
      );
      return [cardId];
    }),
  );
}

/** The number of accounts of a link, and of links, to get a list of more than 100 accounts. */
const LINK_SIZE = 20;
const MAX_LINKS = 6;

/** Links bank accounts while the accounts are walked, until there are more than 100. */
function grownAccounts(session: Session): Promise<GrownList> {
  return session.share("many accounts are linked during a walk", (own) =>
    grown(own, "GET /bank-accounts", async (before) => {
      const since = (await own.deliveries()).length;
      const accounts = Array.from({ length: LINK_SIZE }, () => ({ type: "depository" }) as const);
      const added: string[] = [];
      for (let i = 0; i < MAX_LINKS && before + i * LINK_SIZE <= maxPageSize; i += 1) {
        const { bankLinkId } = await drive(own, "startLink", { accounts });
        const link = await drive(own, "completeLink", { bankLinkId, by: "notification" });
        added.push(...link.bankAccountIds);
      }
      await deliveriesSince(own, since, () => true);
      return added;
    }),
  );
}

/**
 * Walks a list in pages of half its length.
 *
 * @param add Adds resources after the first page, and returns their ids.
 */
async function grown(
  session: Session,
  operation: CollectionOperation,
  add: (before: number) => Promise<readonly string[]>,
): Promise<GrownList> {
  const before = await walk(session, operation, { limit: maxPageSize });
  const count = keysOnPages(before).length;
  const limit = Math.min(maxPageSize, Math.max(1, Math.ceil(count / 2)));
  let added: readonly string[] = [];
  const afterFirst = async () => {
    added = await add(count);
  };
  try {
    const walked = await walk(session, operation, { limit, afterFirst });
    const [first, second] = walked.pages;
    if (!first || !second) throw new Skip(`${operation} has no second page`);
    const after = await walk(session, operation, { limit: maxPageSize });
    const again = await walk(session, operation, { from: first.exchange });
    return { before, walked, again, after, added };
  } catch (error) {
    // A target that adds nothing leaves the situation unmet. Other checks decide the claims.
    throw error instanceof Refused ? new Skip(error.reason) : error;
  }
}
