import type { Change } from "./change.ts";

/** What those that a change breaks have to do; undefined if it breaks nobody. */
export function migrationOf({ kind, where, audiences, text }: Change): string | undefined {
  const steps = [
    audiences.consumer === "breaking" && consumerStep(kind, where),
    audiences.caller === "breaking" && callerStep(kind, where),
    audiences.implementer === "breaking" && implementerStep(kind, where),
    audiences.types === "breaking" && "Code: regenerate the types and fix what does not compile.",
  ].filter((step) => step !== false);
  return steps.length === 0 ? undefined : [`${where}: ${text}.`, ...steps].join(" ");
}

function consumerStep(kind: string, where: string): string {
  switch (kind) {
    case "event-removed":
      return `Consumers: replace what depends on ${where} before the server stops sending it.`;
    case "property-removed":
    case "property-optional":
      return "Consumers: handle deliveries without it before the server changes.";
    default:
      return "Consumers: accept the new form, beside the old one, before the server sends it.";
  }
}

function callerStep(kind: string, where: string): string {
  switch (kind) {
    case "operation-removed":
      return `Callers: stop calling ${where} before the server drops it.`;
    case "security-changed":
      return "Callers: send the credentials that are required now.";
    case "property-removed":
    case "property-optional":
      return "Callers: handle responses without it before the server changes.";
    default:
      return "Callers: send and accept the new form before the server requires it.";
  }
}

function implementerStep(kind: string, where: string): string {
  switch (kind) {
    case "event-added":
      return `Implementers: send ${where}.`;
    case "operation-added":
      return `Implementers: serve ${where}.`;
    case "requirement-added":
      return `Implementers: meet ${where}; conformance tests it.`;
    default:
      return "Implementers: change the server to the new form.";
  }
}
