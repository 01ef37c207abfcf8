/** The number of contents kept per resource, to detect duplicates. */
const MAX_CONTENTS = 64;

/** The hashes of the latest contents delivered for one resource. */
export class DeliveredContents {
  #latest: number[] = [];

  /** Adds a content. Returns whether it was delivered before. */
  isDuplicate(content: number): boolean {
    if (this.#latest.includes(content)) return true;
    this.#latest.push(content);
    if (this.#latest.length > MAX_CONTENTS) this.#latest.shift();
    return false;
  }
}

/** Longer lists are searched with a set, so that the time stays linear. */
const SHORT = 16;

/** The ids that are not in another list. */
export function idsNotIn(others: readonly string[], ids: readonly string[]): readonly string[] {
  if (others.length <= SHORT) return ids.filter((id) => !others.includes(id));
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

/** The number of ended resources that are kept. */
const MAX_ENDED = 50_000;

/**
 * Resources by id: all live ones, and the latest ended ones, whose deliveries may still come again.
 */
export class Resources<State> {
  readonly live = new Map<string, State>();
  readonly #ended = new Map<string, State>();

  /** Returns a resource, live or ended. */
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

/** A bounded set of the latest ids. */
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
