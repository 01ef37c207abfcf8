import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { PortInUseError, reasonOf } from "./errors.ts";

/**
 * Has a server listen.
 *
 * @param where the address, and the port; 0 for a free one
 * @returns Resolves to where it listens, such as `http://127.0.0.1:4010`. Rejects with a
 * TxfeedError `port-in-use` where it can't listen there.
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const isUsed = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    const why = isUsed ? "another program listens there" : reasonOf(error);
    const message = `port ${port} on ${host} can't be had: ${why}; choose another --port`;
    throw new PortInUseError(message, { cause: error });
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}
