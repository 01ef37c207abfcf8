import type { Situation } from "../../../generated/requirements.ts";
import { maxPageSize } from "../../../generated/resources.ts";
import { sample } from "../../observe/feed.ts";
import {
  isConclusive,
  isPage,
  keysOnPages,
  type Page,
  placeOf,
  situationOfLimit,
  styleOf,
} from "../../observe/pages.ts";
import type { LimitedWalk, Paging } from "../../observe/paging.ts";

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
