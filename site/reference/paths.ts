/** The path of an operation's page. */
export function operationPath(id: string): string {
  return `reference/operations/${id}`;
}

/** The path of an event's page. */
export function eventPath(name: string): string {
  return `reference/events/${name}`;
}

/** The path of the page of a resource, by its name in paths. */
export function resourcePath(kind: string): string {
  return `reference/resources/${kind}`;
}

/** The path of a requirement's page. */
export function requirementPath(id: string): string {
  return `reference/requirements/${id}`;
}
