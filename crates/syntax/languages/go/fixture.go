// Package sample is a package.
package sample

import "fmt"

// Limit is a limit.
const Limit = 3
//    ^^^^^ constant Limit

const (
	First = iota
	// <- constant First
	Second
	// <- constant Second
	_
)

var ready, steady = true, false
//  ^^^^^ constant ready
//         ^^^^^^ constant steady

var (
	count int
	// <- constant count
	_ Greeter = (*Server)(nil)
)

// Server serves.
type Server struct {
//   ^^^^^^ struct Server
	name string
}

type (
	ID int
	// <- type ID
	Pair[A, B any] struct {
	// <- struct Pair
		first  A
		second B
	}
	Alias = map[string]ID
	// <- type Alias
)

// Greeter greets.
type Greeter interface {
//   ^^^^^^^ interface Greeter
	fmt.Stringer
	Greet(name string) error
	// <- method Greeter.Greet
}

// Start starts.
func (s *Server) Start(port int) error {
//               ^^^^^ method Server.Start
	const inside = 1
	type local struct{ n int }
	//   ^^^^^ struct Server.Start.local
	handler := func() int { return inside }
	return fmt.Errorf("%d %v", handler(), local{})
}

func (Server) String() string { return "server" }
//            ^^^^^^ method Server.String

func (p Pair[A, B]) First() A { return p.first }
//                  ^^^^^ method Pair.First

func (p *Pair[A, B]) Swap() {}
//                   ^^^^ method Pair.Swap

func (o *Other) Elsewhere() {}
//              ^^^^^^^^^ method Other.Elsewhere

func Map[T, U any](in []T, f func(T) U) (out []U) {
//   ^^^ function Map
	return nil
}

func assembly(a, b int) int
//   ^^^^^^^^ function assembly
