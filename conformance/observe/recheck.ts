import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Exchange } from "../wire/exchange.ts";

/**
 * Repeats a request, because the resource may have changed since.
 *
 * @returns Resolves to undefined if the request is skipped.
 */
async function refetch(session: Session, { request }: Exchange): Promise<Exchange | undefined> {
  const { pathname: base } = new URL(session.baseUrl);
  const { pathname, search } = new URL(request.url);
  try {
    return await session.follow(pathname.slice(base.replace(/(?<!\/)\/+$/, "").length) + search);
  } catch (error) {
    if (error instanceof Skip) return undefined;
    throw error;
  }
}

/** Refetches each URL at most once. */
export class Recheck {
  readonly #session: Session;
  readonly #refetched = new Map<string, Promise<Exchange | undefined>>();

  constructor(session: Session) {
    this.#session = session;
  }

  fetch(exchange: Exchange): Promise<Exchange | undefined> {
    const { url } = exchange.request;
    const known = this.#refetched.get(url);
    if (known) return known;
    const look = refetch(this.#session, exchange);
    this.#refetched.set(url, look);
    return look;
  }
}

/** Maximum number of failures to recheck. */
export const MAX_RECHECKS = 25;
