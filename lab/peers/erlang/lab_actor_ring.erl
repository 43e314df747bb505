%% A token goes round each of ten rings of 10,000 processes, which are started once. The token is a
%% number, which counts the hops of all samples.
-module(lab_actor_ring).
-export([measure/2]).

-define(RINGS, 10).
-define(ACTORS, 10000).

measure(Rounds, Session) ->
    Self = self(),
    Rings = [start(Rounds, Self) || _ <- lists:seq(1, ?RINGS)],
    lab_session:sample(Session, ?RINGS * ?ACTORS * Rounds, fun() -> none end, fun(none) ->
        [First ! go || First <- Rings],
        ends(?RINGS, ok)
    end).

%% Starts a ring and returns its first process.
start(Rounds, Main) ->
    Last = spawn_link(fun() ->
        receive
            {first, First} -> last(First, ?ACTORS - 1, Rounds, Rounds, Main)
        end
    end),
    Start = fun(Expected, Next) -> spawn_link(fun() -> member(Next, Expected) end) end,
    Second = lists:foldl(Start, Last, lists:seq(?ACTORS - 2, 1, -1)),
    First = spawn_link(fun() -> first(Second, 0) end),
    Last ! {first, First},
    First.

%% The first process begins each sample with the token that it expects.
first(Next, Expected) ->
    receive
        go -> Next ! Expected + 1;
        Expected -> Next ! Expected + 1;
        _ -> Next ! wrong
    end,
    first(Next, Expected + ?ACTORS).

member(Next, Expected) ->
    receive
        Expected -> Next ! Expected + 1;
        _ -> Next ! wrong
    end,
    member(Next, Expected + ?ACTORS).

%% The last process of a ring knows when the token has gone round as often as it has to.
last(First, Expected, Left, Rounds, Main) ->
    receive
        Expected when Left > 1 ->
            First ! Expected + 1,
            last(First, Expected + ?ACTORS, Left - 1, Rounds, Main);
        Expected ->
            Main ! ended,
            last(First, Expected + ?ACTORS, Rounds, Rounds, Main);
        Token ->
            Main ! {wrong, {token, Token, expected, Expected}}
    end.

ends(0, Answer) ->
    Answer;
ends(Left, Answer) ->
    receive
        ended -> ends(Left - 1, Answer);
        Wrong -> ends(Left - 1, Wrong)
    end.
