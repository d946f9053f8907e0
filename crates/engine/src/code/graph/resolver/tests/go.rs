//! Tests of the name resolver for Go: directories as packages, scopes of variables, embedded structs and interfaces.

use super::{calls, others};
use expect_test::expect;

#[test]
fn a_directory_is_one_package_and_is_reached_by_the_path_of_its_module() {
    calls(
        r#"
== go.mod
module example.com/app/v2

replace example.com/other => ./other
== main.go
package main

import (
	"fmt"

	"example.com/app/v2/store"
	alias "example.com/other/deep"
)

func main() {
	s := store.New()
	s.Save()
	alias.Do()
	fmt.Println()
	helper()
}
== helper.go
package main

func helper() { helper2() }
func helper2() {}
== store/store.go
package store

type Store struct {
	base
	items []*Item
}

func New() *Store { return &Store{} }

func (s *Store) Save() {
	s.lock()
	for _, item := range s.items {
		item.Write()
	}
}
== store/base.go
package store

type base struct{}

func (b *base) lock() {}

type Item struct{}

func (i *Item) Write() {}
== store/store_test.go
package store_test

import "example.com/app/v2/store"

func check() { store.New().Save() }
== other/go.mod
module example.com/other
== other/deep/deep.go
package deep

func Do() {}
"#,
        &expect![[r#"
            main.go main -> helper.go helper
            main.go main -> other/deep/deep.go Do
            main.go main -> store/store.go New
            main.go main -> store/store.go Store.Save 90
            helper.go helper -> helper.go helper2
            store/store.go New -> store/store.go Store
            store/store.go Store.Save -> store/base.go base.lock 90
            store/store.go Store.Save -> store/base.go Item.Write 90
            store/store_test.go check -> store/store.go New
            store/store_test.go check -> store/store.go Store.Save
        "#]],
    );
}

#[test]
fn a_variable_is_known_in_its_block_and_hides_what_is_outside() {
    calls(
        "
== go.mod
module m
== a.go
package a

type A struct{}
type B struct{}

func (a *A) Go()     {}
func (b B) Go()      {}
func (a *A) Other() B { return B{} }
func run()           {}

func f(x interface{}, run func()) {
	run()
	switch v := x.(type) {
	case *A:
		v.Go()
	case B:
		v.Go()
	}
	a := &A{}
	if a, ok := x.(B); ok {
		a.Go()
	}
	a.Go()
	a.Other().Go()
	do(func(a B) { a.Go() })
}

func do(callback func(B)) {}
",
        &expect![[r#"
            a.go A.Other -> a.go B
            a.go f -> a.go A
            a.go f -> a.go A.Go
            a.go f -> a.go B.Go
            a.go f -> a.go A.Other 90
            a.go f -> a.go do
        "#]],
    );
}

#[test]
fn an_interface_is_followed_to_its_own_members() {
    others(
        "
== go.mod
module m
== a.go
package a

type Reader interface{ Read() }
type ReadCloser interface {
	Reader
	Close()
}
type File struct{ *Handle }
type Handle struct{}

func Open(r Reader) *File { return nil }
",
        &expect![[r#"
            extends a.go ReadCloser -> a.go Reader
            extends a.go File -> a.go Handle
            references a.go Open -> a.go Reader
            references a.go Open -> a.go File
        "#]],
    );
}
