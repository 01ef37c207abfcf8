import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { PortInUseError, reasonOf } from "./errors.ts";

/** Errors that no other port avoids. */
const HOST_ERRORS: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL"]);

/**
 * Makes a server listen.
 *
 * @param address The host and port; port 0 for a free one.
 * @returns the server's URL, such as `http://127.0.0.1:4010`.
 * @throws {TxfeedError} `port-in-use` if it can't listen on the port.
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program uses it" : reasonOf(error);
    const other = HOST_ERRORS.has(code) ? "host" : "port";
    const message = `port ${port} on ${host} is not available: ${why}; choose another ${other}`;
    throw new PortInUseError(message, { cause: error });
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}
