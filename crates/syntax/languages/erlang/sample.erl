%%% @doc A bounded cache that forgets what was not used for a while.
%%% It runs as one process; reading goes past it, through a table.
%%% @end
-module(lru_cache).
-behaviour(gen_server).

-export([start_link/2, stop/1]).
-export([get/2, get/3, put/3, forget/2, stats/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).

-export_type([key/0, options/0]).

-import(lists, [foldl/3, reverse/1]).

-include_lib("kernel/include/logger.hrl").
-include("lru_cache.hrl").

-define(DEFAULT_SIZE, 1000).
-define(SWEEP_EVERY, timer:seconds(30)).
-define(IS_KEY(Key), (is_atom(Key) orelse is_binary(Key))).

-type key() :: atom() | binary().
-type options() :: #{size => pos_integer(), ttl => timeout()}.
-type server() :: gen_server:server_ref().

%% What the process knows.
-record(state, {
    table :: ets:tid(),
    size = ?DEFAULT_SIZE :: pos_integer(),
    ttl = infinity :: timeout(),
    hits = 0 :: non_neg_integer(),
    timer :: reference() | undefined
}).

-record(entry, {key :: key(), value :: term(), used :: integer()}).

%% @doc Start a cache under a name.
-spec start_link(atom(), options()) -> {ok, pid()} | {error, term()}.
start_link(Name, Options) ->
    gen_server:start_link({local, Name}, ?MODULE, {Name, Options}, []).

-spec stop(server()) -> ok.
stop(Server) ->
    gen_server:stop(Server).

%% @equiv get(Server, Key, undefined)
get(Server, Key) ->
    get(Server, Key, undefined).

%% @doc The value of a key, or the default where there is none.
-spec get(atom(), key(), Default) -> term() | Default.
get(Name, Key, Default) when ?IS_KEY(Key) ->
    case ets:lookup(Name, Key) of
        [#entry{value = Value}] ->
            gen_server:cast(Name, {used, Key}),
            Value;
        [] ->
            Default
    end;
get(_, Key, _) ->
    error({bad_key, Key}).

put(Server, Key, Value) ->
    gen_server:call(Server, {put, Key, Value}).

forget(Server, Keys) when is_list(Keys) ->
    lists:foreach(fun(Key) -> forget(Server, Key) end, Keys);
forget(Server, Key) ->
    gen_server:cast(Server, {forget, Key}).

stats(Server) ->
    gen_server:call(Server, stats).

%%% What gen_server asks for.

init({Name, Options}) ->
    process_flag(trap_exit, true),
    Table = ets:new(Name, [named_table, protected, {keypos, #entry.key}]),
    State = configure(Options, #state{table = Table}),
    {ok, schedule(State)}.

handle_call({put, Key, Value}, _From, State = #state{table = Table}) ->
    true = ets:insert(Table, #entry{key = Key, value = Value, used = now_ms()}),
    {reply, ok, shrink(State)};
handle_call(stats, _From, #state{hits = Hits} = State) ->
    {reply, #{hits => Hits, size => ets:info(State#state.table, size)}, State};
handle_call(Request, From, State) ->
    ?LOG_WARNING("unexpected ~p from ~p", [Request, From]),
    {reply, {error, unknown}, State}.

handle_cast({used, Key}, State) ->
    ets:update_element(State#state.table, Key, {#entry.used, now_ms()}),
    {noreply, State#state{hits = State#state.hits + 1}};
handle_cast({forget, Key}, State) ->
    ets:delete(State#state.table, Key),
    {noreply, State}.

handle_info(sweep, State) ->
    Expired = expired(State),
    foldl(fun(Key, ok) -> remove(State, Key) end, ok, Expired),
    {noreply, schedule(State)};
handle_info(_, State) ->
    {noreply, State}.

terminate(_Reason, #state{timer = undefined}) ->
    ok;
terminate(_Reason, #state{timer = Timer}) ->
    erlang:cancel_timer(Timer),
    ok.

%%% Inside.

configure(Options, State) ->
    Size = maps:get(size, Options, ?DEFAULT_SIZE),
    State#state{size = Size, ttl = maps:get(ttl, Options, infinity)}.

schedule(State) ->
    State#state{timer = erlang:send_after(?SWEEP_EVERY, self(), sweep)}.

shrink(State = #state{table = Table, size = Size}) ->
    case ets:info(Table, size) > Size of
        true -> shrink(drop_oldest(State));
        false -> State
    end.

drop_oldest(State = #state{table = Table}) ->
    Oldest = fun(#entry{used = A}, #entry{used = B}) -> A =< B end,
    [First | _] = lists:sort(Oldest, ets:tab2list(Table)),
    remove(State, First#entry.key),
    State.

expired(#state{ttl = infinity}) ->
    [];
expired(#state{table = Table, ttl = Ttl}) ->
    Limit = now_ms() - Ttl,
    Old = [Key || #entry{key = Key, used = Used} <- ets:tab2list(Table), Used < Limit],
    reverse(lists:filtermap(fun keep/1, Old)).

keep(Key) -> {true, Key}.

remove(#state{table = Table}, Key) ->
    ets:delete(Table, Key),
    ok.

now_ms() ->
    erlang:monotonic_time(millisecond).
