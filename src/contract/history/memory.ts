/** How many contents of a resource are remembered, for the repeats of a delivery. */
const MAX_CONTENTS = 64;

/** The contents that were delivered of one resource, the latest ones. */
export class DeliveredContents {
  #latest: number[] = [];

  /** Remembers a content. Returns whether it was delivered before. */
  isDuplicate(content: number): boolean {
    if (this.#latest.includes(content)) return true;
    this.#latest.push(content);
    if (this.#latest.length > MAX_CONTENTS) this.#latest.shift();
    return false;
  }
}

/** Up to here a list is looked through; a longer one gets a set, so that the time stays bounded. */
const SHORT = 16;

/** The ids that are not among others. */
export function idsNotIn(others: readonly string[], ids: readonly string[]): readonly string[] {
  if (others.length <= SHORT) return ids.filter((id) => !others.includes(id));
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

/** How many resources that have ended are remembered. */
const MAX_ENDED = 50_000;

/**
 * Resources by id, the live ones all, and the latest of those that have ended: their deliveries may
 * still be repeated.
 */
export class Resources<State> {
  readonly live = new Map<string, State>();
  readonly #ended = new Map<string, State>();

  /** A resource, live or ended. */
  get(id: string): State | undefined {
    return this.live.get(id) ?? this.#ended.get(id);
  }

  /** Ends a resource. */
  end(id: string, state: State): void {
    this.live.delete(id);
    this.#ended.set(id, state);
    if (this.#ended.size <= MAX_ENDED) return;
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** Ids, the latest ones. */
export class RecentIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= MAX_ENDED) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}
