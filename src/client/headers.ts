/** The client's own; the interface leaves the type of an error's body open (ERR-02). */
const OWN = { accept: "application/json, */*;q=0.1" };

/**
 * Joins a call's headers to the client's own. Names are put in lower case, as they would stand
 * there twice otherwise; the access token is the client's matter.
 */
export function headersOf(
  headers: Readonly<Record<string, string>> | undefined,
  contentType?: string,
): Readonly<Record<string, string>> {
  const own = contentType === undefined ? OWN : { ...OWN, "content-type": contentType };
  return headers ? { ...own, ...withoutAuthorization(headers) } : own;
}

/** The headers with their names in lower case, and without one for the access token. */
export function withoutAuthorization(
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name !== "authorization"),
  );
}
