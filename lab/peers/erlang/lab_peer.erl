%% The lab's workloads in Erlang: spawned processes and their mailboxes. The lab compiles and starts
%% this program; its arguments and its answer are described in ../README.md.
-module(lab_peer).
-export([main/1]).

-spec main([string()]) -> no_return().
main(Arguments) ->
    %% The process that calls this one traps exits, and would get a message of each process that
    %% ends.
    {_, Monitor} = spawn_monitor(fun() -> answer(Arguments) end),
    receive
        {'DOWN', Monitor, process, _, normal} -> ok;
        {'DOWN', Monitor, process, _, Reason} -> lab_session:failed(Reason)
    end,
    %% Processes may still be there, and are not waited for.
    halt(0).

answer(Arguments) ->
    case run(Arguments) of
        {wrong, Wrong} -> lab_session:failed(Wrong);
        Session -> lab_session:done(Session)
    end.

run([Workload | Texts]) when length(Texts) =:= 7 ->
    [Size, _Jobs | Effort] = [list_to_integer(Text) || Text <- Texts],
    true = Size > 0,
    measure(Workload, Size, lab_session:new(Effort));
run(_) ->
    {wrong, 'README.md describes 8 arguments'}.

measure("msgsend", Size, Session) -> lab_msgsend:measure(Size, Session);
measure("ping-pong", Size, Session) -> lab_ping_pong:measure(Size, Session);
measure("token-ring", Size, Session) -> lab_ring:measure(100, Size, Session);
measure("threadring", Size, Session) -> lab_ring:measure(503, Size, Session);
measure("actor-ring", Size, Session) -> lab_actor_ring:measure(Size, Session);
measure("actor-pingpong", Size, Session) -> lab_actor_pingpong:measure(Size, Session);
measure(_, _, _) -> {wrong, 'no such workload here'}.
