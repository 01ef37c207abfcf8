import { accountFor } from "./accounts.ts";
import { conflict, notFound } from "./refusal.ts";
import type { Kind, Resource } from "./store/resources.ts";
import { nameOf, type Store } from "./store/store.ts";

/** How far back the latest one that fits is looked for: a verb is not to take seconds. */
const LOOKED_THROUGH = 500;

/** Most often it is among the last few. */
const LOOKED_AT_FIRST = 10;

/** Which resource a verb names, if it does. */
export interface Named {
  readonly id?: string | undefined;
  readonly accountId?: string | undefined;
}

/** The named resource. Throws a Refusal 404 where it is not there, or not the named account's. */
export function named<K extends Kind>(store: Store, kind: K, id: string, accountId?: string) {
  const resource = store.find(kind, id);
  if (accountId !== undefined && resource.accountId !== accountId) throw notFound(nameOf(kind), id);
  return resource;
}

/** The named resource, whatever its state, or else the account's latest one that fits. */
export function namedOrLatest<K extends Kind>(
  store: Store,
  kind: K,
  { id, accountId }: Named,
  fits: (resource: Resource<K>) => boolean,
): Resource<K> | undefined {
  if (id !== undefined) return named(store, kind, id, accountId);
  const owner = accountFor(store, accountId);
  const lastOf = (limit: number) => store.latest(kind, owner, limit).find(fits);
  return lastOf(LOOKED_AT_FIRST) ?? lastOf(LOOKED_THROUGH);
}

/**
 * What a verb is about: the named resource, or the latest one that fits.
 *
 * @param verb as an error names it
 * @throws a Refusal 404 for an id that is not there, and 409 where none is named and none fits
 */
export function subjectOf<K extends Kind>(
  store: Store,
  kind: K,
  which: Named & { readonly verb: string },
  fits: (resource: Resource<K>) => boolean,
): Resource<K> {
  const found = namedOrLatest(store, kind, which, fits);
  if (found) return found;
  throw conflict(`there is no ${nameOf(kind)} in a state that ${which.verb} applies to`);
}
