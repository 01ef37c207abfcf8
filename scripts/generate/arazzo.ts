import { stringify } from "yaml";
import { ScriptError } from "../run-script.ts";
import { BANNER } from "./banner.ts";
import { type Document, operationsOf } from "./document.ts";
import { readYaml } from "./yaml.ts";

const FILE = "spec/workflows.yaml";

interface Source {
  readonly workflows?: readonly Workflow[];
  readonly components?: unknown;
}

interface Workflow {
  readonly workflowId: string;
  readonly steps?: readonly { readonly stepId: string; readonly operationId?: string }[];
}

/**
 * Renders the workflows of `spec/workflows.yaml` as an Arazzo 1.0.1 document whose source is the
 * OpenAPI document beside it.
 *
 * @throws {ScriptError} A line for each step with an unknown operation.
 */
export async function renderArazzo(root: string, document: Document): Promise<string> {
  const { workflows, components } = await readYaml<Source>(root, FILE);
  if (!Array.isArray(workflows)) throw new ScriptError([`${FILE}: needs a list of workflows`]);
  const known = new Set(operationsOf(document).map(({ operation }) => operation.operationId));
  const lines = (workflows as readonly Workflow[]).flatMap(({ workflowId, steps = [] }) =>
    steps
      .filter(({ operationId = "" }) => !known.has(operationId))
      .map((step) => `${FILE}: ${workflowId}/${step.stepId}: no operation ${step.operationId}`),
  );
  if (lines.length > 0) throw new ScriptError(lines);
  const { title, version } = document.info;
  const arazzo = {
    arazzo: "1.0.1",
    info: { title: `Workflows of ${title}`, version },
    sourceDescriptions: [{ name: "feed", url: "./openapi.yaml", type: "openapi" }],
    workflows,
    components,
  };
  // Parsed JSON shares no objects, so the output has no YAML anchors.
  const text = stringify(JSON.parse(JSON.stringify(arazzo)), { lineWidth: 0, compat: "yaml-1.1" });
  return `# ${BANNER}\n${text}`;
}
