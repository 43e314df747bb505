//! The lab's tree-sum in Zig, with Spice. The lab compiles and starts this program; its arguments
//! and its answer are described in ../README.md.

const std = @import("std");
const spice = @import("spice");
const Session = @import("session.zig").Session;

const Node = struct {
    value: i64,
    left: ?*Node = null,
    right: ?*Node = null,
};

/// The balanced tree of low to high, parents before children.
fn build(allocator: std.mem.Allocator, low: i64, high: i64) !?*Node {
    if (low > high) return null;
    const middle = low + @divTrunc(high - low, 2);
    const node = try allocator.create(Node);
    node.* = .{ .value = middle };
    node.left = try build(allocator, low, middle - 1);
    node.right = try build(allocator, middle + 1, high);
    return node;
}

/// The sum of a subtree, forking at each node that has two children.
fn sum(task: *spice.Task, node: *Node) i64 {
    const left = node.left orelse {
        const only = node.right orelse return node.value;
        return node.value + task.call(i64, sum, only);
    };
    const right = node.right orelse return node.value + task.call(i64, sum, left);
    var future = spice.Future(*Node, i64).init();
    future.fork(task, sum, right);
    const total = node.value + task.call(i64, sum, left);
    return total + (future.join(task) orelse task.call(i64, sum, right));
}

/// One operation for the session.
const Operation = struct {
    root: *Node,

    pub fn run(self: Operation, task: *spice.Task) i64 {
        return sum(task, self.root);
    }
};

/// What the pool runs: all samples, inside one call.
const Measuring = struct {
    session: *Session,
    root: *Node,
    expected: i64,
    size: i64,

    fn run(task: *spice.Task, self: *const Measuring) bool {
        const operation = Operation{ .root = self.root };
        return self.session.sample(self.size, self.expected, task, operation);
    }
};

fn measure(allocator: std.mem.Allocator, arguments: []const []const u8, session: *Session) !void {
    if (arguments.len != 9 or !std.mem.eql(u8, arguments[1], "tree-sum"))
        return error.NoSuchWorkload;
    var numbers: [7]u63 = undefined;
    for (&numbers, arguments[2..]) |*number, text| number.* = try std.fmt.parseInt(u63, text, 10);
    const size: i64 = numbers[0];
    const jobs = numbers[1];
    if (size == 0 or jobs == 0) return error.SizeAndJobsAreAtLeastOne;
    session.* = Session.init(allocator, numbers[2..7]);

    // Nodes of the C library, as they are in the lab's own rows.
    const root = (try build(std.heap.c_allocator, 1, size)).?;
    var pool = spice.ThreadPool.init(allocator);
    // The caller works, too.
    pool.start(.{ .background_worker_count = jobs - 1 });
    const measuring = Measuring{
        .session = session,
        .root = root,
        .expected = @divExact(size * (size + 1), 2),
        .size = size,
    };
    if (!pool.call(bool, Measuring.run, &measuring)) return error.WrongAnswer;
}

pub fn main() !void {
    const allocator = std.heap.c_allocator;
    const output = std.io.getStdOut().writer();
    var session: Session = undefined;
    measure(allocator, try std.process.argsAlloc(allocator), &session) catch |wrong| {
        try output.print("{{\"protocol\":1,\"error\":\"{s}\"}}\n", .{@errorName(wrong)});
        return;
    };
    try session.write(output);
}
