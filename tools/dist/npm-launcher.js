#!/usr/bin/env node
// Starts the program of the package that npm took for this system. `epitome init` writes the place of that program
// itself into the files of agents, so that no hook has to start Node.
"use strict";
const { spawn } = require("node:child_process");

const ending = process.platform === "win32" ? ".exe" : "";
const machine = `epitome-${process.platform}-${process.arch}`;

function findProgram() {
  // An older npm takes both for Linux; the second one runs everywhere.
  const hasGlibc = process.platform !== "linux" || process.report.getReport().header.glibcVersionRuntime;
  const packages = hasGlibc ? [machine, `${machine}-musl`] : [`${machine}-musl`];
  for (const name of packages) {
    try {
      return require.resolve(`${name}/bin/epitome${ending}`);
    } catch {
      // Not installed: the next one.
    }
  }
  console.error(`error: no package with the program for ${process.platform} on ${process.arch} is installed`);
  console.error("hint: npm leaves it out with --omit=optional, and no other one is made for some systems");
  process.exit(1);
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: cannot start the program: ${error.message}`);
  process.exit(1);
});
child.on("exit", (status, signal) => process.exit(signal ? 128 + require("node:os").constants.signals[signal] : status));
