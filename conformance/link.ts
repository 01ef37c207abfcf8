/**
 * Whether a link stays below the base address: same origin, and within its path once dot segments
 * are resolved. Nothing else is followed, as the access token goes along.
 */
export function isBelow(baseUrl: string, href: unknown): href is string {
  if (typeof href !== "string" || !href.startsWith("/")) return false;
  const base = new URL(baseUrl);
  const url = URL.parse(baseUrl.replace(/\/+$/, "") + href);
  const path = base.pathname.replace(/\/+$/, "");
  return (
    url?.origin === base.origin && url.pathname.startsWith(`${path}/`) && !/^\/[/\\]/.test(href)
  );
}
