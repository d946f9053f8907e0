(** Bounded queues that several threads share.

    A queue is closed once; who waits on it then is told. *)

open Base
include module type of Queue_types

(** A queue of values of type ['a]. *)
type 'a t

(** What to do when a queue is full. *)
type overflow =
  | Block
  | Drop_oldest  (** forget what was put in first *)
  | Reject of { count : int }

type limits = {
  capacity : int;  (** at most so many values *)
  overflow : overflow;
}

exception Closed of string
(** Raised by everything that is asked of a closed queue. *)

val default_limits : limits

val create : ?limits:limits -> name:string -> unit -> 'a t
(** [create ~name ()] is an empty queue.

    The name is shown in what is logged. *)

val put : 'a t -> 'a -> (unit, overflow) Result.t
(** [put queue value] waits while the queue is full, if it may. *)

val take : 'a t -> 'a Option.t
val length : 'a t -> int

(** [iter queue ~f] calls [f] for every value, the oldest first. *)
val iter : 'a t -> f:('a -> unit) -> unit

val ( <| ) : 'a t -> 'a -> unit

external now : unit -> (float[@unboxed]) = "queue_now" "queue_now_unboxed"

(** What a queue counts. *)
module Stats : sig
  type t = { put : int; taken : int; dropped : int }

  val empty : t
  val add : t -> t -> t
  val pp : Formatter.t -> t -> unit
end

val stats : 'a t -> Stats.t

(** What keeps values between two runs. *)
module type Backend = sig
  type handle

  val connect : Uri.t -> handle

  val store : handle -> key:string -> Bytes.t -> unit
  (** Raises {!Closed} after {!disconnect}. *)

  val disconnect : handle -> unit
end

module Persistent (B : Backend) : sig
  val restore : B.handle -> 'a t
end

class type observer = object
  method on_put : int -> unit
  method on_close : string
end

class counting : string -> observer
