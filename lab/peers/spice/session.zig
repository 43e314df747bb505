//! Warms up, takes samples, and writes the answer to the lab.

const std = @import("std");

/// What the process has used until now.
const Usage = struct {
    counts: [6]i64 = .{0} ** 6,

    fn now() Usage {
        const used = std.posix.getrusage(std.posix.rusage.SELF);
        return .{ .counts = .{
            ns(used.utime), ns(used.stime), used.nvcsw,
            used.nivcsw,    used.minflt,    used.majflt,
        } };
    }

    fn ns(time: std.posix.timeval) i64 {
        const seconds: i64 = @intCast(time.tv_sec);
        const micros: i64 = @intCast(time.tv_usec);
        return seconds * std.time.ns_per_s + micros * std.time.ns_per_us;
    }

    fn cpu(self: Usage) i64 {
        return self.counts[0] + self.counts[1];
    }

    /// Adds the difference of two looks.
    fn add(self: *Usage, before: Usage, after: Usage) void {
        for (&self.counts, before.counts, after.counts) |*count, b, a| count.* += a - b;
    }
};

pub const Session = struct {
    warm_up_ns: u64,
    window_ns: u64,
    samples_min: u64,
    samples_max: u64,
    sample_ns: u64,
    items: i64 = 0,
    operations: u64 = 0,
    wall_ns: std.ArrayList(f64),
    cpu_ns: std.ArrayList(f64),
    usage: Usage = .{},

    /// Has the last five arguments of the program.
    pub fn init(allocator: std.mem.Allocator, effort: *const [5]u63) Session {
        return .{
            .warm_up_ns = @as(u64, effort[0]) *| std.time.ns_per_ms,
            .window_ns = @as(u64, effort[1]) *| std.time.ns_per_ms,
            .samples_min = effort[2],
            .samples_max = effort[3],
            .sample_ns = effort[4],
            .wall_ns = std.ArrayList(f64).init(allocator),
            .cpu_ns = std.ArrayList(f64).init(allocator),
        };
    }

    /// Measures an operation of this many items. Returns whether all answers were as expected.
    pub fn sample(
        self: *Session,
        items: i64,
        expected: i64,
        task: anytype,
        operation: anytype,
    ) bool {
        self.items = items;
        var start = std.time.Instant.now() catch return false;
        var done: u64 = 0;
        var step: u64 = 1;
        while (done == 0 or since(start) < self.warm_up_ns) {
            if (!repeat(step, expected, task, operation)) return false;
            done += step;
            // The clock must not be a part of what is estimated.
            step = @min(step * 2, 1 << 10);
        }
        const each = @max(1, since(start) / done);
        const batch = @max(1, (self.sample_ns + each - 1) / each);

        start = std.time.Instant.now() catch return false;
        while (!self.isEnough(since(start))) {
            const before = Usage.now();
            const begin = std.time.Instant.now() catch return false;
            if (!repeat(batch, expected, task, operation)) return false;
            const wall = since(begin);
            const after = Usage.now();
            self.usage.add(before, after);
            self.operations += batch;
            const per_batch: f64 = @floatFromInt(batch);
            const cpu: f64 = @floatFromInt(after.cpu() - before.cpu());
            self.wall_ns.append(@as(f64, @floatFromInt(wall)) / per_batch) catch return false;
            self.cpu_ns.append(cpu / per_batch) catch return false;
        }
        return true;
    }

    /// Writes what was measured.
    pub fn write(self: *const Session, output: anytype) !void {
        try output.print("{{\"protocol\":1,\"items\":{d},\"operations\":{d},", .{
            self.items, self.operations,
        });
        try writeList(output, "wall_ns", self.wall_ns.items);
        try writeList(output, "cpu_ns", self.cpu_ns.items);
        try output.print("\"usage\":{{\"cpu_ns\":{d}", .{self.usage.cpu()});
        const names = .{
            "user_ns",         "system_ns",    "ctx_voluntary",
            "ctx_involuntary", "faults_minor", "faults_major",
        };
        inline for (names, 0..) |name, place| {
            try output.print(",\"{s}\":{d}", .{ name, self.usage.counts[place] });
        }
        try output.print("}}}}\n", .{});
    }

    fn writeList(output: anytype, name: []const u8, numbers: []const f64) !void {
        try output.print("\"{s}\":[", .{name});
        for (numbers, 0..) |number, place| {
            try output.print("{s}{d:.3}", .{ if (place > 0) "," else "", number });
        }
        try output.print("],", .{});
    }

    fn isEnough(self: *const Session, passed_ns: u64) bool {
        const taken = self.wall_ns.items.len;
        if (taken >= self.samples_max) return true;
        return taken >= self.samples_min and passed_ns >= self.window_ns;
    }

    fn since(start: std.time.Instant) u64 {
        const now = std.time.Instant.now() catch return 0;
        return now.since(start);
    }

    /// Not inlined, so that warm-up and samples run the same machine code.
    noinline fn repeat(times: u64, expected: i64, task: anytype, operation: anytype) bool {
        for (0..times) |_| {
            if (operation.run(task) != expected) return false;
        }
        return true;
    }
};
