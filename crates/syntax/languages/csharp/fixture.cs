using System;

namespace Example.Fixtures
{
    /// <summary>Says what it says.</summary>
    [Serializable]
    public abstract partial class Server<T> : Base, IRunner<T> where T : class, new()
//                                ^^^^^^ class Server
    {
        public const int Limit = 3, Other = 4;
//                       ^^^^^ constant Server.Limit
//                                  ^^^^^ constant Server.Other
        private static readonly string Name = "a";
//                                     ^^^^ constant Server.Name
        private readonly IClock clock;
        protected T value;
//                  ^^^^^ field Server.value

        public Server(IClock clock) : base(clock) { this.clock = clock; }
//             ^^^^^^ method Server.Server
        ~Server() { }
//       ^^^^^^ method Server.Server~d0f1

        public string Title { get; private set; } = "a";
//                    ^^^^^ field Server.Title
        public int Twice => Limit * 2;
//                 ^^^^^ field Server.Twice
        public int this[int at] { get => at; }
//                 ^^^^ field Server.this
        public event EventHandler Changed;
//                                ^^^^^^^ field Server.Changed
        public event Action Closed { add { } remove { } }
//                          ^^^^^^ field Server.Closed

        [Obsolete]
        public async Task<List<T?>> Run<R>(R start, params int[] steps) where R : struct
//                                  ^^^ method Server.Run
        {
            const int inside = 1;
            int Nested(int n) => n;
//              ^^^^^^ function Server.Run.Nested
            await Nested(inside);
        }

        protected abstract void Later();
//                              ^^^^^ method Server.Later
        int IRunner<T>.Hidden() => 1;
//                     ^^^^^^ method Server.Hidden
        public static Server<T> operator +(Server<T> a, Server<T> b) => a;
//                                       ^ method Server.+
        public static implicit operator int(Server<T> server) => 1;
//                                      ^^^ method Server.int

        private class Part { }
//                    ^^^^ class Server.Part
        public delegate void Handler(int code);
//                           ^^^^^^^ type Server.Handler
    }

    public interface IRunner<T> : IDisposable
//                   ^^^^^^^ interface IRunner
    {
        int Count { get; }
//          ^^^^^ field IRunner.Count
        void Start();
//           ^^^^^ method IRunner.Start
    }

    internal enum Kind : byte
//                ^^^^ enum Kind
    {
        First = 1,
//      ^^^^^ constant Kind.First
        Second,
//      ^^^^^^ constant Kind.Second
    }

    namespace Inner { class Deep { } }
//            ^^^^^ module Inner
//                          ^^^^ class Inner.Deep

    public record Point(int X, int Y) : Shape(X);
//                ^^^^^ struct Point
    public readonly record struct Size(int Width);
//                                ^^^^ struct Size

    public static class Extensions
//                      ^^^^^^^^^^ class Extensions
    {
        public static int Twice(this int n) => n * 2;
//                        ^^^^^ method Extensions.int.Twice
        public static T Second<T>(this List<T> list, int from = 0) { return list[1]; }
//                      ^^^^^^ method Extensions.List.Second
    }

    public struct Pair
//                ^^^^ struct Pair
    {
        public int First;
//                 ^^^^^ field Pair.First
#if DEBUG
        public void Show() { }
//                  ^^^^ method Pair.Show
#endif
    }
}
