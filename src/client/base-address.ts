import { TxfeedError } from "../errors.ts";
import { type CallFacts, FeedLinkError } from "./errors.ts";

/** The service's base address: whatever is sent with a token goes below it. */
export class BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The address without a slash at its end; every path is appended to it. */
  readonly href: string;

  /** Throws a TxfeedError `usage` where it is no plain http address. */
  constructor(baseUrl: string) {
    const url = parse(baseUrl);
    if (!url || !/^https?:$/.test(url.protocol) || !isAnonymous(url) || url.search !== "") {
      const expected = "an http address with no user name and no query";
      throw new TxfeedError("usage", `baseUrl takes ${expected}, such as https://feed.example`);
    }
    this.origin = url.origin;
    this.href = url.origin + url.pathname.replace(/\/+$/, "");
  }

  /** The path of an address below the base, without a query: what may be told of it. */
  pathOf(address: string): string {
    const path = address.slice(this.href.length);
    const end = path.search(/[?#]/);
    return end < 0 ? path : path.slice(0, end);
  }

  /**
   * Resolves a link (CONV-07): a path below the base address, or an absolute address that leads
   * there. What could mean another place to a server, a proxy or a parser is refused, so that a
   * token goes nowhere else (PAGE-14).
   *
   * @returns the absolute address. Throws a FeedLinkError that names at most the host.
   */
  resolve(href: unknown, facts: CallFacts): string {
    const refused = (reason: string) => new FeedLinkError(reason, facts);
    const text = typeof href === "string" && !UNSAFE.test(href) ? href : "";
    const written = /^\/(?!\/)/.test(text) ? this.href + text : text;
    const url = parse(written);
    if (!url) throw refused("it is no path that starts with one slash");
    if (url.origin !== this.origin) throw refused(`it leads to ${url.host || url.protocol}`);
    // The written path must be the one that counts, and have one meaning.
    const path = written.replace(/[?#].*$/s, "").replace(/^\w+:\/\/[^/]*/, "");
    const isPlain = path === url.pathname && !AMBIGUOUS.test(path) && isAnonymous(url);
    if (!isPlain || !`${url.origin}${path}`.startsWith(`${this.href}/`)) {
      throw refused("it is no plain path below the base address");
    }
    return url.origin + path + url.search;
  }
}

/** What URL parsers drop or take for a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/** A second slash, and what a server that decodes once more takes for a slash, a dot or an end. */
const AMBIGUOUS = /\/\/|;|%(?:2e|2f|5c|25|00)/i;

function isAnonymous({ username, password }: URL): boolean {
  return username + password === "";
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
