%% Pairs of processes that answer each other. They are started once, and their messages are numbers,
%% which count those of all samples.
-module(lab_actor_pingpong).
-export([measure/2]).

-define(PAIRS, 100).

measure(Size, Session) ->
    Self = self(),
    Pairs = [start(Size, Self) || _ <- lists:seq(1, ?PAIRS)],
    lab_session:sample(Session, 2 * ?PAIRS * Size, fun() -> none end, fun(none) ->
        [Ping ! go || Ping <- Pairs],
        ends(?PAIRS, ok)
    end).

start(Size, Main) ->
    spawn_link(fun() ->
        Ping = self(),
        Pong = spawn_link(fun() -> pong(Ping, 0) end),
        begins(Pong, 0, Size, Main)
    end).

begins(Pong, Number, Size, Main) ->
    receive
        go ->
            Pong ! Number,
            ping(Pong, Number + 1, Size, Size, Main)
    end.

ping(Pong, Expected, Left, Size, Main) ->
    receive
        Expected when Left > 1 ->
            Pong ! Expected + 1,
            ping(Pong, Expected + 2, Left - 1, Size, Main);
        Expected ->
            Main ! ended,
            begins(Pong, Expected + 1, Size, Main);
        Number ->
            Main ! {wrong, {number, Number, expected, Expected}}
    end.

pong(Ping, Expected) ->
    receive
        Expected -> Ping ! Expected + 1;
        _ -> Ping ! wrong
    end,
    pong(Ping, Expected + 2).

ends(0, Answer) ->
    Answer;
ends(Left, Answer) ->
    receive
        ended -> ends(Left - 1, Answer);
        Wrong -> ends(Left - 1, Wrong)
    end.
