import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

/**
 * The lab's tree-sum in Java, with a ForkJoinPool. The lab compiles and starts this program; its
 * arguments and its answer are described in ../README.md.
 */
final class TreeSum {
    private static final class Node {
        final long value;
        Node left;
        Node right;

        Node(long value) {
            this.value = value;
        }
    }

    /**
     * The sum of a subtree, with a fork at each node that has two children. It is kept in a field,
     * because a RecursiveTask would have to make an object of each sum.
     */
    private static final class Sum extends RecursiveAction {
        private static final long serialVersionUID = 1;
        private final transient Node root;
        private long sum;

        Sum(Node root) {
            this.root = root;
        }

        @Override
        protected void compute() {
            sum = sum(root);
        }

        static long all(Node root) {
            Sum all = new Sum(root);
            all.invoke();
            return all.sum;
        }

        private static long sum(Node node) {
            if (node.left != null && node.right != null) {
                Sum right = new Sum(node.right);
                right.fork();
                long left = sum(node.left);
                right.join();
                return node.value + left + right.sum;
            }
            if (node.left != null) {
                return node.value + sum(node.left);
            }
            return node.right != null ? node.value + sum(node.right) : node.value;
        }
    }

    /** The balanced tree of low to high, parents before children. */
    private static Node build(long low, long high) {
        if (low > high) {
            return null;
        }
        long middle = low + (high - low) / 2;
        Node node = new Node(middle);
        node.left = build(low, middle - 1);
        node.right = build(middle + 1, high);
        return node;
    }

    private static void measure(String workload, long size, int jobs, Session session)
            throws Exception {
        if (!workload.equals("tree-sum") || size < 1) {
            throw new IllegalArgumentException("there is no such workload here");
        }
        Node root = build(1, size);
        long expected = size * (size + 1) / 2;
        // All operations are inside one call into the pool.
        new ForkJoinPool(jobs).submit(() -> {
            session.sample(size, null, () -> Session.expect(Sum.all(root), expected));
            return null;
        }).get();
    }

    public static void main(String[] arguments) {
        Session.answer(arguments, TreeSum::measure);
    }
}
