// Asks a question about a directory: `node ask.js DIRECTORY QUESTION`.

import { Epitome } from "../src/index.js";

const [project, query] = process.argv.slice(2);
const epitome = await Epitome.start({ project, program: process.env.EPITOME_PROGRAM ?? "epitome" });
for (const result of (await epitome.search({ query, limit: 3 })).results) {
  console.log(`${result.path}:${result.start_line}-${result.end_line}  ${result.kind}`);
}
await epitome.close();
