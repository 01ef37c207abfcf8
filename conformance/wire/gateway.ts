import { createSecureContext } from "node:tls";
import { NotInstalledError, reasonOf } from "../../src/errors.ts";
import type { RecordedRequest } from "./exchange.ts";

/** What a gateway before the target requires: headers and a client certificate. */

/** A header that every request of a run carries. */
export interface GatewayHeader {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** What evidence and curl lines show in place of the value. */
  readonly shown: string;
  /** The part of the value that must not be shown, and the variable that replaces it. */
  readonly secret: string;
  readonly variable: string;
}

/** An environment variable, such as `$KEY`, or after the name of a scheme, as in `Basic $KEY`. */
const VARIABLE = /^((?:[A-Za-z]+ )?)\$([A-Za-z_]\w*)$/;

/** Headers that the run or the connection sets. */
const OWN = [
  ...["accept", "authorization", "connection", "content-length", "content-type", "expect"],
  ...["keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
];

/**
 * Reads a header.
 *
 * @param text Its value, or the environment variable with it.
 * @returns The header, or what is wrong; that repeats no value.
 */
export function gatewayHeader(name: string, text: string): GatewayHeader | string {
  const [, scheme = "", environment] = VARIABLE.exec(text) ?? [];
  const secret = environment === undefined ? text : process.env[environment];
  if (!secret && environment !== undefined) {
    return `the environment variable ${environment} is not set`;
  }
  if (!secret) return "it has no value";
  const lower = name.toLowerCase();
  if (lower === "authorization") {
    return "the run sends its own tokens in it; let the gateway take another header";
  }
  if (OWN.includes(lower)) return "the run sets it";
  const value = `${scheme}${secret}`;
  try {
    new Headers([[name, value]]);
  } catch {
    return "its name or its value is not valid in HTTP";
  }
  const own = `$TXFEED_HEADER_${lower.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
  const variable = environment === undefined ? own : `$${environment}`;
  return { name: lower, value, shown: `${scheme}${variable}`, secret, variable };
}

/** A client certificate and its key, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Why a client certificate can't be used; undefined if it can. */
export function certificateProblem({ cert, key }: ClientCertificate): string | undefined {
  try {
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** What a run needs of `fetch`; without types of undici, which may not be installed. */
export type Fetch = (
  url: string,
  init: Omit<RecordedRequest, "url"> & { redirect: "manual"; signal: AbortSignal },
) => Promise<{ status: number; headers: Iterable<[string, string]>; body: Body }>;

export type Body = AsyncIterable<Uint8Array> | null;

/**
 * Creates a `fetch` that shows a client certificate. Node's own can't, so that of undici is used.
 * Like Node's, it takes a proxy from the environment if `NODE_USE_ENV_PROXY` is 1.
 *
 * @returns Rejects with a TxfeedError `not-installed` without undici.
 */
export async function fetchWithCertificate({ cert, key }: ClientCertificate): Promise<Fetch> {
  const { Agent, EnvHttpProxyAgent, fetch } = await import("undici").catch((cause) => {
    const remedy = "install it: npm install --save-dev undici";
    const message = `a client certificate needs the package undici; ${remedy}`;
    throw new NotInstalledError(message, { cause });
  });
  const tls = { cert, key };
  const dispatcher =
    process.env["NODE_USE_ENV_PROXY"] === "1"
      ? new EnvHttpProxyAgent({ connect: tls, requestTls: tls })
      : new Agent({ connect: tls });
  return (url, init) => fetch(url, { ...init, dispatcher });
}
