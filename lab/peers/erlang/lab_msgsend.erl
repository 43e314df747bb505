%% Ten clients each send numbers to one server, which adds them up.
-module(lab_msgsend).
-export([measure/2]).

-define(CLIENTS, 10).

measure(Each, Session) ->
    Count = ?CLIENTS * Each,
    Expected = ?CLIENTS * (Each * (Each - 1) div 2),
    lab_session:sample(Session, Count, fun() -> none end, fun(none) ->
        case ask(Each) of
            Expected -> ok;
            Total -> {wrong, {total, Total, expected, Expected}}
        end
    end).

%% Starts the server and the clients, and asks for the total when all clients have ended.
ask(Each) ->
    Serve = fun() -> serve(0, ?CLIENTS * Each) end,
    %% Up to a million messages wait: outside of the heap, they are not moved by its collector, and
    %% several clients can send at once.
    Server = spawn_opt(Serve, [{message_queue_data, off_heap}]),
    Client = fun() -> send(Server, 0, Each) end,
    Clients = [spawn_monitor(Client) || _ <- lists:seq(1, ?CLIENTS)],
    [
        receive
            {'DOWN', Monitor, process, _, normal} -> ok
        end
     || {_, Monitor} <- Clients
    ],
    Server ! {total, self()},
    receive
        {total_is, Total} -> Total
    end.

send(_, Each, Each) ->
    ok;
send(Server, Number, Each) ->
    Server ! Number,
    send(Server, Number + 1, Each).

%% Only messages of one sender come in order, so the question may overtake numbers.
serve(Total, 0) ->
    receive
        {total, From} -> From ! {total_is, Total}
    end;
serve(Total, Left) ->
    receive
        Number when is_integer(Number) -> serve(Total + Number, Left - 1)
    end.
