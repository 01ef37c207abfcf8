import type { Store } from "./store.ts";

/** The names of the kept states, in the order of the alphabet. */
export function snapshotNames(_store: Store): string[] {
  return [];
}

/** Keeps the state under a name, in place of what was under it. Throws a Refusal 400 for a bad name. */
export function takeSnapshot(_store: Store, _name: string): void {
  throw new Error("not built yet");
}

/** Puts a kept state in place of the present one. Throws a Refusal 404. */
export function restoreSnapshot(_store: Store, _name: string): void {
  throw new Error("not built yet");
}
