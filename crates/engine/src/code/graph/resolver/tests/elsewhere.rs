//! Tests of the name resolver for C, C++, Java, Dart, Ruby, Elixir, Haskell, Lua, Bash and Zig: a few files of each, and the
//! call edges they must have.

use super::{calls, others};
use expect_test::expect;

#[test]
fn c_calls_what_is_written_out_and_not_its_declaration() {
    calls(
        "
== src/main.c
#include \"list.h\"
#include <stdio.h>
static int helper(int x) { return x; }
int main(void) {
    list_add(helper(1));
    printf(\"\");
    return 0;
}
== src/list.h
int list_add(int x);
struct list { int n; };
== src/list.c
#include \"list.h\"
static void helper(int x) {}
int list_add(int x) {
    helper(x);
    x = x + 1;
    return x;
}
",
        &expect![[r#"
            src/main.c main -> src/list.c list_add 80
            src/main.c main -> src/main.c helper
            src/list.c list_add -> src/list.c helper
        "#]],
    );
}

#[test]
fn c_leads_from_a_declaration_to_what_is_written_out_and_back() {
    let project = "
== put.h
int put(int first,
        int second,
        int third,
        int fourth);
== put.c
#include \"put.h\"
int put(int first, int second, int third, int fourth) { return first; }
== main.c
extern int put(int first, int second, int third, int fourth);
int main(void) { return put(1, 2, 3, 4); }
";
    calls(
        project,
        &expect![[r#"
        main.c main -> put.c put
    "#]],
    );
    others(
        project,
        &expect![[r#"
        imports put.c  -> put.h 
        implements put.c put -> main.c put 80
        implements put.c put -> put.h put
    "#]],
    );
}

#[test]
fn dart_takes_from_packages_of_the_project() {
    calls(
        "
== packages/store/pubspec.yaml
name: store
== packages/store/lib/src/item.dart
class Item { void use() {} }
== packages/store/lib/store.dart
export 'src/item.dart';
== app/pubspec.yaml
name: app # the application
== app/lib/main.dart
import 'package:store/store.dart';
import 'package:elsewhere/store.dart';
import 'package:app/other.dart';
void main() { Item().use(); other(); }
== app/lib/other.dart
void other() {}
",
        &expect![[r#"
            app/lib/main.dart main -> app/lib/other.dart other
            app/lib/main.dart main -> packages/store/lib/src/item.dart Item
            app/lib/main.dart main -> packages/store/lib/src/item.dart Item.use
        "#]],
    );
}

#[test]
fn cpp_finds_members_through_namespaces_classes_and_bases() {
    calls(
        "
== store.h
namespace app {
class Base { public: void open(); };
class Store : public Base {
 public:
  Store();
  int find(int key) const;
 private:
  Index index_;
};
class Index { public: int at(int key) { return key; } };
}
== store.cc
#include \"store.h\"
namespace app {
namespace { int hash(int key) { return key; } }
int Store::find(int key) const {
  open();
  int found = index_.at(hash(key));
  return found;
}
}
== main.cc
#include \"store.h\"
int main() {
  app::Store store;
  store.find(1);
  store.open();
  auto* other = new app::Store();
  return 0;
}
",
        &expect![[r#"
            store.cc app.Store.find -> store.cc app.hash
            store.cc app.Store.find -> store.h app.Base.open 90
            store.cc app.Store.find -> store.h app.Index.at
            main.cc main -> store.cc app.Store.find
            main.cc main -> store.h app.Base.open 90
            main.cc main -> store.h app.Store
        "#]],
    );
}

#[test]
fn ruby_finds_members_of_modules_and_classes() {
    calls(
        "
== lib/app.rb
require_relative 'app/store'
module App
  def self.run
    store = Store.new
    store.find(1)
    helper
  end
  def self.helper; end
end
== lib/app/store.rb
module App
  class Base
    def open; end
  end
  class Store < Base
    def initialize; @index = Index.new; end
    def find(key)
      open
      @index.at(key)
    end
  end
  class Index
    def at(key); end
  end
end
",
        &expect![[r#"
            lib/app.rb App.run -> lib/app.rb App.helper
            lib/app.rb App.run -> lib/app/store.rb App.Store
            lib/app.rb App.run -> lib/app/store.rb App.Store.find 90
            lib/app/store.rb App.Store.initialize -> lib/app/store.rb App.Index
            lib/app/store.rb App.Store.find -> lib/app/store.rb App.Base.open 90
            lib/app/store.rb App.Store.find -> lib/app/store.rb App.Index.at 90
        "#]],
    );
}

#[test]
fn elixir_finds_functions_by_full_name_alias_and_import() {
    calls(
        "
== lib/store.ex
defmodule App.Store do
  def find(key), do: hash(key)
  defp hash(key), do: key
end
== lib/app.ex
defmodule App do
  alias App.Store
  import App.Tools
  def run(x) do
    Store.find(x)
    App.Store.find(x)
    x |> shout()
  end
end
== lib/tools.ex
defmodule App.Tools do
  def shout(x), do: String.upcase(x)
end
",
        &expect![[r#"
            lib/store.ex App.Store.find -> lib/store.ex App.Store.hash
            lib/app.ex App.run -> lib/store.ex App.Store.find
            lib/app.ex App.run -> lib/tools.ex App.Tools.shout
        "#]],
    );
}

#[test]
fn haskell_finds_what_a_module_takes_and_passes_on() {
    calls(
        "
== src/Main.hs
module Main where
import App.All
import qualified App.Store as S
main = run (S.find 1)
run x = shout x
== src/App/All.hs
module App.All (module App.Tools) where
import App.Tools
== src/App/Tools.hs
module App.Tools where
shout x = x
== src/App/Store.hs
module App.Store where
find key = hash key
hash key = key
",
        &expect![[r#"
            src/Main.hs main -> src/App/Store.hs find
            src/Main.hs main -> src/Main.hs run
            src/Main.hs run -> src/App/Tools.hs shout
            src/App/Store.hs find -> src/App/Store.hs hash
        "#]],
    );
}

#[test]
fn lua_finds_what_a_module_gives_back() {
    calls(
        "
== lua/app/init.lua
local store = require('app.store')
local function helper() end
local M = {}
function M.run()
  store.find(1)
  helper()
end
function M:go() self.run() end
return M
== lua/app/store.lua
local store = {}
local function hash(key) return key end
function store.find(key) return hash(key) end
return store
",
        &expect![[r#"
            lua/app/init.lua M.run -> lua/app/init.lua helper
            lua/app/init.lua M.run -> lua/app/store.lua store.find
            lua/app/init.lua M.go -> lua/app/init.lua M.run
            lua/app/store.lua store.find -> lua/app/store.lua hash
        "#]],
    );
}

#[test]
fn bash_finds_functions_that_were_sourced_anywhere() {
    calls(
        "
== bin/run.sh
#!/usr/bin/env bash
source \"$(dirname \"$0\")/../lib/tools.sh\"
main() {
  say hello
  echo done
}
main
== lib/tools.sh
say() { shout \"$1\"; }
shout() { echo \"$1\"; }
",
        &expect![[r#"
            bin/run.sh  -> bin/run.sh main
            bin/run.sh main -> lib/tools.sh say 80
            lib/tools.sh say -> lib/tools.sh shout
        "#]],
    );
}

#[test]
fn zig_finds_members_of_files_and_of_the_types_in_them() {
    calls(
        "
== src/main.zig
const Store = @import(\"Store.zig\");
const tools = @import(\"tools.zig\");
pub fn main() void {
    var store = Store.init();
    store.find(1);
    run(&store);
    tools.say();
}
fn run(store: *Store) void { store.find(2); }
== src/Store.zig
const Store = @This();
index: u32,
pub fn init() Store { return .{ .index = 0 }; }
pub fn find(self: *Store, key: u32) void { self.check(key); }
fn check(self: *Store, key: u32) void {}
== src/tools.zig
pub fn say() void {}
",
        &expect![[r#"
            src/main.zig main -> src/Store.zig init
            src/main.zig main -> src/Store.zig find 90
            src/main.zig main -> src/main.zig run
            src/main.zig main -> src/tools.zig say
            src/main.zig run -> src/Store.zig find
            src/Store.zig find -> src/Store.zig check 90
        "#]],
    );
}

#[test]
fn a_call_of_an_overloaded_method_leads_to_the_one_that_takes_what_is_passed() {
    calls(
        "
== Pen.java
class Pen {
    void draw(int width) {}
    void draw(String colour) {}
    void lift() {}
    void use() {
        draw(1);
        lift();
    }
}
",
        &expect![[r#"
            Pen.java Pen.use -> Pen.java Pen.draw
            Pen.java Pen.use -> Pen.java Pen.lift
        "#]],
    );
}
