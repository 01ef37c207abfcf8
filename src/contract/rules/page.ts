import type { components } from "../../../generated/types.ts";
import { memberOf } from "../pointer.ts";
import type { FindingCollector, Rules } from "./rule.ts";

type Schemas = components["schemas"];
type EitherStyle = Pick<Schemas["TransactionPage"], "_links" | "totalItems">;

const OFFSET_LINKS = ["first", "last", "prev"] as const;

/** The rules of a page in cursor style. */
export const cursorPageRules: Rules<{ readonly _links: object }> = {
  "PAGE-09.none": ({ _links }, collector) => {
    for (const name of OFFSET_LINKS) {
      if (Object.hasOwn(_links, name)) {
        collector.violation(`/_links/${name}`, "nothing in cursor style", memberOf(_links, name));
      }
    }
    return true;
  },
};

/**
 * The rules of a page whose style is not specified. A page with totalItems, first, last or prev is
 * in offset style, and then needs all of that style.
 */
export const eitherStylePageRules: Rules<EitherStyle> = {
  "PAGE-06.first": (page, collector) => hasLink(page, "first", collector),
  "PAGE-06.last": (page, collector) => hasLink(page, "last", collector),

  "PAGE-08.present": (page, collector) => {
    if (!isOffsetStyle(page)) return false;
    if (page.totalItems === undefined)
      collector.violation("/totalItems", "a number in offset style", page.totalItems);
    return true;
  },
};

function isOffsetStyle({ _links, totalItems }: EitherStyle): boolean {
  return totalItems !== undefined || OFFSET_LINKS.some((name) => _links[name] !== undefined);
}

function hasLink(page: EitherStyle, name: "first" | "last", collector: FindingCollector): boolean {
  if (!isOffsetStyle(page)) return false;
  const link = page._links[name];
  if (!link) collector.violation(`/_links/${name}`, "a link in offset style", link);
  return true;
}
