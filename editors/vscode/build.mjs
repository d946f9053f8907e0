// Makes one file of the extension and of the client library for Node: an extension is installed without packages.

import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  legalComments: "none",
  minify: true,
});
