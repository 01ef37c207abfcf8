import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { type Breach, type Check, type Session, Skip } from "../../check.ts";
import { sample } from "../../observe/feed.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import {
  hasItems,
  isConclusive,
  isPage,
  keysOf,
  keysOnPages,
  type Page,
  placeOf,
  situationOfLimit,
  styleOf,
  totalOf,
} from "../../observe/pages.ts";
import { type LimitedWalk, type Paging, pagingOf, pagingsOf } from "../../observe/paging.ts";
import { Aborted } from "../../skip.ts";
import { outcomeOf } from "../../wire/exchange.ts";

/** A walk from the first page by next, and the others of its list. */
export interface WalkCase {
  readonly paging: Paging;
  readonly walk: LimitedWalk;
  readonly first: Page;
  readonly situations: readonly Situation[];
}

export function walkCasesOf(paging: Paging): WalkCase[] {
  return paging.walks.flatMap((walk) => {
    const [first] = walk.pages;
    const place = walk.pages.length > 1 ? "last-page" : "only-page";
    const situations = [styleOf(walk), place, ...situationOfLimit(walk.limit)] as const;
    return first ? [{ walk, first, paging, situations }] : [];
  });
}

/** A page of a list, reached by a walk or requested by its offset. */
export interface PageCase {
  readonly paging: Paging;
  readonly page: Page;
  /** The walk that reached it, or the walk that gives its offset a meaning. */
  readonly walk: LimitedWalk;
  readonly isFirst: boolean;
  /** Whether the links on it are followed: only those of a sample are. */
  readonly isSampled: boolean;
  readonly situations: readonly Situation[];
  /** What it was requested with; undefined if a walk reached it. */
  readonly place?: Place;
  /** The keys of the whole list, in the order that gives a place its meaning; else empty. */
  readonly order: readonly string[];
}

interface Place {
  readonly offset: number;
  readonly limit: number;
}

/** The maximum number of pages per walk whose links are followed. */
const MAX_PAGES_PER_WALK = 6;

/** The pages that the walks of a list reached, and those at every kind of position in it. */
export async function pageCasesOf(paging: Paging): Promise<PageCase[]> {
  const walked = paging.walks.flatMap((walk) => {
    const pages = walk.pages.filter(isPage);
    const chosen = new Set(sample(pages, MAX_PAGES_PER_WALK));
    return pages.map((page): PageCase => {
      const isFirst = page === walk.pages[0];
      // A list that is not longer than the limit can't exceed it.
      const limits = paging.keys.length > (walk.limit ?? 0) ? situationOfLimit(walk.limit) : [];
      const situations = [placeOf(walk, page), styleOf(walk), ...limits];
      return { paging, page, walk, isFirst, isSampled: chosen.has(page), situations, order: [] };
    });
  });
  return [...walked, ...(await placedPages(paging))];
}

/** The pages at every kind of position in a list, if it is in offset style. */
async function placedPages(paging: Paging): Promise<PageCase[]> {
  const { byOffset: walk } = paging;
  if (!walk) return [];
  const order = [...new Set(keysOnPages(walk))];
  const cases = await Promise.all(
    placesIn(order.length).map(async (place): Promise<PageCase> => {
      const page = await paging.at(place.offset, place.limit);
      const situations = situationsOf(place, order.length);
      const isFirst = place.offset === 0;
      return { paging, page, walk, isFirst, isSampled: true, situations, place, order };
    }),
  );
  return cases.filter(({ page }) => isConclusive(page));
}

