//! Tests of the name resolver for TypeScript and JavaScript: module specifiers (relative paths, path maps, packages of
//! the same project), re-exports, CommonJS, and members of objects.

use super::{calls, others};
use expect_test::expect;

#[test]
fn a_relative_specifier_leaves_away_extension_and_index() {
    calls(
        "
== src/main.ts
import { a } from './a';
import { b } from './b.js';
import { c } from './c';
import d from '../lib/d';
import * as all from './a';
export function main() { a(); b(); c(); d(); all.a(); }
== src/a.ts
export function a() {}
== src/b.ts
export function b() {}
== src/c/index.tsx
export function c() {}
== lib/d.mjs
export default function named() {}
",
        &expect![[r#"
            src/main.ts main -> lib/d.mjs named
            src/main.ts main -> src/a.ts a
            src/main.ts main -> src/b.ts b
            src/main.ts main -> src/c/index.tsx c
        "#]],
    );
}

#[test]
fn a_specifier_is_mapped_by_the_nearest_configuration_and_by_packages() {
    calls(
        r##"
== tsconfig.base.json
{ "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["packages/app/src/*"], /* a comment */ } } }
== packages/app/tsconfig.json
{ "extends": "../../tsconfig.base.json" }
== packages/app/package.json
{ "name": "app", "imports": { "#inner": "./src/inner.ts" } }
== packages/app/src/main.ts
import { helper } from '@app/helper';
import { inner } from '#inner';
import { tool } from '@scope/tools';
import { extra } from '@scope/tools/extra';
import { outside } from 'left-pad';
export function main() { helper(); inner(); tool(); extra(); outside(); }
== packages/app/src/helper.ts
export const helper = () => {};
== packages/app/src/inner.ts
export function inner() {}
== packages/tools/package.json
{ "name": "@scope/tools", "exports": { ".": "./dist/index.js", "./*": { "import": "./dist/*.js" } } }
== packages/tools/src/index.ts
export * from './tool';
== packages/tools/src/tool.ts
export function tool() {}
== packages/tools/src/extra.ts
export function extra() {}
"##,
        &expect![[r#"
            packages/app/src/main.ts main -> packages/app/src/helper.ts helper
            packages/app/src/main.ts main -> packages/app/src/inner.ts inner
            packages/app/src/main.ts main -> packages/tools/src/extra.ts extra
            packages/app/src/main.ts main -> packages/tools/src/tool.ts tool
        "#]],
    );
}

#[test]
fn what_is_passed_on_is_followed_and_rings_end() {
    calls(
        "
== index.ts
export { make as build } from './make';
export * from './ring';
export { default as Thing } from './thing';
== ring.ts
export * from './index';
== make.ts
import { Thing } from './index';
export function make() { return new Thing(); }
== thing.ts
export default class Thing { go() { this.stop(); } stop() {} }
== main.ts
import { build, Thing, missing } from './index';
build().go();
function run(one: Thing) { one.stop(); missing(); }
",
        &expect![[r#"
            make.ts make -> thing.ts Thing
            thing.ts Thing.go -> thing.ts Thing.stop
            main.ts  -> make.ts make
            main.ts  -> thing.ts Thing.go 90
            main.ts run -> thing.ts Thing.stop
        "#]],
    );
}

#[test]
fn modules_from_before_there_were_modules_are_known_too() {
    calls(
        "
== app.js
var utils = require('./utils');
const { pick } = require('./utils');
var make = require('./make');
var flag = require('./utils').flag;
exports.start = function start() { utils.merge(); pick(); make(); flag(); this.stop(); };
== utils.js
exports.merge = function () { return exports.pick(); };
exports.pick = pick;
exports.flag = () => 1;
function pick() {}
== make.js
module.exports = make;
function make() {}
make.later = function () { make(); };
",
        &expect![[r#"
            app.js start -> make.js make
            app.js start -> utils.js merge
            app.js start -> utils.js flag
            app.js start -> utils.js pick
            make.js make.later -> make.js make
        "#]],
    );
}

#[test]
fn functions_in_objects_are_members_and_no_bare_names() {
    calls(
        "
== a.ts
const tools = { open() { return tools.close(); }, close: () => open(), half };
function half() {}
function open() {}
export default tools;
== b.ts
import tools from './a';
class Reader {
  #items: Item[] = [];
  constructor(private item: Item) { super(); }
  read(other: Map<string, Item>) {
    tools.open();
    tools.half();
    this.item.use();
    for (const one of this.#items) one.use();
    this.#items.map(one => one.use());
    other.get('a').use();
    read();
    const item = new Item();
    if (item instanceof Reader) { item.read(); }
  }
}
class Item { use() {} }
function read() {}
",
        &expect![[r#"
            a.ts tools.open -> a.ts tools.close
            a.ts tools.close -> a.ts open
            b.ts Reader.read -> a.ts tools.open
            b.ts Reader.read -> a.ts half 90
            b.ts Reader.read -> b.ts Reader.read
            b.ts Reader.read -> b.ts Item
            b.ts Reader.read -> b.ts Item.use
            b.ts Reader.read -> b.ts read
        "#]],
    );
}

#[test]
fn a_name_may_be_a_type_and_a_value() {
    others(
        "
== a.ts
export interface Shape { draw(): void }
export const Shape = make();
export class Circle implements Shape { draw() {} }
export type Round = Circle;
== b.ts
import { Shape, Round } from './a';
export function show(shape: Shape, round: Round): Shape { round.draw(); return shape; }
",
        &expect![[r#"
            implements a.ts Circle -> a.ts Shape
            implements a.ts Circle.draw -> a.ts Shape.draw
            references a.ts Round -> a.ts Circle
            imports b.ts  -> a.ts 
            imports b.ts  -> a.ts Round
            references b.ts show -> a.ts Round
        "#]],
    );
}
