import type { Change } from "./change.ts";

type Breaking = Pick<Change, "kind" | "where" | "audiences">;

/** The steps for the audiences that a change breaks, one per audience. */
export function migrationOf({ kind, where, audiences }: Breaking): readonly string[] {
  return [
    ...(audiences.consumer === "breaking" ? [`consumers: ${consumerStep(kind, where)}`] : []),
    ...(audiences.caller === "breaking" ? [`callers: ${callerStep(kind, where)}`] : []),
    ...(audiences.implementer === "breaking"
      ? [`implementers: ${implementerStep(kind, where)}`]
      : []),
    ...(audiences.types === "breaking" ? [`code: ${TYPES_STEP}`] : []),
  ];
}

const TYPES_STEP = "generate the types again, and fix what does not compile";

function consumerStep(kind: string, where: string): string {
  switch (kind) {
    case "event-removed":
      return `replace code that depends on ${where} before the server stops sending it`;
    case "property-removed":
    case "property-optional":
      return "handle deliveries without it before the server changes";
    default:
      return "accept the new form beside the old one before the server sends it";
  }
}

function callerStep(kind: string, where: string): string {
  switch (kind) {
    case "operation-removed":
      return `stop calling ${where} before the server drops it`;
    case "security-changed":
      return "send the newly required credentials";
    case "property-removed":
    case "property-optional":
      return "handle responses without it before the server changes";
    default:
      return "send and accept the new form before the server requires it";
  }
}

function implementerStep(kind: string, where: string): string {
  switch (kind) {
    case "event-added":
      return `send ${where}`;
    case "operation-added":
      return `serve ${where}`;
    case "requirement-added":
      return `meet ${where}; conformance tests it`;
    default:
      return "change the server to the new form";
  }
}