function placesIn(count: number): Place[] {
  const middle = Math.floor(count / 2);
  const by = (limit: number, ...offsets: readonly number[]): Place[] =>
    offsets.map((offset) => ({ offset, limit }));
  const within = [
    ...by(1, 0, middle, count - 1),
    ...by(2, 0, 1, 2, 3, 5, middle, count - 2, count - 1),
    ...by(3, 1, 4),
    ...by(maxPageSize, 0, 1),
  ].filter(({ offset }) => offset === 0 || (offset > 0 && offset < count));
  // Offsets that no list has overflow integers of 32 and of 64 bits.
  const behind = [...by(2, count, count + 1, count + 1_000), ...by(1, 2 ** 31, 2 ** 32, 2 ** 63)];
  const places = [...within, ...behind.filter(({ offset }) => offset > 0)];
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

function situationsOf({ offset, limit }: Place, count: number): Situation[] {
  if (offset > 0 && offset >= count) {
    return ["after-last", ...(offset >= 2 ** 31 ? (["far-offset"] as const) : [])];
  }
  const isLast = offset + limit >= count;
  const [only, others] = isLast ? (["only-page", "last-page"] as const) : FIRST;
  return [
    ...["offset-style" as const, offset === 0 ? only : others],
    ...(count > limit ? situationOfLimit(limit) : []),
    ...(offset % limit === 0 ? [] : (["unaligned"] as const)),
  ];
}

const FIRST = ["first-page", "middle-page"] as const;

/** A breach on a page, with the pages that it is compared with. */
export function wrong(
  { exchange }: Page,
  path: string,
  expected: string,
  actual: string,
  ...beside: readonly (Page | undefined)[]
): [Breach] {
  const others = beside.flatMap((one) => (one && one.exchange !== exchange ? one.exchange : []));
  return [{ path, expected, actual, evidence: [exchange, ...others] }];
}

/** The breach of a response that is not a page. */
export function unlessPage(page: Page, expected: string): Breach[] {
  return isPage(page) ? [] : wrong(page, "", expected, outcomeOf(page.exchange));
}

/** A fact about each case that a list shows, such as each of its pages or of its walks. */
export interface Fact<Case> {
  readonly claim: ClaimId;
  readonly title: string;
  /** The result if no list shows a case. */
  readonly skip: Skip;
  /** Whether a case is one of this fact; default: all are. */
  readonly of?: (one: Case) => boolean;
  /** The breaches of a case; undefined if it is inconclusive. */
  readonly find: (one: Case) => Breaches | Promise<Breaches>;
}

type Breaches = readonly Breach[] | undefined;

/** What a case shows. */
interface Shown {
  readonly breaches: readonly Breach[];
  readonly situations: readonly Situation[];
}

/**
 * Makes a check of each fact, on all lists. Others may change a list while it is walked, and pages
 * from before and after a change contradict each other. Therefore a breach counts only if a second
 * look at the whole list shows the same again, or if no look shows a change.
 */
export function factChecks<Case extends Pick<Shown, "situations">>(
  casesOf: (paging: Paging) => readonly Case[] | Promise<readonly Case[]>,
  facts: readonly Fact<Case>[],
): Check[] {
  return facts.map(({ claim, title, skip, of = () => true, find }) => {
    const inspect = async (paging: Paging) => {
      const shown = (await casesOf(paging)).filter(of).map(async (one): Promise<Shown[]> => {
        const breaches = await find(one);
        return breaches ? [{ breaches, situations: one.situations }] : [];
      });
      return (await Promise.all(shown)).flat();
    };
    return {
      claims: [claim],
      title,
      requires: ["state"],
      run: async (session) => {
        const lists = (await pagingsOf(session)).filter(isReadable);
        const looks = await Promise.all(
          lists.map(({ operation }) => lookAt(session, operation, inspect)),
        );
        const all = looks.flatMap((one) => (one instanceof Skip ? [] : one));
        const breaches = all.flatMap((one) => one.breaches);
        const unsteady = looks.find((one) => one instanceof Skip);
        if (unsteady && breaches.length === 0) return unsteady;
        if (all.length === 0) return skip;
        const situations = all.flatMap((one) => one.situations);
        return { assertions: all.length, breaches, situations };
      },
    };
  });
}

function isReadable({ walks }: Paging): boolean {
  return walks.every(({ pages }) => pages.filter(isPage).every(hasItems));
}

/** The looks at a list, as suffixes of names. Each look fetches every page again. */
const TIMES = ["", ", again", ", a third time", ", a last time"] as const;

/** Looks at a collection until the result is certain. */
async function lookAt(
  session: Session,
  operation: CollectionOperation,
  inspect: (paging: Paging) => Promise<readonly Shown[]>,
): Promise<readonly Shown[] | Skip> {
  const looks: Paging[] = [];
  let before: string | undefined;
  for (const time of TIMES) {
    const paging = await pagingOf(session, operation, time);
    const found = await inspect(paging);
    const breaches = found.flatMap((one) => one.breaches);
    if (breaches.length === 0) return found;
    const shown = JSON.stringify([breaches.map(withoutEvidence), paging.walks.map(outline)]);
    if (shown === before) return found;
    before = shown;
    looks.push(paging);
    if (looks.length === TIMES.length && !hasChanged(looks)) return found;
  }
  const reason = `the list of ${operation} changed during ${looks.length} walks`;
  return new Aborted(reason, "run the suite when no other client changes the target's lists");
}

const withoutEvidence = ({ evidence, ...breach }: Breach) => breach;

/** What a walk showed, without the text of its links. */
function outline({ limit, pages, end: { kind } }: LimitedWalk): unknown {
  const shown = pages.map((page) => [
    page.exchange.response?.status,
    keysOf(page),
    totalOf(page) ?? "",
  ]);
  return [limit ?? "", kind, shown];
}

/** Whether something was added to a list or removed from it during some looks. */
function hasChanged(looks: readonly Paging[]): boolean {
  const wholes = looks.flatMap(({ walks: [whole] }) =>
    whole && whole.end.kind !== "broken" ? [keysOnPages(whole).length] : [],
  );
  const [count = 0, ...others] = new Set(wholes);
  const keys = new Set(looks.flatMap(({ walks }) => walks.flatMap(keysOnPages)));
  // The total on a page, by the page's place in the walks.
  const totals = new Map<string, unknown>();
  const hasOtherTotal = looks.some(({ walks }) =>
    walks.some(({ limit, pages }) =>
      pages.some((page, i) => {
        const place = `${limit} ${i}`;
        const isOther = totals.has(place) && totals.get(place) !== totalOf(page);
        totals.set(place, totalOf(page));
        return isOther;
      }),
    ),
  );
  return others.length > 0 || (wholes.length > 0 && keys.size > count) || hasOtherTotal;
}
