(** A scheduler for tasks that depend on each other.

    Tasks run as soon as everything they wait for is done; a cycle is an
    error that names the tasks in it. *)

open Printf
module Names = Set.Make (String)
module Log = Util.Log

(** Why a plan cannot be made. *)
exception Cycle of string list

exception Unknown_task of string

(** How a task ended. *)
type outcome =
  | Done of float  (** after so many seconds *)
  | Failed of { reason : string; retries : int }
  | Skipped

(** One task. *)
type task = {
  name : string;
  after : Names.t;  (** what has to be done before *)
  action : unit -> unit;
  mutable outcome : outcome option;
}

and plan = task list

type 'a visitor = depth:int -> 'a -> unit

(** What a plan is kept in. *)
module type Store = sig
  type t

  val load : string -> t
  (** Read a plan.

      Fails where the file is missing. *)

  val save : t -> task list -> unit
end

let max_retries = 3
let default_store = Filename.concat "var" "plan"

(** [task name] does nothing yet. *)
let task ?(after = []) ?(action = ignore) name : task =
  { name; after = Names.of_list after; action; outcome = None }

module Graph : sig
  type t

  val of_plan : plan -> t
  val order : t -> task list
end = struct
  type t = (string, task) Hashtbl.t

  let of_plan plan =
    let graph = Hashtbl.create (List.length plan) in
    List.iter (fun task -> Hashtbl.replace graph task.name task) plan;
    graph

  let find graph name =
    match Hashtbl.find_opt graph name with
    | Some task -> task
    | None -> raise (Unknown_task name)

  (** Every task after those it waits for. *)
  let order graph =
    let seen = Hashtbl.create 16 in
    let rec visit path acc task =
      if List.mem task.name path then raise (Cycle (List.rev path));
      if Hashtbl.mem seen task.name then acc
      else begin
        Hashtbl.add seen task.name ();
        let acc = visit_all (task.name :: path) acc task.after in
        task :: acc
      end
    and visit_all path acc names =
      Names.fold (fun name acc -> visit path acc (find graph name)) names acc
    in
    Hashtbl.fold (fun _ task acc -> visit [] acc task) graph [] |> List.rev
end

let time f =
  let started = Unix.gettimeofday () in
  f ();
  Unix.gettimeofday () -. started

let rec attempt (task : task) retries : outcome =
  try Done (time task.action) with
  | Failure reason when retries >= max_retries -> Failed { reason; retries }
  | Failure _ -> attempt task (retries + 1)

let is_done = function
  | { outcome = Some (Done _); _ } -> true
  | _ -> false

let ready done_ task = Names.subset task.after done_
let ( ==> ) name next = task ~after:[ name ] next

(** Run a plan, task by task. *)
let run ?(on_end = fun _ -> ()) plan =
  let step done_ task =
    let outcome = if ready done_ task then attempt task 0 else Skipped in
    task.outcome <- Some outcome;
    on_end task;
    if is_done task then Names.add task.name done_ else done_
  in
  plan |> Graph.of_plan |> Graph.order |> List.fold_left step Names.empty

module File_store : Store with type t = string = struct
  type t = string

  let load path = if Sys.file_exists path then path else failwith path

  let save path tasks =
    let channel = open_out path in
    List.iter (fun task -> fprintf channel "%s\n" task.name) tasks;
    close_out channel
end

class virtual reporter title =
  object (self)
    val mutable lines : string list = []
    method virtual write : string -> unit

    (** Say how a task ended. *)
    method report (task : task) =
      lines <- task.name :: lines;
      self#write (sprintf "%s: %s" title task.name)

    method count = List.length lines
  end

class console title =
  object
    inherit reporter title
    method write line = print_endline line
  end

let () =
  let reporter = new console "plan" in
  let plan = [ task "build"; "build" ==> "test" ] in
  let done_ = run ~on_end:reporter#report plan in
  Log.info @@ string_of_int (Names.cardinal done_)
