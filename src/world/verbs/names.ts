/** The names of the verbs, in the order of the documentation. */
export const verbNames = [
  ...(["purchase", "clear", "clear-partial", "bank-post", "late-card-data"] as const),
  ...(["retire-duplicate", "provider-remove", "rematch", "enrich", "switch-projection"] as const),
  ...(["open-subaccount", "enroll", "sca-pass", "sca-fail", "upgrade", "deactivate"] as const),
  ...(["link-card", "feed-submit", "feed-accept", "feed-reject"] as const),
  ...(["link-start", "link-complete", "consent-expire", "disconnect", "recover"] as const),
] as const;

/** The name of a verb. */
export type VerbName = (typeof verbNames)[number];

/** Whether there is a verb of this name. */
export function isVerb(name: string): name is VerbName {
  return (verbNames as readonly string[]).includes(name);
}
