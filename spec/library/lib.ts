import { createTypeSpecLibrary, type JSONSchemaType, paramMessage } from "@typespec/compiler";

/** The options of this emitter in a tspconfig. */
export interface EmitterOptions {
  /**
   * A folder of examples: `<webhook name or operationId>/<case>.json`, each an OpenAPI Example
   * Object. Without it, the document has no examples.
   */
  "examples-dir"?: string;
  /**
   * A catalogue of requirements: YAML with a list `requirements`, each entry with an `id`. The
   * document lists the ids as `x-requirements` at its root.
   */
  "requirements-file"?: string;
}

const options: JSONSchemaType<EmitterOptions> = {
  type: "object",
  additionalProperties: false,
  properties: {
    "examples-dir": { type: "string", format: "absolute-path", nullable: true },
    "requirements-file": { type: "string", format: "absolute-path", nullable: true },
  },
  required: [],
};

export const $lib = createTypeSpecLibrary({
  name: "typespec-webhooks",
  emitter: { options },
  state: {
    webhooks: { description: "The name of each operation marked by @webhook." },
    leadsTo: { description: "The path of each type marked by @leadsTo or @orderBy." },
  },
  diagnostics: {
    "webhook-verb": {
      severity: "error",
      messages: {
        default: paramMessage`A webhook is delivered by POST: remove @${"verb"}.`,
      },
    },
    "example-unreadable": {
      severity: "error",
      messages: { default: paramMessage`${"file"}: ${"reason"}` },
    },
    "example-orphan": {
      severity: "error",
      messages: {
        default: paramMessage`${"dir"}: no operation or webhook with a JSON body has this name.`,
      },
    },
    "requirements-unreadable": {
      severity: "error",
      messages: { default: paramMessage`${"file"}: ${"reason"}` },
    },
    "leads-nowhere": {
      severity: "error",
      messages: { default: paramMessage`No GET operation has the path ${"path"}.` },
    },
  },
});

export const { reportDiagnostic } = $lib;
