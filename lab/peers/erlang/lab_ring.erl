%% A token goes round a ring of processes: token-ring and threadring. Hop N ends at task N modulo
%% the number of tasks.
-module(lab_ring).
-export([measure/3]).

measure(Tasks, Hops, Session) ->
    lab_session:sample(Session, Hops, fun() -> none end, fun(none) ->
        go_round(Tasks, Hops)
    end).

%% From the first spawn until all processes have said that they end.
go_round(Tasks, Hops) ->
    Self = self(),
    %% Task 0 is started first, and gets to know its right neighbour last.
    First = spawn_link(fun() ->
        receive
            {right, Right} ->
                Right ! 1,
                hand_on(0, Tasks, Tasks, Hops, Right, Self)
        end
    end),
    Start = fun(Task, Right) ->
        spawn_link(fun() -> hand_on(Task, Task, Tasks, Hops, Right, Self) end)
    end,
    First ! {right, lists:foldl(Start, First, lists:seq(Tasks - 1, 1, -1))},
    ends(Tasks, Hops rem Tasks, ok).

%% Passes the token on, until it was the last hop, or the end comes round.
hand_on(Task, Next, Tasks, Hops, Right, Main) ->
    receive
        Hops when Hops =:= Next ->
            Right ! stop,
            Main ! {last, Task};
        Next ->
            Right ! Next + 1,
            hand_on(Task, Next + Tasks, Tasks, Hops, Right, Main);
        stop ->
            Right ! stop,
            Main ! ended;
        Hop ->
            Right ! stop,
            Main ! {wrong, {hop, Hop, at, Task}}
    end.

ends(0, none, Answer) ->
    Answer;
ends(0, Last, ok) ->
    {wrong, {no_last_hop_at, Last}};
ends(0, _, Wrong) ->
    Wrong;
ends(Left, Last, Answer) ->
    receive
        ended -> ends(Left - 1, Last, Answer);
        {last, Last} -> ends(Left - 1, none, Answer);
        {last, Task} -> ends(Left - 1, Last, {wrong, {last_hop_at, Task}});
        {wrong, Wrong} -> ends(Left - 1, Last, {wrong, Wrong})
    end.
