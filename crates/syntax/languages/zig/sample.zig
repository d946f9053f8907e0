//! A cache with a bound: what was used longest ago is forgotten first.

const std = @import("std");
const builtin = @import("builtin");
const clock = @import("clock.zig");
const Metrics = @import("metrics.zig").Metrics;
pub const Entry = @import("entry.zig").Entry;

const Allocator = std.mem.Allocator;
const assert = std.debug.assert;
const log = std.log.scoped(.cache);

/// How many values a cache keeps when nobody says.
pub const default_capacity: usize = 128;

var caches_made: usize = 0;

/// Why a value cannot be had.
pub const Error = error{
    Missing,
    Expired,
} || Allocator.Error;

pub const Policy = enum {
    forget_oldest,
    refuse,

    /// Whether a full cache still takes values.
    pub fn takesMore(policy: Policy) bool {
        return switch (policy) {
            .forget_oldest => true,
            .refuse => false,
        };
    }
};

pub const Options = struct {
    capacity: usize = default_capacity,
    policy: Policy = .forget_oldest,
    clock: *const clock.Clock,
};

/// A cache of values of one type.
pub fn Cache(comptime Value: type) type {
    return struct {
        const Self = @This();
        const Node = std.DoublyLinkedList(Slot).Node;

        allocator: Allocator,
        options: Options,
        map: std.StringHashMapUnmanaged(*Node) = .{},
        list: std.DoublyLinkedList(Slot) = .{},
        metrics: ?*Metrics = null,

        const Slot = struct {
            key: []const u8,
            value: Value,
            entry: Entry,
        };

        pub fn init(allocator: Allocator, options: Options) Self {
            caches_made += 1;
            return .{ .allocator = allocator, .options = options };
        }

        pub fn deinit(self: *Self) void {
            var node = self.list.first;
            while (node) |current| {
                node = current.next;
                self.release(current);
            }
            self.map.deinit(self.allocator);
        }

        /// The value of a key, which is the most recent one from now on.
        pub fn get(self: *Self, key: []const u8) Error!Value {
            const node = self.map.get(key) orelse return error.Missing;
            if (node.data.entry.isExpired(self.options.clock.now())) {
                self.remove(node);
                return error.Expired;
            }
            self.list.remove(node);
            self.list.prepend(node);
            if (self.metrics) |metrics| metrics.hit();
            return node.data.value;
        }

        pub fn put(self: *Self, key: []const u8, value: Value) Error!void {
            if (self.map.count() >= self.options.capacity) {
                if (!self.options.policy.takesMore()) return;
                self.remove(self.list.last.?);
            }
            const node = try self.allocator.create(Node);
            errdefer self.allocator.destroy(node);
            const made = Entry{ .since = self.options.clock.now() };
            node.data = Slot{ .key = try self.allocator.dupe(u8, key), .value = value, .entry = made };
            try self.map.put(self.allocator, node.data.key, node);
            self.list.prepend(node);
            log.debug("put {s}", .{key});
        }

        fn remove(self: *Self, node: *Node) void {
            assert(self.map.remove(node.data.key));
            self.list.remove(node);
            self.release(node);
        }

        fn release(self: *Self, node: *Node) void {
            self.allocator.free(node.data.key);
            self.allocator.destroy(node);
        }
    };
}

/// Fills a cache from lines of `key=value`.
pub fn fill(cache: *Cache([]const u8), text: []const u8) Error!usize {
    var lines = std.mem.splitScalar(u8, text, '\n');
    var count: usize = 0;
    while (lines.next()) |line| {
        const at = std.mem.indexOfScalar(u8, line, '=') orelse continue;
        try cache.put(line[0..at], line[at + 1 ..]);
        count += 1;
    }
    return count;
}

extern fn cache_hook(size: usize) void;

export fn cache_version() u32 {
    return if (builtin.mode == .Debug) 0 else 1;
}

test "what was used longest ago is forgotten first" {
    const allocator = std.testing.allocator;
    var fake = clock.Fake.init();
    var cache = Cache(u32).init(allocator, Options{ .capacity = 2, .clock = &fake.clock });
    defer cache.deinit();

    try cache.put("a", 1);
    try cache.put("b", 2);
    _ = try cache.get("a");
    try cache.put("c", 3);
    try std.testing.expectError(error.Missing, cache.get("b"));
}
