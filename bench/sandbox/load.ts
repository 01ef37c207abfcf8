/**
 * Sends requests, as many as a server takes, from a process of its own: by undici's dispatch, which
 * reads answers and makes nothing of them, so that the sender does not set the pace.
 */
import { type Dispatcher, Pool } from "undici";

/** Requests for some time, round and round the paths. */
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
      await answered(pool, { path: paths[sent % paths.length] ?? "", method: "GET", headers });
    }
  };
  await Promise.all(Array.from({ length: connections }, drain));
  const seconds = (performance.now() - startMs) / 1000;
  await pool.close();
  return sent / seconds;
}

function answered(pool: Pool, request: Dispatcher.DispatchOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.dispatch(request, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status) => {
        if (status !== 200) reject(new Error(`${request.path} is answered with ${status}`));
      },
      onResponseData: () => undefined,
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}
