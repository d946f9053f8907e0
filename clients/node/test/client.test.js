// Runs the library against the real program, over both transports, on the example shop of this repository.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Epitome, EpitomeError } from "../src/index.js";

const root = join(import.meta.dirname, "..", "..", "..");
const program = process.env.EPITOME_PROGRAM ?? "epitome";
let home;
let shop;

before(async () => {
  home = await mkdtemp(join(tmpdir(), "epitome-client-"));
  shop = join(home, "shop");
  await cp(join(root, "examples", "shop"), shop, { recursive: true });
  // A home of its own, so that nothing of this machine is read or written.
  for (const name of Object.keys(process.env)) if (/^(XDG|EPITOME)_/.test(name)) delete process.env[name];
  process.env.HOME = home;
});
after(() => rm(home, { recursive: true, force: true }));

async function serve(context) {
  const server = spawn(program, ["--project", shop, "serve", "--address", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  context.after(async () => {
    server.kill();
    await once(server, "close");
  });
  const [line] = await once(createInterface({ input: server.stdout }), "line");
  return JSON.parse(line).url;
}

async function checkOperations(epitome) {
  const stored = await epitome.ingest({
    conversation: "notes",
    messages: [{ role: "user", content: "prices are whole cents" }],
  });
  assert.equal(stored.acknowledged.length, 1);
  const recalled = await epitome.recall({ query: "how are prices kept", within: "all" });
  assert.match(JSON.stringify(recalled), /whole cents/);
  const found = await epitome.search({ query: "discount for large orders", limit: 1 });
  assert.equal(found.results[0].path, "cart/src/lib.rs");
  assert.equal((await epitome.verify()).ok, true);
}

test("a program that is started answers", async () => {
  const epitome = await Epitome.start({ project: shop, program });
  await checkOperations(epitome);
  await epitome.close();
  await assert.rejects(epitome.status(), { code: "program_ended" });
});

test("a server answers with the token of this user", async (context) => {
  const epitome = await Epitome.connect({ url: await serve(context) });
  await checkOperations(epitome);
});

test("a failure says what and what to do", async (context) => {
  const epitome = await Epitome.connect({ url: await serve(context) });
  const failure = epitome.describe({ id: "sum_0000000000000000" });
  await assert.rejects(failure, (error) => error instanceof EpitomeError && error.code === "not_found" && !!error.hint);
  const stranger = await Epitome.connect({ url: await serve(context), token: "not-the-token" });
  await assert.rejects(stranger.status(), EpitomeError);
});

test("a program that is not there is told", async () => {
  await assert.rejects(Epitome.start({ project: shop, program: join(home, "nothing") }), { code: "no_program" });
});

test("the example runs", async () => {
  const example = join(root, "clients", "node", "examples", "ask.js");
  const environment = { ...process.env, EPITOME_PROGRAM: program };
  const { stdout } = await promisify(execFile)(process.execPath, [example, shop, "how are passwords checked"], {
    env: environment,
  });
  assert.match(stdout, /server\/auth\.py/);
});
