// Creates MSW handlers from the OpenAPI document, and requests every operation of every server with
// a concrete address. Each must return the first example of the document.
import { readFileSync } from "node:fs";
import { fromOpenApi } from "@mswjs/source/open-api";
import { setupServer } from "msw/node";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const server = setupServer(...(await fromOpenApi(structuredClone(document))));
server.listen({ onUnhandledRequest: "error" });
const servers = document.servers.map(({ url }) => url).filter((url) => URL.canParse(url));
let reached = 0;
for (const base of servers) {
  for (const [template, item] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], responses }] of Object.entries(item)) {
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
        return parameters.find((parameter) => parameter.name === name).example;
      });
      const response = await fetch(base + path, { method: method.toUpperCase() });
      const [example] = Object.values(responses[200].content["application/json"].examples);
      const isExample = JSON.stringify(await response.json()) === JSON.stringify(example.value);
      if (response.status !== 200 || !isExample) {
        throw new Error(
          `${method.toUpperCase()} ${base}${path}: unexpected response, status ${response.status}`,
        );
      }
      reached += 1;
    }
  }
}
console.log(`${reached} handlers respond, at ${servers.length} servers`);
