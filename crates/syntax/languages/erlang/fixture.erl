%%% What the file says of itself is nobody's.
-module(fixture).
-behaviour(gen_server).
-export([start/1, area/1]).
-import(lists, [map/2]).
-include("shapes.hrl").

-define(LIMIT, 3).
%       ^^^^^ constant LIMIT
-define(SQUARE(X), ((X) * (X))).
%       ^^^^^^ macro SQUARE

-record(shape, {kind :: atom(), size = 0 :: integer(), name}).
%       ^^^^^ struct shape
%               ^^^^ field shape.kind
%                               ^^^^ field shape.size
%                                                      ^^^^ field shape.name
-record(empty, {}).
%       ^^^^^ struct empty

-type key() :: atom() | binary().
%     ^^^ type key
-opaque handle(T) :: {handle, T}.
%       ^^^^^^ type handle
-callback render(Shape :: #shape{}) -> iolist().
%         ^^^^^^ function render

-spec start(Name :: atom()) -> {ok, pid()} | {error, term()}.
%     ^^^^^ function start
start(Name) ->
    gen_server:start_link({local, Name}, ?MODULE, [], []).

area(#shape{kind = square, size = Size}) when Size > 0 ->
% <- function area
    ?SQUARE(Size);
area(#shape{}) ->
    0.

count([]) -> 0;
% <- function count
count([_ | Rest]) -> count(Rest, 1).

count([], N) -> N;
% <- function count~d449
count([_ | Rest], N) -> count(Rest, N + 1).

'quoted name'() -> fun area/1.
%^^^^^^^^^^^ function quoted name
