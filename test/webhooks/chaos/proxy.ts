import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** A TCP proxy that misbehaves on request. */
export interface Proxy {
  readonly port: number;
  /** Delays all bytes by so long from now on. */
  delay(ms: number): void;
  /** Resets a share of the connections, from 0 to 1; at least one. Returns how many. */
  cut(share: number, random: () => number): number;
  /**
   * Makes connections half-open for good: bytes and closes of both sides get lost, so that neither
   * side learns of it. Returns how many.
   */
  swallow(share: number, random: () => number): number;
  /** Swallows all connections, and holds back new ones until the returned function is called. */
  partition(): () => void;
  close(): void;
}

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  isSilent: boolean;
}

/** Starts a proxy before a port of loopback. */
export async function startProxy(target: number): Promise<Proxy> {
  const links = new Set<Link>();
  let delayMs = 0;
  let heldBack: Socket[] | undefined;

  function forward(from: Socket, to: Socket, link: Link): void {
    let dueAt = 0;
    let last = Promise.resolve();
    from.on("data", (bytes) => {
      dueAt = Math.max(dueAt, performance.now() + delayMs);
      const own = dueAt;
      last = last.then(async () => {
        if (own > performance.now()) await wait(own - performance.now());
        if (!link.isSilent) to.write(bytes);
      });
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      if (link.isSilent) return;
      links.delete(link);
      last.then(() => to.destroy());
    });
  }

  function open(client: Socket): void {
    const link = { client, upstream: connect(target, "127.0.0.1"), isSilent: false };
    links.add(link);
    forward(client, link.upstream, link);
    forward(link.upstream, client, link);
  }

  const server = createServer({ noDelay: true }, (client) => {
    if (heldBack) heldBack.push(client.on("error", () => undefined));
    else open(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  function choose(share: number, random: () => number): Link[] {
    const audible = [...links].filter(({ isSilent }) => !isSilent);
    const chosen = audible.filter(() => random() < share);
    const one = audible[Math.floor(random() * audible.length)];
    return chosen.length > 0 || !one ? chosen : [one];
  }

  function swallow(share: number, random: () => number): number {
    const chosen = choose(share, random);
    for (const link of chosen) link.isSilent = true;
    return chosen.length;
  }

  return {
    port: (server.address() as AddressInfo).port,
    delay(ms) {
      delayMs = ms;
    },
    cut(share, random) {
      const chosen = choose(share, random);
      for (const { client } of chosen) client.resetAndDestroy();
      return chosen.length;
    },
    swallow,
    partition() {
      heldBack = [];
      swallow(1, () => 0);
      return () => {
        const waiting = heldBack ?? [];
        heldBack = undefined;
        for (const client of waiting) if (!client.destroyed) open(client);
      };
    },
    close() {
      server.close();
      for (const { client, upstream } of links) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}
