/** Something that becomes due. Only a heap changes it. */
export interface HeapItem {
  /** When it is due; meaningless outside a heap. */
  dueAt: number;
  /** Items that are due at the same time come in this order: the first that was set comes first. */
  order: number;
  /** Its index in the heap; -1 outside a heap. */
  index: number;
}

/** Sorts items by when they are due. Each operation takes O(log n). */
export class DueHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];
  #orders = 0;

  /** The item that is due first; undefined if the heap is empty. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Adds an item, or changes when it is due. */
  set(item: Item, dueAt: number): void {
    item.dueAt = dueAt;
    item.order = ++this.#orders;
    if (item.index < 0) item.index = this.#items.push(item) - 1;
    this.#sink(this.#rise(item));
  }

  /** Removes an item; no effect if it is not in the heap. */
  delete(item: Item): void {
    const last = item.index < 0 ? undefined : this.#items.pop();
    if (last && last !== item) {
      this.#put(last, item.index);
      this.#sink(this.#rise(last));
    }
    item.index = -1;
  }

  #rise(item: Item): Item {
    while (item.index > 0) {
      const parent = this.#items[(item.index - 1) >> 1];
      if (!parent || isBefore(parent, item)) break;
      this.#swap(parent, item);
    }
    return item;
  }

  #sink(item: Item): void {
    for (;;) {
      const [left, right] = [1, 2].map((side) => this.#items[2 * item.index + side]);
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || isBefore(item, child)) return;
      this.#swap(item, child);
    }
  }

  #swap(one: Item, other: Item): void {
    const { index } = one;
    this.#put(one, other.index);
    this.#put(other, index);
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.index = index;
  }
}

function isBefore(one: HeapItem, other: HeapItem): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}
