/**
 * Sends as many requests as a server can process, from a separate process. It uses undici's
 * `dispatch`, which does not build response objects, so that the client is not the bottleneck.
 */
import { type Dispatcher, Pool } from "undici";

/** Requests to the paths in turn, for some time. */
export interface Load {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly authorization: string;
  readonly connections: number;
  readonly durationMs: number;
}

process.on("message", async (load: Load) => process.send?.(await requestsASecond(load)));

async function requestsASecond(load: Load): Promise<number> {
  const { origin, paths, authorization, connections, durationMs } = load;
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { authorization };
  let sent = 0;
  const startMs = performance.now();
  const drain = async () => {
    while (performance.now() - startMs < durationMs) {
      sent += 1;
      await sendRequest(pool, { path: paths[sent % paths.length] ?? "", method: "GET", headers });
    }
  };
  await Promise.all(Array.from({ length: connections }, drain));
  const seconds = (performance.now() - startMs) / 1000;
  await pool.close();
  return sent / seconds;
}

function sendRequest(pool: Pool, request: Dispatcher.DispatchOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.dispatch(request, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status) => {
        if (status !== 200) reject(new Error(`${request.path}: status ${status}`));
      },
      onResponseData: () => undefined,
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}
