import { readBody } from "./read-body.ts";
import type { Receive } from "./request.ts";

/** Receives a delivery from a server that speaks fetch. */
export async function receiveRequest(
  receive: Receive,
  request: Request,
  bodyTimeoutMs?: number,
): Promise<Response> {
  const { status, headers, body } = await receive({
    request,
    readBody: (limitBytes) => readBody(request, limitBytes, bodyTimeoutMs),
  });
  // A 204 may have no body, not even an empty one.
  return new Response(body || null, { status, headers });
}
