import type { Session } from "../session.ts";
import { Unseen } from "../unseen.ts";
import type { Exchange } from "../wire/exchange.ts";

/**
 * Asks for the same again: what did not hold at first may have changed meanwhile.
 *
 * @returns Resolves to undefined where it can't be asked again.
 */
export async function lookAgain(
  session: Session,
  { request }: Exchange,
): Promise<Exchange | undefined> {
  const { pathname: base } = new URL(session.baseUrl);
  const { pathname, search } = new URL(request.url);
  try {
    return await session.follow(pathname.slice(base.replace(/(?<!\/)\/+$/, "").length) + search);
  } catch (error) {
    if (error instanceof Unseen) return undefined;
    throw error;
  }
}

/** Looks again at each thing once, however many ask for it. */
export class SecondLook {
  readonly #session: Session;
  readonly #looked = new Map<string, Promise<Exchange | undefined>>();

  constructor(session: Session) {
    this.#session = session;
  }

  at(exchange: Exchange): Promise<Exchange | undefined> {
    const { url } = exchange.request;
    const known = this.#looked.get(url);
    if (known) return known;
    const look = lookAgain(this.#session, exchange);
    this.#looked.set(url, look);
    return look;
  }
}

/** At so many things that do not hold a second look is taken: more would tell no more. */
export const MOST_SUSPECTS = 25;
