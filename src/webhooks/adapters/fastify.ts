import type { IncomingMessage, ServerResponse } from "node:http";
import type { Receiver } from "../request.ts";
import { type NodeOptions, nodeReceive } from "./node-delivery.ts";
import { isPending, writeResponse } from "./node-response.ts";

/** What the plugin needs of a Fastify 5 instance. */
interface Instance {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: () => Promise<undefined>): unknown;
  all(url: string, handler: (request: Asked, reply: Reply) => Promise<unknown>): unknown;
}

interface Asked {
  readonly raw: IncomingMessage;
}

interface Reply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body?: Uint8Array): unknown;
  hijack(): unknown;
}

/** What the plugin for Fastify can be told. */
export interface FastifyPluginOptions extends NodeOptions {
  /** Where deliveries arrive, below the prefix that the plugin is registered with. */
  readonly url: string;
}

/**
 * Makes a Fastify 5 plugin of a receiver: a route that reads the raw body. That it leaves bodies
 * unparsed stays within the plugin; all other routes keep the app's parsers.
 *
 * A body that was read before is thrown as a TxfeedError `body-consumed`, so Fastify logs it and
 * the app's error handler answers.
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
      const answer = await receive(raw);
      if (isPending(raw)) {
        // Fastify would close on a sender in mid-body, which then might not get its answer.
        reply.hijack();
        writeResponse(raw, reply.raw, answer);
        return reply;
      }
      reply.code(answer.status);
      reply.headers({ ...answer.headers });
      // As bytes, since Fastify amends the content type of a text.
      return reply.send(answer.body ? new TextEncoder().encode(answer.body) : undefined);
    });
  };
}
