import { TxfeedError } from "../errors.ts";

/** What a link, or an address of a caller's own step, does wrong. */
export class Astray extends Error {}

/** The service's base address: whatever is sent with a token goes below it. */
export class BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The address without a slash at its end; every path is appended to it. */
  readonly href: string;
  readonly #path: string;

  /** Throws a TxfeedError `usage` where it is no plain http address. */
  constructor(baseUrl: string) {
    const url = parse(baseUrl);
    const wrong = url === undefined ? "it is no absolute address" : fault(url);
    if (url === undefined || wrong !== undefined) {
      throw new TxfeedError("usage", `baseUrl: ${wrong}; give one such as https://feed.example`);
    }
    this.origin = url.origin;
    this.#path = withoutEnd(url);
    this.href = this.origin + this.#path;
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
    const written = isPath ? this.href + href : href;
    const url = parse(written);
    if (!url) throw new Astray("it is neither a path that starts with one slash nor an address");
    if (url.origin !== this.origin) throw new Astray(`it leads to ${url.host || url.protocol}`);
    const [, host = "", path = ""] = PARTS.exec(written) ?? [];
    // Its port is the right one, as the origin is; a user name, even an empty one, stands here too.
    if (host.toLowerCase().replace(/:\d+$/, "") !== url.hostname) throw new Astray(NOT_PLAIN);
    if (path !== url.pathname || isAmbiguous(path)) throw new Astray(NOT_PLAIN);
    if (!path.startsWith(`${this.#path}/`)) throw new Astray(`it leads out of ${this.#path}`);
    return url.origin + path + url.search;
  }
}

/** What URL parsers drop or take for a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/** An address as it is written: its host and its path. */
const PARTS = /^https?:\/\/([^/?#]+)(\/[^?#]*)/i;

const NOT_PLAIN = "its host or its path is not in its plain form";

/** An empty segment or one of dots, what else ends or splits a path, and what is encoded twice. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const SPLITTING = /\/[. ]*\/|\/[. ]+$|[\u0000-\u001f\u007f\\;?#%]/;

/** Whether a server that decodes a path, or takes alike for same, could find another one in it. */
function isAmbiguous(path: string): boolean {
  try {
    const meant = decodeURIComponent(path).normalize("NFKC");
    return SPLITTING.test(meant) || meant.split("/").length !== path.split("/").length;
  } catch {
    return true;
  }
}

function withoutEnd({ pathname }: URL): string {
  return pathname.replace(/\/+$/, "");
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** What keeps an address from being a base; undefined where nothing does. */
function fault(url: URL): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "it is neither https nor http";
  if (url.username !== "" || url.password !== "") return "it holds a user name";
  if (url.search !== "" || url.hash !== "") return "it has a query or a fragment";
  if (isAmbiguous(withoutEnd(url))) return "its path is not in its plain form";
  return undefined;
}
