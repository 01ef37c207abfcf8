import { createTester } from "@typespec/compiler/testing";
import { type Document, ROOT } from "../document.ts";

const LIBRARIES = [
  "@typespec/http",
  "@typespec/openapi",
  "@typespec/openapi3",
  "typespec-webhooks",
];
const USINGS = ["Http", "OpenAPI", "Webhooks"];

const tester = createTester(ROOT, { libraries: LIBRARIES })
  .import(...LIBRARIES)
  .using(...USINGS);

/** The folder of the emitter's examples, in the tester's virtual file system. */
const EXAMPLES = "/test/examples";

/** Declares the service `Small`, for sources without a service of their own. */
export const SMALL = '@service(#{ title: "Small" }) namespace Small;\n';

/**
 * Compiles a TypeSpec program with the emitter.
 *
 * @param files Texts by their paths: examples below `examples/`, and `requirements.yaml`.
 */
export async function emit(source: string, files: Record<string, string> = {}) {
  const options: Record<string, string> = {};
  if (Object.keys(files).some((path) => path.startsWith("examples/"))) {
    options["examples-dir"] = EXAMPLES;
  }
  if ("requirements.yaml" in files) options["requirements-file"] = "/test/requirements.yaml";
  const emitter = tester.files(files).emit("typespec-webhooks", options);
  const [{ outputs, program }, diagnostics] = await emitter.compileAndDiagnose(source);
  const json = outputs["openapi.json"];
  return {
    program,
    outputs,
    codes: diagnostics.map(({ code }) => code),
    messages: diagnostics.map(({ message }) => message.replaceAll("/test/", "")),
    document: json === undefined ? undefined : (JSON.parse(json) as Document),
  };
}
