import { reasonOf } from "../../errors.ts";
import type { AccessTokens } from "../access-tokens.ts";
import { steadyNow } from "../clock.ts";
import type { ClientContext } from "../context.ts";
import { type Deadline, Interrupted } from "../deadline.ts";

/** The number of renewals that pages may cause in a burst. */
const MAX_RENEWALS = 3;

/** The interval at which the budget gains one renewal. */
const RENEWAL_EVERY_MS = 10_000;

/**
 * Renews the token of the route when a page reports that the service refused it. Any page with
 * access to the route may report that, so a budget limits the exchanges.
 */
export class RefusedTokens {
  readonly #context: ClientContext;
  readonly #tokens: AccessTokens;
  #budgetMs = MAX_RENEWALS * RENEWAL_EVERY_MS;
  #budgetAt: number;
  #renewal: Promise<unknown> | undefined;

  constructor(context: ClientContext, tokens: AccessTokens) {
    this.#context = context;
    this.#tokens = tokens;
    this.#budgetAt = steadyNow(context.settings.clock);
  }

  /**
   * Renews the token if it is the one that was refused. Concurrent reports share one renewal. If
   * it fails, the token stays: the report may be wrong.
   *
   * @param id The `x-token-id` of the refused token.
   */
  async report(id: string, deadline: Deadline): Promise<void> {
    const { cached } = this.#tokens;
    if (cached === undefined || (await tokenIdOf(cached.accessToken)) !== id) return;
    if (this.#tokens.cached !== cached) return;
    if (!this.#renewal && !this.#takeFromBudget()) {
      return this.#warn(`at most one renewal every ${RENEWAL_EVERY_MS} ms`);
    }
    this.#renewal ??= this.#tokens.renew(cached.accessToken).finally(() => {
      this.#renewal = undefined;
    });
    try {
      await deadline.wait(this.#renewal);
    } catch (error) {
      this.#warn(error instanceof Interrupted ? "it took too long" : reasonOf(error));
    }
  }

  #takeFromBudget(): boolean {
    const now = steadyNow(this.#context.settings.clock);
    const earnedMs = now - this.#budgetAt;
    this.#budgetMs = Math.min(MAX_RENEWALS * RENEWAL_EVERY_MS, this.#budgetMs + earnedMs);
    this.#budgetAt = now;
    if (this.#budgetMs < RENEWAL_EVERY_MS) return false;
    this.#budgetMs -= RENEWAL_EVERY_MS;
    return true;
  }

  #warn(why: string): void {
    const reason = `the refused token that a page reported is not renewed: ${why}`;
    this.#context.log?.({ level: "warn", event: "soft-failure", reason });
  }
}

/** The `x-token-id` of a token: the first half of its SHA-256, in hexadecimal digits. */
export async function tokenIdOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  const bytes = [...new Uint8Array(digest, 0, 16)];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
