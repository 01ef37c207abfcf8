import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../support/local-server.ts";

/** Serves one version of a package on loopback like the npm registry. */
export async function serveRegistry(folder: string, name: string, version: string) {
  const manifest = { name, version, exports: { "./openapi.json": "./openapi.json" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts"], { cwd: folder });
  const [{ filename, integrity }] = JSON.parse(packed.toString());
  const tarball = readFileSync(join(folder, filename));
  const server = await startServer((request, response) => {
    if (request.url === `/${name}`) {
      const dist = { tarball: `${url}/${filename}`, integrity };
      const versions = { [version]: { ...manifest, dist } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else if (request.url === `/${filename}`) response.end(tarball);
    else response.writeHead(404).end("{}");
  });
  const url = server.origin;
  return server;
}
