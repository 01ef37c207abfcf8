import { UsageError } from "../errors.ts";
import { invalidOption } from "../options.ts";
import { type CallFacts, FeedLinkError } from "./errors.ts";

/** The service's base address. Requests with a token go only to addresses below it. */
export class BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The address without a trailing slash; every path is appended to it. */
  readonly href: string;

  /** @throws {TxfeedError} `usage` if it is not a plain http or https address */
  constructor(baseUrl: string) {
    const url = baseUrl.length > MAX_LENGTH ? undefined : parse(baseUrl);
    const path = url?.pathname.replace(/(?<!\/)\/+$/, "") ?? "";
    if (
      !url ||
      url.origin + url.pathname !== url.href ||
      isAmbiguous(path) ||
      !HTTP.test(url.href)
    ) {
      const expected = "an http(s) URL with host, port and plain path";
      throw new UsageError(`baseUrl must be ${expected}, such as https://feed.example`);
    }
    this.origin = url.origin;
    this.href = url.origin + path;
  }

  /** The path of an address below the base, without the query, which may be confidential. */
  pathOf(address: string): string {
    const path = address.slice(this.href.length);
    const end = path.search(/[?#]/);
    return end < 0 ? path : path.slice(0, end);
  }

  /**
   * Resolves a link (CONV-07): a path, or an absolute address below the base address. Refuses
   * links that a server, a proxy or a parser could read as another address, so that the token is
   * never sent elsewhere (PAGE-14).
   *
   * @returns the absolute address.
   * @throws {FeedLinkError} `refused-link`; the message does not repeat the link
   */
  resolve(href: unknown, facts: CallFacts): string {
    const refused = (reason: string) => new FeedLinkError(`refused, ${reason}`, { call: facts });
    const given = typeof href === "string" ? href : "";
    if (given.length > MAX_LENGTH) throw refused(`it is longer than ${MAX_LENGTH} characters`);
    if (UNSAFE.test(given)) throw refused("it must be encoded");
    const written = /^\/(?!\/)/.test(given) ? this.href + given : given;
    // Fast path: a plain address is unambiguous and needs no parsing.
    if (written.startsWith(this.href) && PLAIN.test(written.slice(this.href.length)))
      return written;
    const url = parse(written);
    if (!url) throw refused("it is not a path that starts with one slash");
    if (url.origin !== this.origin) throw refused("it leads to another origin");
    // The parsed address must equal the written one. `host` would include a user name.
    const [, host = "", path = ""] = HTTP.exec(written) ?? [];
    const isPlain = host.toLowerCase() === url.hostname && path === url.pathname;
    if (!isPlain || isAmbiguous(path) || !`${url.origin}${path}`.startsWith(`${this.href}/`)) {
      throw refused("it is not a plain path below the base address");
    }
    return url.origin + path + url.search;
  }
}

/**
 * Encodes an id as one segment of a path.
 *
 * @param name The id's name, for the message.
 * @throws {TxfeedError} `usage` if it would change the rest of the address
 */
export function segmentOf(name: string, id: unknown): string {
  if (typeof id === "string" && /[^.]/.test(id) && id.isWellFormed()) return encodeURIComponent(id);
  const got = typeof id === "string" ? JSON.stringify(id) : typeof id;
  throw invalidOption(name, "an id, one segment of a path", got);
}

/** RFC 9110 (4.1) recommends 8,000. A bound is needed because lists remember their links. */
const MAX_LENGTH = 8192;

/** A path and a query without special characters. */
const PLAIN = /^(?:\/[\w-]+)+(?:\?[\w=&-]+)?$/;

/** Characters that URL parsers drop, or read as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match these
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/** The host and the path of an address, unparsed. */
const HTTP = /^https?:\/\/([^/?#]+?)(?::\d+)?(\/[^?#]*)/i;

/**
 * Empty segments, dot segments, other characters that end or split a path, double encoding, and the
 * braces of an unfilled template.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match these
const AMBIGUOUS = /\/[. ]*\/|\/[. ]+$|[\u0000-\u001f\u007f\\;?#%{}]/;

/** Whether decoding or Unicode normalization could turn a path into a different one. */
function isAmbiguous(path: string): boolean {
  try {
    const decoded = decodeURIComponent(path).normalize("NFKC");
    return AMBIGUOUS.test(decoded) || decoded.split("/").length !== path.split("/").length;
  } catch {
    return true;
  }
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
