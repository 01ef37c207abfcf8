import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Serves one version of a package on loopback like the npm registry. */
export async function serve(folder: string, name: string, version: string) {
  const manifest = { name, version, exports: { "./openapi.json": "./openapi.json" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts"], { cwd: folder });
  const [{ filename, integrity }] = JSON.parse(packed.toString());
  const tarball = readFileSync(join(folder, filename));
  const server = createServer((request, response) => {
    if (request.url === `/${name}`) {
      const dist = { tarball: `${url}/${filename}`, integrity };
      const versions = { [version]: { ...manifest, dist } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else if (request.url === `/${filename}`) response.end(tarball);
    else response.writeHead(404).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url, stop };
}
