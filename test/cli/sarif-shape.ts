/**
 * The part of the SARIF 2.1.0 schema that our logs use, with the same required members and value
 * sets. No installed package contains the whole schema.
 */
export const SARIF_SHAPE = {
  ...object({ $schema: string(), version: { const: "2.1.0" }, runs: list(ref("run")) }, [
    "version",
    "runs",
  ]),
  $defs: {
    run: object(
      {
        tool: object({ driver: ref("toolComponent") }, ["driver"]),
        invocations: list(ref("invocation")),
        columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
        results: list(ref("result")),
      },
      ["tool"],
    ),
    toolComponent: object({ name: string(), rules: unique(ref("rule")) }, ["name"]),
    rule: object(
      {
        id: string(),
        shortDescription: ref("message"),
        defaultConfiguration: object({ level: ref("level") }, []),
      },
      ["id"],
    ),
    invocation: object(
      {
        executionSuccessful: { type: "boolean" },
        toolExecutionNotifications: list(ref("notification")),
      },
      ["executionSuccessful"],
    ),
    notification: object(
      { level: ref("level"), message: ref("message"), locations: unique(ref("location")) },
      ["message"],
    ),
    result: object(
      {
        ruleId: string(),
        ruleIndex: { type: "integer", minimum: 0 },
        level: ref("level"),
        message: ref("message"),
        locations: list(ref("location")),
        relatedLocations: unique(ref("location")),
      },
      ["message"],
    ),
    location: object(
      {
        id: { type: "integer", minimum: -1 },
        physicalLocation: object(
          { artifactLocation: ref("artifactLocation"), region: ref("region") },
          ["artifactLocation"],
        ),
        logicalLocations: unique(ref("logicalLocation")),
        message: ref("message"),
      },
      [],
    ),
    artifactLocation: object(
      { uri: { type: "string", format: "uri-reference" }, uriBaseId: string() },
      [],
    ),
    region: object({ startLine: { type: "integer", minimum: 1 } }, []),
    logicalLocation: object({ name: string(), fullyQualifiedName: string(), kind: string() }, []),
    message: object({ text: string() }, ["text"]),
    level: { enum: ["none", "note", "warning", "error"] },
  },
};

function object(properties: Record<string, object>, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}

function list(items: object) {
  return { type: "array", items };
}

function unique(items: object) {
  return { ...list(items), uniqueItems: true };
}

function string() {
  return { type: "string" };
}

function ref(name: string) {
  return { $ref: `#/$defs/${name}` };
}
