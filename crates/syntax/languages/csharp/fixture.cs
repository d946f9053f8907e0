using System;

namespace Example.Fixtures
//                ^^^^^^^^ module Example.Fixtures
{
    /// <summary>Says what it says.</summary>
    [Serializable]
    public abstract partial class Server<T> : Base, IRunner<T> where T : class, new()
//                                ^^^^^^ class Example.Fixtures.Server
    {
        public const int Limit = 3, Other = 4;
//                       ^^^^^ constant Example.Fixtures.Server.Limit
//                                  ^^^^^ constant Example.Fixtures.Server.Other
        private static readonly string Name = "a";
//                                     ^^^^ constant Example.Fixtures.Server.Name
        private readonly IClock clock;
        protected T value;
//                  ^^^^^ field Example.Fixtures.Server.value

        public Server(IClock clock) : base(clock) { this.clock = clock; }
//             ^^^^^^ method Example.Fixtures.Server.Server
        ~Server() { }
//       ^^^^^^ method Example.Fixtures.Server.Server~d0f1

        public string Title { get; private set; } = "a";
//                    ^^^^^ field Example.Fixtures.Server.Title
        public int Twice => Limit * 2;
//                 ^^^^^ field Example.Fixtures.Server.Twice
        public int this[int at] { get => at; }
//                 ^^^^ field Example.Fixtures.Server.this
        public event EventHandler Changed;
//                                ^^^^^^^ field Example.Fixtures.Server.Changed
        public event Action Closed { add { } remove { } }
//                          ^^^^^^ field Example.Fixtures.Server.Closed

        [Obsolete]
        public async Task<List<T?>> Run<R>(R start, params int[] steps) where R : struct
//                                  ^^^ method Example.Fixtures.Server.Run
        {
            const int inside = 1;
            int Nested(int n) => n;
//              ^^^^^^ function Example.Fixtures.Server.Run.Nested
            await Nested(inside);
        }

        protected abstract void Later();
//                              ^^^^^ method Example.Fixtures.Server.Later
        int IRunner<T>.Hidden() => 1;
//                     ^^^^^^ method Example.Fixtures.Server.Hidden
        public static Server<T> operator +(Server<T> a, Server<T> b) => a;
//                                       ^ method Example.Fixtures.Server.+
        public static implicit operator int(Server<T> server) => 1;
//                                      ^^^ method Example.Fixtures.Server.int

        private class Part { }
//                    ^^^^ class Example.Fixtures.Server.Part
        public delegate void Handler(int code);
//                           ^^^^^^^ type Example.Fixtures.Server.Handler
    }

    public interface IRunner<T> : IDisposable
//                   ^^^^^^^ interface Example.Fixtures.IRunner
    {
        int Count { get; }
//          ^^^^^ field Example.Fixtures.IRunner.Count
        void Start();
//           ^^^^^ method Example.Fixtures.IRunner.Start
    }

    internal enum Kind : byte
//                ^^^^ enum Example.Fixtures.Kind
    {
        First = 1,
//      ^^^^^ constant Example.Fixtures.Kind.First
        Second,
//      ^^^^^^ constant Example.Fixtures.Kind.Second
    }

    public record Point(int X, int Y) : Shape(X);
//                ^^^^^ struct Example.Fixtures.Point
    public readonly record struct Size(int Width);
//                                ^^^^ struct Example.Fixtures.Size

    public static class Extensions
//                      ^^^^^^^^^^ class Example.Fixtures.Extensions
    {
        public static int Twice(this int n) => n * 2;
//                        ^^^^^ method Example.Fixtures.Extensions.int.Twice
        public static T Second<T>(this List<T> list, int from = 0) { return list[1]; }
//                      ^^^^^^ method Example.Fixtures.Extensions.List.Second
    }

    public struct Pair
//                ^^^^ struct Example.Fixtures.Pair
    {
        public int First;
//                 ^^^^^ field Example.Fixtures.Pair.First
#if DEBUG
        public void Show() { }
//                  ^^^^ method Example.Fixtures.Pair.Show
#endif
    }
}
