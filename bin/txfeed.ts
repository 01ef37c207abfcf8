#!/usr/bin/env node
// Imports nothing statically, because the program's modules do not load on an older Node.js.
const OLDEST_NODE = 22;

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) await import("./program.ts");
else {
  console.error(`txfeed needs Node.js ${OLDEST_NODE} or later; this is ${process.version}`);
  process.exitCode = 2;
}

export {};
