//! Tests of how one of several functions with the same name is chosen (Java, C++, C#), and of what stays undecided.

use super::calls;
use expect_test::expect;

#[test]
fn java_chooses_by_how_much_is_passed_and_by_types() {
    calls(
        "
== app/Pen.java
package app;
class Base { void lift(int height, int speed) {} }
class Pen extends Base {
    static final Pen RED = new Pen();
    Pen() { this(1); }
    Pen(int width) {}
    void draw(int width) {}
    void draw(String colour) {}
    void draw(Pen other) {}
    void draw(String colour, int... widths) {}
    void draw(Object any, Pen other, Pen third) {}
    void lift() {}
    static Pen make() { return new Pen(2); }
}
class Hand {
    void one(Pen pen) { pen.draw(1); }
    void two(Pen pen, String text) { pen.draw(text); }
    void three(Pen pen) { pen.draw(Pen.make()); }
    void four(Pen pen) { pen.draw(Pen.RED); }
    void five(Pen pen) { pen.draw(\"a\", 1, 2); }
    void six(Pen pen) { pen.draw(pen, pen, pen); }
    void seven(Pen pen) { pen.lift(1, 2); }
    void eight(Pen pen) { pen.draw(outside()); }
    void nine(Pen pen) { pen.lift(1, 2, 3); }
    void ten(Pen pen, Pen... pens) { show(pens); show(pens[0]); show(this::one); }
    static void show(Pen[] all) {}
    static void show(Pen one) {}
    static void show(Runnable task) {}
}
",
        &expect![[r#"
            app/Pen.java Pen.RED -> app/Pen.java Pen
            app/Pen.java Pen.make -> app/Pen.java Pen
            app/Pen.java Hand.one -> app/Pen.java Pen.draw
            app/Pen.java Hand.two -> app/Pen.java Pen.draw~c00b
            app/Pen.java Hand.three -> app/Pen.java Pen.draw~5d57
            app/Pen.java Hand.three -> app/Pen.java Pen.make
            app/Pen.java Hand.four -> app/Pen.java Pen.draw~5d57
            app/Pen.java Hand.five -> app/Pen.java Pen.draw~ee2f 95
            app/Pen.java Hand.six -> app/Pen.java Pen.draw~6cc7 95
            app/Pen.java Hand.seven -> app/Pen.java Base.lift
            app/Pen.java Hand.eight -> app/Pen.java Pen.draw 50
            app/Pen.java Hand.nine -> app/Pen.java Pen.lift 50
            app/Pen.java Hand.ten -> app/Pen.java Hand.one
            app/Pen.java Hand.ten -> app/Pen.java Hand.show
            app/Pen.java Hand.ten -> app/Pen.java Hand.show~1adc
            app/Pen.java Hand.eight -> draw? 4
            app/Pen.java Hand.nine -> lift? 2
            app/Pen.java Hand.ten -> show? 3
        "#]],
    );
}

#[test]
fn cpp_chooses_what_a_header_declares_and_not_what_another_file_keeps_to_itself() {
    calls(
        "
== util/coding.h
#include \"slice.h\"
namespace app {
bool take(Slice* input, Slice* result);
int add(int a, int b = 2);
class Store {
 public:
  int at(const Slice& key) const;
  int at(int place) const;
};
}
== util/slice.h
namespace app { class Slice { public: void cut(); void cut() const; }; }
== util/coding.cc
#include \"coding.h\"
namespace app {
bool take(Slice* input, Slice* result) { return true; }
int add(int a, int b) { return a; }
int Store::at(const Slice& key) const { return 1; }
int Store::at(int place) const { return 2; }
}
== db/memtable.cc
#include \"../util/coding.h\"
namespace app {
static bool take(const char* data) { return true; }
bool own() { return take(\"a\"); }
}
== db/edit.cc
#include \"../util/coding.h\"
namespace app {
bool read(Slice* in, Slice* out, Store& store, const Slice& key) {
  take(in, out);
  store.at(key);
  store.at(3);
  key.cut();
  return add(1);
}
}
== db/c.cc
#include \"../util/coding.h\"
using app::Store;
struct Handle { Store* rep; };
int get(Handle* handle) { return handle->rep->at(1); }
",
        &expect![[r#"
            db/memtable.cc app.own -> db/memtable.cc app.take
            db/edit.cc app.read -> util/coding.cc app.take 80
            db/edit.cc app.read -> util/coding.cc app.add
            db/edit.cc app.read -> util/coding.cc app.Store.at
            db/edit.cc app.read -> util/coding.cc app.Store.at~c554
            db/edit.cc app.read -> util/slice.h app.Slice.cut
            db/c.cc get -> util/coding.cc app.Store.at~c554
        "#]],
    );
}

#[test]
fn csharp_chooses_by_how_much_is_passed() {
    calls(
        "
== Pen.cs
namespace App {
    static class Tools { public static void Fill(this Pen pen, int width) {} }
    class Pen {
        public void Draw(int width) {}
        public void Draw(int width, string colour) {}
        public void Draw(params object[] all) {}
        public void Use(Pen other) {
            Draw(1, \"red\");
            other.Draw(1, 2, 3);
            other.Fill(2);
        }
    }
}
",
        &expect![[r#"
            Pen.cs Pen.Use -> Pen.cs Tools.Pen.Fill
            Pen.cs Pen.Use -> Pen.cs Pen.Draw~1392
            Pen.cs Pen.Use -> Pen.cs Pen.Draw~c28b
        "#]],
    );
}

#[test]
fn code_of_the_product_means_no_type_of_a_test() {
    calls(
        "
== include/app/order.h
namespace app { class Order { public: int compare(int a); }; }
== db/list_test.cc
namespace app { struct Order { int compare(int a) { return a; } }; }
== db/list.cc
#include \"app/order.h\"
namespace app { int run(Order* order) { return order->compare(1); } }
",
        &expect![[r#"
            db/list.cc app.run -> include/app/order.h app.Order.compare
        "#]],
    );
}

#[test]
fn the_object_of_an_outer_type_is_named_by_that_type() {
    calls(
        "
== Map.java
class Map {
    void clear() {}
    class Keys { void clear() { Map.this.clear(); } }
}
== Table.kt
class Table {
    fun clear() {}
    inner class Keys { fun clear() { this@Table.clear() } }
}
",
        &expect![[r#"
            Map.java Map.Keys.clear -> Map.java Map.clear
            Table.kt Table.Keys.clear -> Table.kt Table.clear
        "#]],
    );
}
