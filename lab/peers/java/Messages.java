import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The lab's messages in Java, between virtual threads, which Java has from 21 on. The lab compiles
 * and starts this program; its arguments and its answer are described in ../README.md.
 */
final class Messages {
    private static final int CLIENTS = 10;

    /** Goes round after the last hop. */
    private static final long END = 0;

    /** A number, or a question if it has a place for the answer. */
    private record Request(long number, CompletableFuture<Long> reply) {}

    private static void msgsend(long each, Session session) throws Exception {
        long expected = CLIENTS * (each * (each - 1) / 2);
        session.sample(CLIENTS * each, null, () -> Session.expect(askForTotal(each), expected));
    }

    /** Starts the server and the clients, and asks for the total when all clients have ended. */
    private static long askForTotal(long each) throws Exception {
        BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
        Thread.startVirtualThread(() -> unlessInterrupted(() -> serve(requests)));
        Thread[] clients = new Thread[CLIENTS];
        for (int client = 0; client < CLIENTS; client++) {
            clients[client] = Thread.startVirtualThread(() -> unlessInterrupted(() -> {
                for (long number = 0; number < each; number++) {
                    requests.put(new Request(number, null));
                }
            }));
        }
        for (Thread client : clients) {
            client.join();
        }
        CompletableFuture<Long> reply = new CompletableFuture<>();
        requests.put(new Request(0, reply));
        return reply.get();
    }

    /** Adds up numbers until it is asked. What was put in before the question comes before it. */
    private static void serve(BlockingQueue<Request> requests) throws InterruptedException {
        long total = 0;
        Request request = requests.take();
        for (; request.reply() == null; request = requests.take()) {
            total += request.number();
        }
        request.reply().complete(total);
    }

    private static void pingPong(long rounds, Session session) throws Exception {
        session.sample(rounds, null, () -> {
            BlockingQueue<Long> there = new ArrayBlockingQueue<>(1);
            BlockingQueue<Long> back = new ArrayBlockingQueue<>(1);
            Thread.startVirtualThread(() -> unlessInterrupted(() -> {
                for (long round = 0; round < rounds; round++) {
                    back.put(there.take() + 1);
                }
            }));
            for (long number = 0; number < rounds; number++) {
                there.put(number);
                Session.expect(back.take(), number + 1);
            }
        });
    }

    /** A ring of virtual threads, and a queue from each to its right neighbour. */
    private static final class Ring {
        private final long hops;
        private final BlockingQueue<Long>[] queues;
        private final AtomicLong last = new AtomicLong(-1);
        private final AtomicBoolean isWrong = new AtomicBoolean();

        @SuppressWarnings({"unchecked", "rawtypes"})
        Ring(int tasks, long hops) {
            this.hops = hops;
            queues = new BlockingQueue[tasks];
            for (int task = 0; task < tasks; task++) {
                queues[task] = new ArrayBlockingQueue<>(1);
            }
        }

        /** From the first start until all have ended. */
        void goRound() throws InterruptedException {
            Thread[] threads = new Thread[queues.length];
            for (int task = 0; task < threads.length; task++) {
                int number = task;
                threads[task] =
                        Thread.startVirtualThread(() -> unlessInterrupted(() -> handOn(number)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            if (isWrong.get()) {
                throw new IllegalStateException("a hop came out of turn");
            }
            Session.expect(last.get(), hops % queues.length);
        }

        /** Passes the token on. Hop n ends at task n modulo the number of tasks. */
        private void handOn(int task) throws InterruptedException {
            int tasks = queues.length;
            BlockingQueue<Long> left = queues[(task + tasks - 1) % tasks];
            BlockingQueue<Long> right = queues[task];
            long next = task;
            if (task == 0) {
                right.put(1L);
                next = tasks;
            }
            long hop = left.take();
            for (; hop == next && hop != hops; hop = left.take()) {
                right.put(hop + 1);
                next += tasks;
            }
            if (hop == next) {
                last.set(task);
            } else if (hop != END) {
                isWrong.set(true);
            }
            // The task of the last hop is gone, and hears nothing.
            right.put(END);
        }
    }

    private static void passToken(int tasks, long hops, Session session) throws Exception {
        Ring[] ring = new Ring[1];
        session.sample(hops, () -> ring[0] = new Ring(tasks, hops), () -> ring[0].goRound());
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    /** Nothing interrupts these threads; the libraries want to know what would happen. */
    private static void unlessInterrupted(Body body) {
        try {
            body.run();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void measure(String workload, long size, int jobs, Session session)
            throws Exception {
        if (size < 1) {
            throw new IllegalArgumentException("the size is 1 at least");
        }
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                switch (workload) {
                    case "msgsend" -> msgsend(size, session);
                    case "ping-pong" -> pingPong(size, session);
                    case "token-ring" -> passToken(100, size, session);
                    case "threadring" -> passToken(503, size, session);
                    default -> throw new IllegalArgumentException("no such workload here");
                }
                end.complete(null);
            } catch (Throwable wrong) {
                end.completeExceptionally(wrong);
            }
        });
        end.get();
    }

    public static void main(String[] arguments) {
        Session.answer(arguments, Messages::measure);
    }
}
