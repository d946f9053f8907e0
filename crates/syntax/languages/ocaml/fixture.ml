(** What the file says of itself is nobody's. *)

open Printf

let limit = 3
(*  ^^^^^ constant limit *)
let table = Hashtbl.create 16
(*  ^^^^^ constant table *)
let (first, second) = (1, 2)
let () = print_endline "start"

type name = string
(*   ^^^^ type name *)
type 'a tree =
(*      ^^^^ enum tree *)
  | Leaf
(*  ^^^^ constant tree.Leaf *)
  | Node of 'a tree * 'a * 'a tree
(*  ^^^^ constant tree.Node *)
  | Inline of { depth : int }
(*  ^^^^^^ constant tree.Inline *)
(*              ^^^^^ field tree.Inline.depth *)

and forest = { trees : int tree list; mutable count : int }
(*  ^^^^^^ struct forest *)
(*             ^^^^^ field forest.trees *)
(*                                            ^^^^^ field forest.count *)
type opaque
(*   ^^^^^^ type opaque *)
exception Too_deep of int
(*        ^^^^^^^^ type Too_deep *)

module type Ordered = sig
(*          ^^^^^^^ interface Ordered *)
  type t
(*     ^ type Ordered.t *)
  val compare : t -> t -> int
(*    ^^^^^^^ method Ordered.compare *)
  val least : t
(*    ^^^^^ constant Ordered.least *)
end

module Make (X : Ordered) : sig val sort : X.t list -> X.t list end = struct
(*     ^^^^ module Make *)
(*                                  ^^^^ function Make.sort *)
  let sort = List.sort X.compare
(*    ^^^^ constant Make.sort~5aa6 *)
end

module Inner = struct
(*     ^^^^^ module Inner *)
  let hidden x = x
(*    ^^^^^^ function Inner.hidden *)
end
module Strings = Set.Make (String)
(*     ^^^^^^^ module Strings *)

let rec depth ?(from = 0) ~scale (tree : 'a tree) : int =
(*      ^^^^^ function depth *)
  let inner = 1 in
  let larger a b = if a > b then a else b in
(*    ^^^^^^ function depth.larger *)
  match tree with
  | Leaf -> from + inner
  | Node (l, _, r) -> scale * larger (depth ~scale l) (other r)
  | Inline { depth } -> depth

and other tree = depth ~scale:1 tree
(*  ^^^^^ function other *)

let is_leaf = function Leaf -> true | _ -> false
(*  ^^^^^^^ function is_leaf *)
let twice = fun x -> x * 2
(*  ^^^^^ function twice *)
let ( +! ) a b = a + b
(*    ^^ function +! *)
external sine : float -> float = "caml_sin"
(*       ^^^^ function sine *)

class counter start = object (self)
(*    ^^^^^^^ class counter *)
  inherit base
  val mutable n = start
(*            ^ field counter.n *)
  method tick = n <- n + 1; self#log
(*       ^^^^ method counter.tick *)
  method virtual log : unit
(*               ^^^ method counter.log *)
end
class type shown = object method show : string end
(*         ^^^^^ interface shown *)
(*                               ^^^^ method shown.show *)
