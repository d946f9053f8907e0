//! Tests of the name resolver for member calls on objects whose types the text shows, in languages that name their
//! packages: Java, Kotlin, C#, Scala, Swift, PHP and Dart.

use super::calls;
use expect_test::expect;

#[test]
fn a_package_is_seen_without_an_import_and_a_field_has_its_type() {
    calls(
        r"
== store/Repo.java
package store;
public class Repo { public Item find() { return new Item(); } public static Repo make() { return new Repo(); } }
== store/Item.java
package store;
public class Item { public Item() {} public void use() {} }
class Other { void use() {} Item find() { return null; } }
== app/Service.java
package app;
import store.*;
class Service extends Base {
  private final Repo repo = Repo.make();
  protected Repo open;
  void a() { repo.find().use(); }
  void b() { this.open.find().use(); }
  void c() { open.find(); go(); }
  void d() { for (var item : all()) { item.use(); } }
  java.util.List<Item> all() { return null; }
}
== app/Base.java
package app;
class Base { void go() {} }
",
        &expect![[r#"
            store/Repo.java Repo.find -> store/Item.java Item
            store/Repo.java Repo.make -> store/Repo.java Repo
            app/Service.java Service -> store/Repo.java Repo.make
            app/Service.java Service.a -> store/Item.java Item.use
            app/Service.java Service.a -> store/Repo.java Repo.find
            app/Service.java Service.b -> store/Item.java Item.use
            app/Service.java Service.b -> store/Repo.java Repo.find
            app/Service.java Service.c -> app/Base.java Base.go 90
            app/Service.java Service.c -> store/Repo.java Repo.find
            app/Service.java Service.d -> app/Service.java Service.all
            app/Service.java Service.d -> store/Item.java Item.use 90
        "#]],
    );
}

#[test]
fn a_property_is_a_symbol_and_has_its_type_all_the_same() {
    calls(
        r"
== Repo.kt
package store

class Repo {
    fun find(): Item = Item(1)

    companion object {
        fun make() = Repo()
    }
}

class Item(val id: Int) {
    fun use() {}
}

class Other {
    fun use() {}
    fun find() {}
}

fun Item.twice() = use()
== Service.kt
package app

import store.Item
import store.Repo
import store.twice

class Service(private val given: Repo) {
    private val made: Repo = Repo.make()
    val later by lazy { Repo() }

    fun a() { given.find().use() }

    fun b() { made.find().use() }

    fun c() { this.made.find().twice() }

    fun d() {
        val item = later.find()
        item.use()
    }
}
",
        &expect![[r#"
            Repo.kt Repo.find -> Repo.kt Item
            Repo.kt Repo.make -> Repo.kt Repo
            Repo.kt Item.twice -> Repo.kt Item.use
            Service.kt Service.made -> Repo.kt Repo.make
            Service.kt Service.later -> Repo.kt Repo
            Service.kt Service.a -> Repo.kt Repo.find
            Service.kt Service.a -> Repo.kt Item.use
            Service.kt Service.b -> Repo.kt Repo.find
            Service.kt Service.b -> Repo.kt Item.use
            Service.kt Service.c -> Repo.kt Repo.find
            Service.kt Service.c -> Repo.kt Item.twice
            Service.kt Service.d -> Repo.kt Repo.find 90
            Service.kt Service.d -> Repo.kt Item.use 90
        "#]],
    );
}

#[test]
fn a_namespace_around_a_whole_file_is_its_package() {
    calls(
        r"
== Repo.cs
namespace X.Store
{
    public class Repo { public Item Find() { return new Item(); } public async Task<Item> FindAsync() { return null; } }
    public class Item { public void Use() { } }
    public class Other { public void Use() { } public void Find() { } }
    public static class Extensions { public static void Twice(this Item item) { } }
}
== Service.cs
using X.Store;
namespace X.App;
public class Service
{
    private readonly Repo _repo;
    public Repo Open { get; set; }
    void A() { _repo.Find().Use(); }
    void B() { this.Open.Find().Twice(); }
    async void C() { var item = await _repo.FindAsync(); item.Use(); }
}
",
        &expect![[r#"
            Repo.cs Repo.Find -> Repo.cs Item
            Service.cs Service.A -> Repo.cs Repo.Find
            Service.cs Service.A -> Repo.cs Item.Use
            Service.cs Service.B -> Repo.cs Repo.Find
            Service.cs Service.B -> Repo.cs Extensions.Item.Twice
            Service.cs Service.C -> Repo.cs Repo.FindAsync
            Service.cs Service.C -> Repo.cs Item.Use 90
        "#]],
    );
}

#[test]
fn a_type_has_the_members_of_its_companion() {
    calls(
        r"
== Repo.scala
package store
class Repo { def find(): Item = new Item }
object Repo { def make() = new Repo }
class Item { def use(): Unit = () }
class Other { def use(): Unit = (); def find(): Unit = () }
== Service.scala
package app
import store.{Item, Repo}
class Service(given_ : Repo) {
  val made: Repo = Repo.make()
  def a() = given_.find().use()
  def b() = this.made.find().use()
  def c() = Repo.make().find()
}
",
        &expect![[r#"
            Repo.scala Repo.find -> Repo.scala Item
            Repo.scala Repo.make -> Repo.scala Repo~365c
            Service.scala Service.made -> Repo.scala Repo.make
            Service.scala Service.a -> Repo.scala Repo.find
            Service.scala Service.a -> Repo.scala Item.use
            Service.scala Service.b -> Repo.scala Repo.find
            Service.scala Service.b -> Repo.scala Item.use
            Service.scala Service.c -> Repo.scala Repo.find 90
            Service.scala Service.c -> Repo.scala Repo.make
        "#]],
    );
}

#[test]
fn an_extension_gives_members_and_promises() {
    calls(
        r"
== Repo.swift
class Repo {
    static let shared = Repo()
    func find() -> Item { Item() }
}
struct Item {}
protocol Usable {}
extension Usable { func use() {} }
class Other { func use() {}; func find() {} }
== Item+Usable.swift
extension Item: Usable {
    func twice() { use() }
}
== Service.swift
class Service {
    private let repo: Repo
    init(repo: Repo) { self.repo = repo }
    func a() { repo.find().use() }
    func b() { self.repo.find().twice() }
    func c() { Repo.shared.find() }
    func d() { for item in all() { item.use() } }
    func all() -> [Item] { [] }
}
",
        &expect![[r#"
            Repo.swift Repo.shared -> Repo.swift Repo
            Repo.swift Repo.find -> Repo.swift Item
            Item+Usable.swift Item.twice -> Repo.swift Usable.use 90
            Service.swift Service.a -> Repo.swift Repo.find 80
            Service.swift Service.a -> Repo.swift Usable.use 80
            Service.swift Service.b -> Item+Usable.swift Item.twice 80
            Service.swift Service.b -> Repo.swift Repo.find 80
            Service.swift Service.c -> Repo.swift Repo.find 80
            Service.swift Service.d -> Repo.swift Usable.use 80
            Service.swift Service.d -> Service.swift Service.all
        "#]],
    );
}

#[test]
fn a_trait_gives_its_members_to_the_class_that_uses_it() {
    calls(
        r"
== src/Repo.php
<?php
namespace App\Store;
class Repo { public function find(): Item { return new Item(); } public static function make(): static { return new static(); } }
class Item { public function use(): self { return $this; } }
class Other { public function use() {} public function find() {} }
== src/Service.php
<?php
namespace App;
use App\Store\Repo;
class Service {
  use Helps;
  protected Repo $open;
  public function __construct(private Repo $promoted) { $this->made = Repo::make(); }
  function a() { $this->open->find()->use()->use(); }
  function b() { $this->promoted->find(); }
  function c() { $this->made->find(); }
  function d() { $this->help(); }
}
trait Helps { function help() {} }
",
        &expect![[r#"
            src/Repo.php Repo.find -> src/Repo.php Item
            src/Service.php Service.__construct -> src/Repo.php Repo.make
            src/Service.php Service.a -> src/Repo.php Repo.find
            src/Service.php Service.a -> src/Repo.php Item.use
            src/Service.php Service.b -> src/Repo.php Repo.find
            src/Service.php Service.c -> src/Repo.php Repo.find 90
            src/Service.php Service.d -> src/Service.php Helps.help 90
        "#]],
    );
}

#[test]
fn a_constructor_with_a_name_makes_its_class() {
    calls(
        r"
== lib/repo.dart
class Repo { Item find() => Item.named(1); }
class Item { Item.named(int id); void use() {} }
class Other { void use() {} void find() {} }
== lib/service.dart
import 'repo.dart';
class Service {
  final Repo repo;
  Service(this.repo);
  void a() { repo.find().use(); }
  void b() { this.repo.find(); }
  void c() { Item.named(2).use(); }
}
",
        &expect![[r#"
            lib/repo.dart Repo.find -> lib/repo.dart Item.named
            lib/service.dart Service.a -> lib/repo.dart Repo.find
            lib/service.dart Service.a -> lib/repo.dart Item.use
            lib/service.dart Service.b -> lib/repo.dart Repo.find
            lib/service.dart Service.c -> lib/repo.dart Item.named
            lib/service.dart Service.c -> lib/repo.dart Item.use
        "#]],
    );
}
