%% Two processes that wait for each other.
-module(lab_ping_pong).
-export([measure/2]).

measure(Rounds, Session) ->
    lab_session:sample(Session, Rounds, fun() -> none end, fun(none) ->
        Self = self(),
        Other = spawn_link(fun() -> answer(Self) end),
        Answer = play(Other, 0, Rounds),
        Other ! stop,
        Answer
    end).

play(_, Rounds, Rounds) ->
    ok;
play(Other, Number, Rounds) ->
    Other ! Number,
    receive
        Answer when Answer =:= Number + 1 -> play(Other, Answer, Rounds);
        Answer -> {wrong, {answer, Answer, to, Number}}
    end.

answer(Other) ->
    receive
        stop ->
            ok;
        Number ->
            Other ! Number + 1,
            answer(Other)
    end.
