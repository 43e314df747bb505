%% Warms up, takes samples, and writes the answer to the lab.
-module(lab_session).
-export([new/1, sample/4, done/1, failed/1]).
-export_type([session/0]).

-record(session, {
    warm_up :: non_neg_integer(),
    window :: non_neg_integer(),
    samples_min :: non_neg_integer(),
    samples_max :: non_neg_integer(),
    items = 0 :: non_neg_integer(),
    %% Wall time of each sample in nanoseconds, the last one first.
    wall = [] :: [number()],
    cpu_ms = 0 :: non_neg_integer()
}).

-opaque session() :: #session{}.

%% Has the last five arguments of the program. The last of all is 0 for messages: an operation is a
%% sample.
-spec new([non_neg_integer()]) -> session().
new([WarmUp, Window, SamplesMin, SamplesMax, _]) ->
    #session{
        warm_up = WarmUp * 1000000,
        window = Window * 1000000,
        samples_min = SamplesMin,
        samples_max = SamplesMax
    }.

%% Measures an operation of this many items. Preparation is not timed, and what it returns is what
%% the operation has. An operation returns ok or what was wrong.
-spec sample(session(), pos_integer(), fun(() -> T), fun((T) -> ok | {wrong, term()})) ->
    session() | {wrong, term()}.
sample(Session = #session{warm_up = WarmUp}, Items, Prepare, Operation) ->
    case warm_up(now_ns() + WarmUp, Prepare, Operation) of
        ok -> samples(Session#session{items = Items}, now_ns(), Prepare, Operation);
        Wrong -> Wrong
    end.

warm_up(End, Prepare, Operation) ->
    case Operation(Prepare()) of
        ok ->
            case now_ns() < End of
                true -> warm_up(End, Prepare, Operation);
                false -> ok
            end;
        Wrong ->
            Wrong
    end.

samples(Session = #session{wall = Wall, cpu_ms = Cpu}, Begin, Prepare, Operation) ->
    Prepared = Prepare(),
    CpuBefore = cpu_ms(),
    Start = now_ns(),
    Answer = Operation(Prepared),
    Took = now_ns() - Start,
    CpuTook = cpu_ms() - CpuBefore,
    case Answer of
        ok ->
            Next = Session#session{wall = [Took | Wall], cpu_ms = Cpu + CpuTook},
            case is_enough(Next, now_ns() - Begin) of
                true -> Next;
                false -> samples(Next, Begin, Prepare, Operation)
            end;
        Wrong ->
            Wrong
    end.

is_enough(#session{wall = Wall, samples_min = Min, samples_max = Max, window = Window}, Passed) ->
    Taken = length(Wall),
    Taken >= Max orelse (Taken >= Min andalso Passed >= Window).

%% Writes what was measured.
-spec done(session()) -> ok.
done(#session{items = Items, wall = Wall, cpu_ms = Cpu}) ->
    Times = lists:join($,, [integer_to_list(Took) || Took <- lists:reverse(Wall)]),
    io:format(
        "{\"protocol\":1,\"items\":~b,\"operations\":~b,\"wall_ns\":[~s]~s}~n",
        [Items, length(Wall), Times, usage(Cpu)]
    ).

%% Less than a millisecond is not known.
usage(0) -> "";
usage(Cpu) -> io_lib:format(",\"usage\":{\"cpu_ns\":~b}", [Cpu * 1000000]).

%% Writes what was wrong.
-spec failed(term()) -> ok.
failed(Wrong) ->
    Text = lists:flatten(io_lib:format("~0p", [Wrong])),
    io:format("{\"protocol\":1,\"error\":\"~s\"}~n", [[escape(Letter) || Letter <- Text]]).

escape(Letter) when Letter =:= $"; Letter =:= $\\ -> [$\\, Letter];
escape(Letter) when Letter < 32; Letter > 126 -> $?;
escape(Letter) -> Letter.

now_ns() ->
    erlang:monotonic_time(nanosecond).

%% Processor time of all threads until now. The system counts milliseconds.
cpu_ms() ->
    {Total, _} = erlang:statistics(runtime),
    Total.
