const encoder = new TextEncoder();

/**
 * Compares two texts in a time that depends on their lengths alone, and so is for texts whose
 * length is no secret, such as signatures.
 */
export function isEqualText(left: string, right: string): boolean {
  return isEqual(encoder.encode(left), encoder.encode(right));
}

/** The SHA-256 of a text: texts of any length, compared by it, do not show their length either. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

/** Compares two runs of bytes in a time that depends on their lengths alone. */
export function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  // Every byte is looked at: leaving at the first that differs would tell how far a guess is right.
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}
