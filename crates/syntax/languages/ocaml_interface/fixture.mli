(** What the file says of itself is nobody's. *)

open Base

type t
(*   ^ type t *)
type kind = Small | Large [@@deriving show]
(*   ^^^^ enum kind *)
(*          ^^^^^ constant kind.Small *)
(*                  ^^^^^ constant kind.Large *)
type size = { width : int }
(*   ^^^^ struct size *)
(*            ^^^^^ field size.width *)
exception Closed
(*        ^^^^^^ type Closed *)

val default : t
(*  ^^^^^^^ constant default *)
val make : ?size:size -> kind -> t
(*  ^^^^ function make *)
val ( <+> ) : t -> t -> t
(*    ^^^ function <+> *)
external length : t -> int = "length"
(*       ^^^^^^ function length *)

module Set : sig
(*     ^^^ module Set *)
  type elt = t
(*     ^^^ type Set.elt *)
  val add : elt -> t -> t
(*    ^^^ function Set.add *)
end
module Sorted (X : Ordered) : S with type t = X.t
(*     ^^^^^^ module Sorted *)
module type Ordered = sig
(*          ^^^^^^^ interface Ordered *)
  val compare : t -> t -> int
(*    ^^^^^^^ method Ordered.compare *)
end
include Comparable with type t := t

class type shown = object method show : string end
(*         ^^^^^ interface shown *)
(*                               ^^^^ method shown.show *)
class window : int -> shown
(*    ^^^^^^ class window *)
