import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The lab's actors in Java, with Pekko's typed actors. The lab compiles and starts this program;
 * its arguments and its answer are described in ../README.md.
 */
final class Actors {
    private static final int RINGS = 10;
    private static final int ACTORS = 10_000;
    private static final int PAIRS = 100;

    /** Stands for a number that was not the one expected. */
    private static final Long WRONG = -1L;

    /** What the actors tell the thread that measures. */
    private static final class Ends {
        private final AtomicBoolean isWrong = new AtomicBoolean();
        private volatile CountDownLatch left = new CountDownLatch(0);

        void expect(int count) {
            left = new CountDownLatch(count);
        }

        void end(boolean isRight) {
            if (!isRight) {
                isWrong.set(true);
            }
            left.countDown();
        }

        void await() throws InterruptedException {
            left.await();
            if (isWrong.get()) {
                throw new IllegalStateException("a message came out of turn");
            }
        }
    }

    /** Passes numbers on, and counts those that have come back to it. */
    private static final class Counter {
        private final Ends ends;
        private final long size;
        private long left;

        Counter(Ends ends, long size) {
            this.ends = ends;
            this.size = size;
            left = size;
        }

        /** A number is here. Returns whether there is another round. */
        boolean goesOn(boolean isRight) {
            left--;
            if (left > 0 && isRight) {
                return true;
            }
            left = size;
            ends.end(isRight);
            return false;
        }
    }

    /** The first actor of a ring, which the last one knows once all have been started. */
    private static final class First {
        // Written before the first message, which is read from a queue.
        private ActorRef<Long> actor;
    }

    /** An actor of a ring. The token is a number, which counts the hops of all samples. */
    private static final class Member {
        private final ActorRef<Long> next;
        private long expected;

        Member(ActorRef<Long> next, long expected) {
            this.next = next;
            this.expected = expected;
        }

        Behavior<Long> handle(Long token) {
            boolean isRight = token == expected;
            expected += ACTORS;
            next.tell(isRight ? (Long) (token + 1) : WRONG);
            return Behaviors.same();
        }
    }

    /** The last actor of a ring knows when the token has gone round as often as it has to. */
    private static final class Last {
        private final First first;
        private final Counter counter;
        private long expected = ACTORS - 1;

        Last(First first, Counter counter) {
            this.first = first;
            this.counter = counter;
        }

        Behavior<Long> handle(Long token) {
            boolean isRight = token == expected;
            expected += ACTORS;
            if (counter.goesOn(isRight)) {
                first.actor.tell(token + 1);
            }
            return Behaviors.same();
        }
    }

    /** Starts a ring. Returns its first actor. */
    private static ActorRef<Long> ring(ActorContext<Void> context, Ends ends, long rounds) {
        First first = new First();
        Last last = new Last(first, new Counter(ends, rounds));
        ActorRef<Long> next = context.spawnAnonymous(Behaviors.receiveMessage(last::handle));
        for (int expected = ACTORS - 2; expected >= 0; expected--) {
            Member member = new Member(next, expected);
            next = context.spawnAnonymous(Behaviors.receiveMessage(member::handle));
        }
        first.actor = next;
        return next;
    }

    /** Sends numbers, and checks the answers. Its first message of a sample is from outside. */
    private static final class Ping {
        private final ActorRef<Long> pong;
        private final Counter counter;
        private long expected;
        private boolean begins = true;

        Ping(ActorRef<Long> pong, Counter counter) {
            this.pong = pong;
            this.counter = counter;
        }

        Behavior<Long> handle(Long number) {
            boolean isRight = number == expected;
            if (begins && isRight) {
                begins = false;
                expected++;
                pong.tell(number);
            } else if (counter.goesOn(isRight)) {
                expected += 2;
                pong.tell(number + 1);
            } else {
                begins = true;
                expected++;
            }
            return Behaviors.same();
        }
    }

    /** Answers each number with the next one. */
    private static final class Pong {
        private final First ping;
        private long expected;

        Pong(First ping) {
            this.ping = ping;
        }

        Behavior<Long> handle(Long number) {
            boolean isRight = number == expected;
            expected += 2;
            ping.actor.tell(isRight ? (Long) (number + 1) : WRONG);
            return Behaviors.same();
        }
    }

    /** Starts a pair. Returns the actor that begins. */
    private static ActorRef<Long> pair(ActorContext<Void> context, Ends ends, long size) {
        First first = new First();
        Pong pong = new Pong(first);
        ActorRef<Long> other = context.spawnAnonymous(Behaviors.receiveMessage(pong::handle));
        Ping ping = new Ping(other, new Counter(ends, size));
        first.actor = context.spawnAnonymous(Behaviors.receiveMessage(ping::handle));
        return first.actor;
    }

    /** Starts the actors to which a sample's first messages go. */
    private interface Start {
        ActorRef<Long> start(ActorContext<Void> context);
    }

    /** Starts {@code count} of them within a system of {@code jobs} threads. */
    private static List<ActorRef<Long>> start(int count, int jobs, Start start) throws Exception {
        String executor = "pekko.actor.default-dispatcher.fork-join-executor.parallelism-";
        String settings = executor + "min = " + jobs + "\n" + executor + "max = " + jobs + "\n"
                + "pekko.loglevel = \"OFF\"\npekko.stdout-loglevel = \"OFF\"\n";
        CompletableFuture<List<ActorRef<Long>>> started = new CompletableFuture<>();
        Behavior<Void> guardian = Behaviors.setup(context -> {
            List<ActorRef<Long>> actors = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                actors.add(start.start(context));
            }
            started.complete(actors);
            return Behaviors.empty();
        });
        Config config = ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
        ActorSystem.create(guardian, "lab", config);
        return started.get();
    }

    private static void measure(String workload, long size, int jobs, Session session)
            throws Exception {
        if (size < 1) {
            throw new IllegalArgumentException("the size is 1 at least");
        }
        Ends ends = new Ends();
        switch (workload) {
            case "actor-ring":
                sample(start(RINGS, jobs, context -> ring(context, ends, size)), ends,
                        RINGS * ACTORS * size, ACTORS * size, session);
                break;
            case "actor-pingpong":
                sample(start(PAIRS, jobs, context -> pair(context, ends, size)), ends,
                        2 * PAIRS * size, 2 * size, session);
                break;
            default:
                throw new IllegalArgumentException("no such workload here");
        }
    }

    /** From the first message, from outside, to the last. A sample counts {@code numbers} on. */
    private static void sample(List<ActorRef<Long>> firsts, Ends ends, long messages, long numbers,
            Session session) throws Exception {
        long[] number = {0};
        session.sample(messages, () -> ends.expect(firsts.size()), () -> {
            firsts.forEach(first -> first.tell(number[0]));
            ends.await();
            number[0] += numbers;
        });
    }

    public static void main(String[] arguments) {
        Session.answer(arguments, Actors::measure);
    }
}
