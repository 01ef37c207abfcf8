/** A place on a page where a requirement is implemented. */
export interface Place {
  /** The path of the page. */
  readonly page: string;
  /** The anchor on the page; empty for the whole page. */
  readonly anchor: string;
  readonly label: string;
}

/** The places of the contract that implement each requirement. */
export class Places {
  readonly #byId = new Map<string, Place[]>();

  add(requirement: string, place: Place): void {
    const places = this.#byId.get(requirement) ?? [];
    const isKnown = places.some(
      ({ page, anchor }) => page === place.page && anchor === place.anchor,
    );
    if (!isKnown) this.#byId.set(requirement, [...places, place]);
  }

  of(requirement: string): readonly Place[] {
    return this.#byId.get(requirement) ?? [];
  }
}
