//! A file of everything.
const std = @import("std");
const Allocator = std.mem.Allocator;
//    ^^^^^^^^^ constant Allocator
pub const Foo = @import("foo.zig").Foo;
pub usingnamespace @import("more.zig");

pub const limit: usize = 10;
//        ^^^^^ constant limit
var counter: u32 = 0;
//  ^^^^^^^ constant counter
threadlocal var local: u8 = 0;
//              ^^^^^ constant local

/// Serves.
pub const Server = struct {
//        ^^^^^^ struct Server
    const Self = @This();
    const most = 3;
//        ^^^^ constant Server.most
    pub const Error = error{ Closed, Full };
//            ^^^^^ enum Server.Error
    allocator: Allocator,
    next: ?*Server = null,

    pub fn init(allocator: Allocator) !Server {
//         ^^^^ method Server.init
        const inside = 1;
        const Inner = struct {
//            ^^^^^ struct Server.init.Inner
            fn run() void {}
//             ^^^ method Server.init.Inner.run
        };
        _ = inside;
        return .{ .allocator = allocator };
    }

    const Nested = packed struct(u8) {
//        ^^^^^^ struct Server.Nested
        a: u8,
    };
};

pub fn List(comptime T: type) type {
//     ^^^^ struct List
    return struct {
        items: []T,
        pub fn get(self: @This(), at: usize) T {
//             ^^^ method List.get
            return self.items[at];
        }
    };
}

const Color = enum(u8) {
//    ^^^^^ enum Color
    red,
    green,
    pub fn name(color: Color) []const u8 {
//         ^^^^ method Color.name
        return @tagName(color);
    }
};

const Value = union(enum) { int: i64, text: []const u8 };
//    ^^^^^ struct Value
const Failed = error{Broken};
//    ^^^^^^ enum Failed
const Handle = opaque {};
//    ^^^^^^ struct Handle
const Callback = *const fn (a: u8) void;
//    ^^^^^^^^ constant Callback

extern "c" fn puts(text: [*:0]const u8) c_int;
//            ^^^^ function puts
export fn exported() callconv(.C) void {}
//        ^^^^^^^^ function exported
pub inline fn inlined() void {}
//            ^^^^^^^ function inlined

test "a server starts" {
//    ^^^^^^^^^^^^^^^ function a server starts
    const found = 1;
    try std.testing.expectEqual(1, found);
}

test List {
//   ^^^^ function List~6380
    _ = List(u8);
}

comptime {
    _ = Server;
}
