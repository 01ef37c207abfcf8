import { accountFor } from "./accounts.ts";
import { type Advice, conflict, notFound } from "./refusal.ts";
import type { Kind, Resource } from "./resources.ts";
import { nameOf } from "./resources.ts";
import type { Store } from "./store.ts";

/** The most resources to search for a default, so that a verb is fast. */
const MAX_SCANNED = 500;

/** The resources to search first: most defaults are among the latest. */
const FIRST_BATCH = 10;

/** The ids that a verb is given, if any, and the account. */
export type Given<Name extends string = never> = {
  readonly [Each in Name | "accountId"]?: string | undefined;
};

/** The id of a resource, if any, and the account. */
export type Named = Given<"id">;

/** The named resource. Throws a Refusal 404 if it is unknown or belongs to another account. */
export function named<K extends Kind>(store: Store, kind: K, id: string, accountId?: string) {
  const resource = store.find(kind, id);
  if (accountId !== undefined && resource.accountId !== accountId) throw notFound(nameOf(kind), id);
  return resource;
}

/** The named resource in any state, or the latest one of the account that fits. */
export function namedOrLatest<K extends Kind>(
  store: Store,
  kind: K,
  { id, accountId }: Named,
  fits: (resource: Resource<K>) => boolean,
): Resource<K> | undefined {
  if (id !== undefined) return named(store, kind, id, accountId);
  const owner = accountFor(store, accountId);
  const lastOf = (limit: number) => store.latest(kind, owner, limit).find(fits);
  return lastOf(FIRST_BATCH) ?? lastOf(MAX_SCANNED);
}

/**
 * The subject of a verb: the named resource, or the latest one that fits.
 *
 * @throws {Refusal} 404 if the id is unknown, 409 if no id is given and no resource fits
 */
export function subjectOf<K extends Kind>(
  store: Store,
  kind: K,
  which: Named & { readonly verb: string; readonly advise: () => Advice },
  fits: (resource: Resource<K>) => boolean,
): Resource<K> {
  const found = namedOrLatest(store, kind, which, fits);
  if (found) return found;
  const problem = `there is no ${nameOf(kind)} in a state that ${which.verb} applies to`;
  throw conflict(problem, which.advise());
}
