import type { Session } from "../run/session.ts";
import type { Exchange } from "../wire/exchange.ts";
import { feedOf } from "./crawl.ts";
import type { Feed } from "./feed.ts";
import { linksIn } from "./links.ts";
import { MAX_RECHECKS, Recheck } from "./recheck.ts";

/**
 * A request without a 200 JSON response. If a link led to it, includes the response with the link.
 */
interface Suspect {
  readonly exchange: Exchange;
  readonly from?: Exchange;
  readonly href?: string;
}

/**
 * The requests without a 200 JSON response, neither at first nor when repeated. Maps the first
 * exchange to the second. Excludes rate-limited requests, because rate limits are not specified,
 * and links that are gone from their page or resource when refetched.
 */
export function failedRequestsOf(session: Session): Promise<ReadonlyMap<Exchange, Exchange>> {
  return session.share("unanswered", async (own) => {
    const recheck = new Recheck(own);
    const suspects = suspectsOf(await feedOf(session));
    const seconds = await Promise.all(suspects.map((suspect) => confirm(suspect, recheck)));
    return new Map(
      suspects.flatMap(({ exchange }, i) => {
        const second = seconds[i];
        return second ? [[exchange, second] as const] : [];
      }),
    );
  });
}

function suspectsOf({ responses, links }: Feed): Suspect[] {
  const carried = new Set<Exchange>();
  const byLink = links.flatMap(({ exchange, from, href }) => {
    if (!exchange) return [];
    carried.add(exchange);
    return isAnswered(exchange) ? [] : [{ exchange, from, href }];
  });
  const others = responses.flatMap(({ exchange }) =>
    carried.has(exchange) || isAnswered(exchange) || exchange.request.method !== "GET"
      ? []
      : [{ exchange }],
  );
  return [...others, ...byLink].slice(0, MAX_RECHECKS * 4);
}

async function confirm(
  { exchange, from, href }: Suspect,
  recheck: Recheck,
): Promise<Exchange | undefined> {
  const second = await recheck.fetch(exchange);
  if (!second || isAnswered(second) || isRateLimited(second)) return undefined;
  if (!from || href === undefined) return second;
  const carrier = await recheck.fetch(from);
  const isCarried = linksIn(carrier?.response?.json).some((link) => link.href === href);
  return isCarried ? second : undefined;
}

function isAnswered({ response }: Exchange): boolean {
  return response?.status === 200 && response.json !== undefined;
}

/** Whether a request was rate limited. The interface does not specify rate limits. */
export function isRateLimited({ response }: Exchange): boolean {
  if (response?.status === 429) return true;
  return response?.status === 503 && response.headers["retry-after"] !== undefined;
}
