/** Reads a request's body, up to `limitBytes`. */
export async function readBody(
  request: Request,
  limitBytes: number,
): Promise<Uint8Array | "too-large"> {
  const body = new Uint8Array(await request.arrayBuffer());
  return body.length > limitBytes ? "too-large" : body;
}
