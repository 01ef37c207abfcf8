import type { Session } from "../session.ts";
import { Skip } from "../skip.ts";
import type { Exchange } from "../transport/exchange.ts";

/**
 * Asks for the same again: what did not hold at first may have changed meanwhile.
 *
 * @returns Resolves to undefined where it can't be asked again.
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

/** Looks again at each thing once, however many ask for it. */
export class Recheck {
  readonly #session: Session;
  readonly #looked = new Map<string, Promise<Exchange | undefined>>();

  constructor(session: Session) {
    this.#session = session;
  }

  fetch(exchange: Exchange): Promise<Exchange | undefined> {
    const { url } = exchange.request;
    const known = this.#looked.get(url);
    if (known) return known;
    const look = refetch(this.#session, exchange);
    this.#looked.set(url, look);
    return look;
  }
}

/** At so many things that do not hold a second look is taken: more would tell no more. */
export const MAX_RECHECKS = 25;
