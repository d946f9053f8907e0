#!/usr/bin/env node
/** The file's own comment. */

import fs from "fs";
const path = require("path");
const { join } = require("path");
const lazy = await import("./lazy.js");

export const LIMIT = 3;
//           ^^^^^ constant LIMIT
let counter, total = 0;
//  ^^^^^^^ constant counter
//           ^^^^^ constant total
var legacy = "x";
//  ^^^^^^ constant legacy

/** Adds. */
export async function add(a, b = 1) {
//                    ^^^ function add
  const local = a;
  function inner() { return local; }
//         ^^^^^ function add.inner
  const helper = () => inner();
//      ^^^^^^ function add.helper
  return helper() + b;
}

function* numbers() { yield 1; }
//        ^^^^^^^ function numbers

export const double = (x) => x * 2;
//           ^^^^^^ function double
const square = function sq(x) { return x * x; };
//    ^^^^^^ function square
const many = function* () { yield* numbers(); };
//    ^^^^ function many
export default function () {}
//     ^^^^^^^ function default

class Session extends Base {
//    ^^^^^^^ class Session
  static count = 0;
  #secret = 1;
  constructor(name) { super(); this.name = name; }
//^^^^^^^^^^^ method Session.constructor
  get value() { return this.#secret; }
//    ^^^^^ method Session.value
  set value(v) { this.#secret = v; }
//    ^^^^^ method Session.value~32f5
  async *stream() { yield 1; }
//       ^^^^^^ method Session.stream
  #hidden() {}
//^^^^^^^ method Session.#hidden
  [Symbol.iterator]() { return this; }
//^^^^^^^^^^^^^^^^^ method Session.[Symbol.iterator]
  handle = (event) => event;
//^^^^^^ method Session.handle
}

const Anonymous = class { run() {} };
//    ^^^^^^^^^ class Anonymous
//                        ^^^ method Anonymous.run

const api = {
//    ^^^ constant api
  base: "/",
  list() { return []; },
//^^^^ method api.list
  remove: async (id) => id,
//^^^^^^ method api.remove
};

function Old() {
//       ^^^ function Old
  this.name = "old";
  this.rename = function (name) { this.name = name; };
//     ^^^^^^ method Old.rename
}
Old.prototype.greet = function () { return this.name; };
//            ^^^^^ method Old.greet

const app = (module.exports = {});
//    ^^^ constant app
app.use = function use(fn) { return fn; };
//  ^^^ method app.use
exports.parse = (text) => text;
//      ^^^^^ function parse
module.exports.Parser = class {};
//             ^^^^^^ class Parser
module.exports = function createServer() {};
//                        ^^^^^^^^^^^^ function createServer
module.exports = { start: () => {}, stop: function () {} };
//                 ^^^^^ method start
//                                  ^^^^ method stop

const Button = ({ label }) => {
//    ^^^^^^ function Button
  const onClick = () => console.log(label);
//      ^^^^^^^ function Button.onClick
  return <button onClick={onClick}>{label}</button>;
};

describe("group", () => {
  const notAFileConstant = 1;
  function helper() {}
//         ^^^^^^ function helper
  it("works", () => { expect(notAFileConstant).toBe(1); });
});
