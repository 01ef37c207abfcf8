import type { paths } from "../../generated/types.ts";
import {
  createFeedClient,
  type FeedClientOptions,
  type Transport,
  type ValidationMode,
} from "../../src/client/index.ts";
import { ACCESS_TOKEN } from "./responses.ts";

/** Gets a transaction: sends the access token and parses the response. */
export type GetTransaction = (id: string) => Promise<unknown>;

/** Creates a client for one service, as its documentation recommends. */
export type CreateGet = (origin: string) => Promise<GetTransaction>;

const authorization = `Bearer ${ACCESS_TOKEN}`;
const headers = { authorization };

/** The options of the txfeed client; all others have their defaults. */
export function feedOptions(origin: string): FeedClientOptions {
  const [accountId, clientId, clientSecret] = ["account", "client", "secret"];
  return { baseUrl: origin, accountId, clientId, clientSecret };
}

function txfeed(validate: ValidationMode, transport?: () => Promise<Transport>): CreateGet {
  return async (origin) => {
    const own = transport ? { transport: await transport() } : {};
    const feed = createFeedClient({ ...feedOptions(origin), validate, ...own });
    return (id) => feed.transactions.get(id);
  };
}

/** Calls `feed.GET`, which is openapi-fetch on `feed.fetch`. */
const byPath: CreateGet = async (origin) => {
  const feed = createFeedClient(feedOptions(origin));
  return async (transactionId) => {
    const params = { path: { transactionId } };
    const { data } = await feed.GET("/transactions/{transactionId}", { params });
    return data;
  };
};

async function onUndici(): Promise<Transport> {
  const load = () => import("../../src/client/undici/index.ts");
  return (await besideFetch(load)).undiciTransport();
}

/**
 * Imports undici after a first `fetch`. Otherwise undici sets its agent for Node's `fetch` too, and
 * clients on `fetch` would not run as they do in a program without undici.
 */
async function besideFetch<Module>(load: () => Promise<Module>): Promise<Module> {
  await fetch("data:,");
  return load();
}

/** The clients that the others are compared with. */
export const BASELINES = { fetch: "openapi-fetch", undici: "undici.request" } as const;

/** The measured configurations of txfeed. */
export const TXFEED = {
  fetch: "txfeed, validating",
  byPath: "txfeed, feed.GET",
  undici: "txfeed on undici, validating",
} as const;

/** Every client, by its name in the report. */
export const clients: Readonly<Record<string, CreateGet>> = {
  fetch: async (origin) => async (id) => {
    const response = await fetch(`${origin}/transactions/${id}`, { headers });
    return response.json();
  },
  [BASELINES.undici]: async (origin) => {
    const { Agent, request } = await besideFetch(() => import("undici"));
    // The default agent of a process that uses only undici.
    const dispatcher = new Agent();
    return async (id) => {
      const { body } = await request(`${origin}/transactions/${id}`, { headers, dispatcher });
      return body.json();
    };
  },
  [BASELINES.fetch]: async (origin) => {
    const { default: createClient } = await import("openapi-fetch");
    const client = createClient<paths>({ baseUrl: origin, headers });
    return async (transactionId) => {
      const params = { path: { transactionId } };
      const { data } = await client.GET("/transactions/{transactionId}", { params });
      return data;
    };
  },
  ky: async (origin) => {
    const { default: ky } = await import("ky");
    const client = ky.create({ baseUrl: origin, headers });
    return (id) => client.get(`transactions/${id}`).json();
  },
  axios: async (origin) => {
    const { default: axios } = await import("axios");
    const client = axios.create({ baseURL: origin, headers });
    return async (id) => (await client.get(`/transactions/${id}`)).data;
  },
  ofetch: async (origin) => {
    const { ofetch } = await import("ofetch");
    const client = ofetch.create({ baseURL: origin, headers });
    return (id) => client(`/transactions/${id}`);
  },
  [TXFEED.fetch]: txfeed("throw"),
  txfeed: txfeed("off"),
  [TXFEED.byPath]: byPath,
  [TXFEED.undici]: txfeed("throw", onUndici),
  "txfeed on undici": txfeed("off", onUndici),
};
