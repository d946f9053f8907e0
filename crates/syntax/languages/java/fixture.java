package com.example.fixture;

import java.util.List;

/** Says what it says. */
@Deprecated
public abstract sealed class Server<T extends Comparable<T>> extends Base implements Runnable, List<T> permits A, B {
//                           ^^^^^^ class Server
    public static final int LIMIT = 3;
//                          ^^^^^ constant Server.LIMIT
    private static final String NAME = "a", OTHER = "b";
//                              ^^^^ constant Server.NAME
//                                          ^^^^^ constant Server.OTHER
    private final Clock clock;
    private static int count;
    protected T value;
//              ^^^^^ field Server.value
    int open = 1, shut;
//      ^^^^ field Server.open
//                ^^^^ field Server.shut
    @Inject Repo repo;
//               ^^^^ field Server.repo

    static {
        count = 1;
    }

    public Server(Clock clock) {
//         ^^^^^^ method Server.Server
        super(clock);
    }

    @Override
    public void run() {
//              ^^^ method Server.run
        int local = 1;
        class Inside {
//            ^^^^^^ class Server.run.Inside
            void nested() {}
//               ^^^^^^ method Server.run.Inside.nested
        }
        Runnable later = new Runnable() {
            public void run() {}
//                      ^^^ method Server.run.run
        };
    }

    protected abstract <R> R reduce(R start, T... values) throws IOException;
//                           ^^^^^^ method Server.reduce

    static int[] numbers()[] { return null; }
//               ^^^^^^^ method Server.numbers

    interface Handler { int HANDLERS = 1; void handle(); default void twice() { handle(); } }
//            ^^^^^^^ interface Server.Handler
//                          ^^^^^^^^ constant Server.Handler.HANDLERS
//                                             ^^^^^^ method Server.Handler.handle
//                                                                    ^^^^^ method Server.Handler.twice
}

enum Operation implements Named {
//   ^^^^^^^^^ enum Operation
    PLUS("+") {
//  ^^^^ constant Operation.PLUS
        int apply(int a, int b) { return a + b; }
//          ^^^^^ method Operation.PLUS.apply
    },
    MINUS("-");
//  ^^^^^ constant Operation.MINUS

    private final String sign;

    Operation(String sign) { this.sign = sign; }
//  ^^^^^^^^^ method Operation.Operation
}

record Point(int x, int y) implements Shape {
//     ^^^^^ struct Point
    Point {
//  ^^^^^ method Point.Point
        assert x > 0;
    }
    static Point origin() { return new Point(0, 0); }
//               ^^^^^^ method Point.origin
}

@interface Marker {
//         ^^^^^^ interface Marker
    String value() default "";
//         ^^^^^ method Marker.value
}
