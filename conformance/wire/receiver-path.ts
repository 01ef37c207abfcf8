import { randomBytes } from "node:crypto";

/** As long as 128 random bits in base64url. */
const MIN_LENGTH = 22;

/** An unguessable path, to keep out unrelated senders. */
export function randomPath(): string {
  return `/${randomBytes(18).toString("base64url")}`;
}

/** Why a path is not usable for the receiver; undefined if it is. */
export function pathProblem(path: string): string | undefined {
  if (!/^\/[\w.~/-]*[\w~-]$/.test(path)) {
    return "it must be a slash followed by letters, digits and . _ ~ - /";
  }
  if (path.includes("//") || path.split("/").some((part) => part === "." || part === "..")) {
    return "it has an empty, '.' or '..' segment";
  }
  if (path.length <= MIN_LENGTH) {
    return `it is easy to guess: use at least ${MIN_LENGTH} characters after the slash`;
  }
  return undefined;
}
