import { TxfeedError } from "../errors.ts";

/** What a link, or an address of a caller's own step, does wrong. */
export class Astray extends Error {}

/** The service's base address: whatever is sent with a token goes below it. */
export class BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The address without a slash at its end; every path is appended to it. */
  readonly href: string;
  readonly #url: URL;

  /** Throws a TxfeedError `usage` where it is no plain http address. */
  constructor(baseUrl: string) {
    const url = parse(baseUrl);
    const wrong = url === undefined ? "it is no absolute address" : fault(url);
    if (url === undefined || wrong !== undefined) {
      throw new TxfeedError("usage", `baseUrl: ${wrong}; give one such as https://feed.example`);
    }
    this.#url = url;
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
   * @returns the absolute address. Throws an Astray that says why not, naming at most the host.
   */
  resolve(href: unknown): string {
    if (typeof href !== "string") throw new Astray("its href is no text");
    if (UNSAFE.test(href)) throw new Astray("it holds a backslash, a space or a control character");
    const isPath = href.startsWith("/") && !href.startsWith("//");
    const url = isPath ? parse(this.href + href) : parse(href);
    if (!url) throw new Astray("it is neither a path that starts with one slash nor an address");
    if (url.origin !== this.origin) throw new Astray(`it leads to ${url.host || url.protocol}`);
    if (url.username !== "" || url.password !== "") throw new Astray("it holds a user name");
    const written = isPath ? this.href + href : href;
    this.#checkPath(url, written.slice(written.indexOf("/", written.indexOf("//") + 2)));
    return url.origin + url.pathname + url.search;
  }

  /** The written path must be the one that counts, stay below the base, and have one meaning. */
  #checkPath({ pathname }: URL, written: string): void {
    const path = written.replace(/[?#].*$/s, "");
    if (path !== pathname || AMBIGUOUS.test(path)) {
      throw new Astray("its path is not in its plain form");
    }
    const base = this.#url.pathname.replace(/\/+$/, "");
    if (!path.startsWith(`${base}/`)) throw new Astray(`it leads out of ${base}`);
  }
}

/** What URL parsers drop or take for a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/** A second slash, and what a server that decodes once more takes for a slash, a dot or an end. */
const AMBIGUOUS = /\/\/|;|%(?:2e|2f|5c|25|00)/i;

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** What keeps an address from being a base; undefined where nothing does. */
function fault(url: URL): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "it is neither https nor http";
  if (url.username !== "" || url.password !== "") return "it holds a user name";
  if (url.search !== "" || url.hash !== "") return "it has a query or a fragment";
  return undefined;
}
