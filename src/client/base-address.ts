import { UsageError } from "../errors.ts";
import { invalidOption } from "../options.ts";
import { type CallFacts, FeedLinkError } from "./errors.ts";

/** The service's base address: whatever is sent with a token goes below it. */
export class BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The address without a slash at its end; every path is appended to it. */
  readonly href: string;

  /** Throws a TxfeedError `usage` where it is no plain http address. */
  constructor(baseUrl: string) {
    const url = baseUrl.length > LONGEST ? undefined : parse(baseUrl);
    const path = url?.pathname.replace(/(?<!\/)\/+$/, "") ?? "";
    if (
      !url ||
      url.origin + url.pathname !== url.href ||
      isAmbiguous(path) ||
      !HTTP.test(url.href)
    ) {
      const expected = "an http address of host, port and plain path";
      throw new UsageError(`baseUrl takes ${expected}, such as https://feed.example`);
    }
    this.origin = url.origin;
    this.href = url.origin + path;
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
   * @returns the absolute address. Throws a FeedLinkError, which does not repeat the link.
   */
  resolve(href: unknown, facts: CallFacts): string {
    const refused = (reason: string) => new FeedLinkError(`refused, ${reason}`, { call: facts });
    const given = typeof href === "string" ? href : "";
    if (given.length > LONGEST) throw refused(`it is longer than ${LONGEST} characters`);
    if (UNSAFE.test(given)) throw refused("it has to be encoded");
    const written = /^\/(?!\/)/.test(given) ? this.href + given : given;
    // Most addresses are so plain that they have one meaning: parsing them takes longer.
    if (written.startsWith(this.href) && PLAIN.test(written.slice(this.href.length)))
      return written;
    const url = parse(written);
    if (!url) throw refused("it is no path that starts with one slash");
    if (url.origin !== this.origin) throw refused("it leads to another origin");
    // What is written must be what counts, and have one meaning; a user name would stand in host.
    const [, host = "", path = ""] = HTTP.exec(written) ?? [];
    const isPlain = host.toLowerCase() === url.hostname && path === url.pathname;
    if (!isPlain || isAmbiguous(path) || !`${url.origin}${path}`.startsWith(`${this.href}/`)) {
      throw refused("it is no plain path below the base address");
    }
    return url.origin + path + url.search;
  }
}

/**
 * Encodes an id as one segment of a path.
 *
 * @param name The id's name, for the message.
 * @throws {TxfeedError} `usage` if it would make another address.
 */
export function segmentOf(name: string, id: unknown): string {
  if (typeof id === "string" && /[^.]/.test(id) && id.isWellFormed()) return encodeURIComponent(id);
  const got = typeof id === "string" ? JSON.stringify(id) : typeof id;
  throw invalidOption(name, "an id, one segment of a path", got);
}

/** RFC 9110 (4.1) asks servers to take 8,000. A walk remembers links, so they have a limit. */
const LONGEST = 8192;

/** A path of words, and a query of words. */
const PLAIN = /^(?:\/[\w-]+)+(?:\?[\w=&-]+)?$/;

/** What URL parsers drop or take for a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/** An address as it is written: its host and its path. */
const HTTP = /^https?:\/\/([^/?#]+?)(?::\d+)?(\/[^?#]*)/i;

/**
 * An empty segment or one of dots, what else ends or splits a path, what is encoded twice, and the
 * braces of a template that is not filled in.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const SPLITTING = /\/[. ]*\/|\/[. ]+$|[\u0000-\u001f\u007f\\;?#%{}]/;

/** Whether a server that decodes a path, or takes alike for same, could find another one in it. */
function isAmbiguous(path: string): boolean {
  try {
    const meant = decodeURIComponent(path).normalize("NFKC");
    return SPLITTING.test(meant) || meant.split("/").length !== path.split("/").length;
  } catch {
    return true;
  }
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
