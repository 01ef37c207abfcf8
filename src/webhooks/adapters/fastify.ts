import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyOptions } from "../receive-request.ts";
import type { Receiver } from "../request.ts";
import { isPending, nodeReceive, writeResponse } from "./node-http.ts";

/** The members of a Fastify 5 instance that the plugin uses. */
interface Instance {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: () => Promise<undefined>): unknown;
  all(url: string, handler: (request: FastifyRequest, reply: Reply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  readonly raw: IncomingMessage;
}

interface Reply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body?: Uint8Array): unknown;
  hijack(): unknown;
}

/** The options of the Fastify plugin. */
export interface FastifyPluginOptions extends BodyOptions {
  /** The path of the route, below the prefix that the plugin is registered with. */
  readonly url: string;
}

/**
 * Creates a Fastify 5 plugin from a receiver: a route that reads the raw body. The plugin disables
 * body parsing only for itself; all other routes keep the app's parsers.
 *
 * If the body was read before, it throws a TxfeedError `body-consumed`, so Fastify logs it and the
 * app's error handler responds.
 *
 * @example app.register(toFastifyPlugin(receiver, { url: "/webhooks" }))
 */
export function toFastifyPlugin(
  receiver: Receiver,
  options: FastifyPluginOptions,
): (instance: Instance) => Promise<void> {
  const receive = nodeReceive(receiver, options, {
    name: "toFastifyPlugin",
    options: ["url"],
    culprit: "a hook of the app",
  });
  return async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser("*", async () => undefined);
    instance.all(options.url, async ({ raw }, reply) => {
      const response = await receive(raw);
      if (isPending(raw)) {
        // Fastify would close the connection in mid-body, and the sender might miss the response.
        reply.hijack();
        writeResponse(raw, reply.raw, response);
        return reply;
      }
      reply.code(response.status);
      reply.headers({ ...response.headers });
      // Sent as bytes, because Fastify adds a charset to the content type of a string.
      return reply.send(response.body ? new TextEncoder().encode(response.body) : undefined);
    });
  };
}
