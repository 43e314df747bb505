import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Warms up, takes samples, and writes the answer to the lab. */
final class Session {
    /** What is measured. It throws where an answer is wrong. */
    interface Operation {
        void run() throws Exception;
    }

    /** A program: measures its workload. */
    interface Program {
        void measure(String workload, long size, int jobs, Session session) throws Exception;
    }

    private final long warmUpNs;
    private final long windowNs;
    private final long samplesMin;
    private final long samplesMax;
    private final long sampleNs;
    private final List<Double> wallNs = new ArrayList<>();
    private long items;
    private long operations;
    private long cpuNs;

    private Session(long[] effort) {
        warmUpNs = TimeUnit.MILLISECONDS.toNanos(effort[0]);
        windowNs = TimeUnit.MILLISECONDS.toNanos(effort[1]);
        samplesMin = effort[2];
        samplesMax = effort[3];
        sampleNs = effort[4];
    }

    /** Reads the arguments, has the program measure, and writes the answer. */
    static void answer(String[] arguments, Program program) {
        try {
            if (arguments.length != 8) {
                throw new IllegalArgumentException("README.md describes 8 arguments");
            }
            long[] numbers = new long[7];
            for (int place = 0; place < numbers.length; place++) {
                numbers[place] = Long.parseLong(arguments[place + 1]);
            }
            long[] effort = java.util.Arrays.copyOfRange(numbers, 2, 7);
            Session session = new Session(effort);
            program.measure(arguments[0], numbers[0], Math.toIntExact(numbers[1]), session);
            session.write();
        } catch (Exception | StackOverflowError | OutOfMemoryError wrong) {
            String text = wrong.toString().replaceAll("[^ -~]|[\"\\\\]", "?");
            System.out.println("{\"protocol\":1,\"error\":\"" + text + "\"}");
        }
        // Threads that wait must not keep the process alive.
        System.exit(0);
    }

    /**
     * Measures an operation of this many items. With a preparation, which is not timed, it is the
     * only one of its sample.
     */
    void sample(long items, Operation prepare, Operation operation) throws Exception {
        this.items = items;
        long start = System.nanoTime();
        long done = 0;
        for (long step = 1; done == 0 || System.nanoTime() - start < warmUpNs; ) {
            repeat(step, prepare, operation);
            done += step;
            // The clock must not be a part of what is estimated.
            step = prepare == null ? Math.min(step * 2, 1 << 10) : 1;
        }
        // The last operations were the fastest, once the compiler is done.
        long tried = Math.max(1, Math.min(done, 1 << 10));
        long again = System.nanoTime();
        repeat(prepare == null ? tried : 0, prepare, operation);
        double each = Math.max(0.1, (System.nanoTime() - again) / (double) tried);
        long batch = prepare == null ? Math.max(1, (long) Math.ceil(sampleNs / each)) : 1;

        start = System.nanoTime();
        while (!isEnough(System.nanoTime() - start)) {
            if (prepare != null) {
                prepare.run();
            }
            long cpu = processCpuNs();
            long begin = System.nanoTime();
            repeat(batch, null, operation);
            long wall = System.nanoTime() - begin;
            cpuNs += processCpuNs() - cpu;
            operations += batch;
            wallNs.add(wall / (double) batch);
        }
    }

    private static void repeat(long times, Operation prepare, Operation operation)
            throws Exception {
        for (; times > 0; times--) {
            if (prepare != null) {
                prepare.run();
            }
            operation.run();
        }
    }

    private boolean isEnough(long passedNs) {
        int taken = wallNs.size();
        return taken >= samplesMax || taken >= samplesMin && passedNs >= windowNs;
    }

    /** Processor time of all threads, with those of the compiler and of the collector. */
    private static long processCpuNs() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        return system instanceof com.sun.management.OperatingSystemMXBean
                ? ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime()
                : 0;
    }

    private void write() {
        String times = wallNs.stream().map(String::valueOf).collect(Collectors.joining(","));
        // The system counts ticks of 10 ms, so the sum of few of them says nothing.
        String usage = cpuNs >= 100_000_000 ? ",\"usage\":{\"cpu_ns\":" + cpuNs + "}" : "";
        System.out.println("{\"protocol\":1,\"items\":" + items + ",\"operations\":" + operations
                + ",\"wall_ns\":[" + times + "]" + usage + "}");
    }

    /** Compares an answer. */
    static void expect(long found, long expected) {
        if (found != expected) {
            throw new IllegalStateException(
                    "wrong answer: " + found + ", expected " + expected);
        }
    }
}
