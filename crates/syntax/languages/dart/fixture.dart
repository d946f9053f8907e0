library fixture;

import 'dart:async';

/// How many.
const limit = 3, other = 4;
//    ^^^^^ constant limit
//               ^^^^^ constant other
final Clock clock = Clock();
//          ^^^^^ constant clock
var ready = false, count;
//  ^^^^^ constant ready
//                 ^^^^^ constant count

typedef Handler<T> = void Function(T value);
//      ^^^^^^^ type Handler
typedef int Old(int code);
//          ^^^ type Old

/// Says what it says.
@immutable
abstract class Server<T extends Object> extends Base<T> with Logs implements Named, Runner {
//             ^^^^^^ class Server
  static const int max = 4;
//                 ^^^ constant Server.max
  final Repo repo;
//           ^^^^ field Server.repo
  String first = 'a', second;
//       ^^^^^ field Server.first
//                    ^^^^^^ field Server.second

  Server(this.repo, {required this.first, int port = 80}) : second = '', super(port) {
  // <- method Server.Server
    int nested(int n) => n;
//      ^^^^^^ function Server.Server.nested
  }
  const Server.named(int port);
//             ^^^^^ method Server.named
  Server._();
//       ^ method Server._
  factory Server.make(Map<String, dynamic> json) => Server.named(1);
//               ^^^^ method Server.make
  factory Server.other() = Special;
//               ^^^^^ method Server.other

  int get twice => limit * 2;
//        ^^^^^ method Server.twice
  set twice(int value) {}
//    ^^^^^ method Server.twice~f57d
  @override
  Future<List<T?>> run<R>(R start, [int? steps]) async {
//                 ^^^ method Server.run
    final local = 1;
    return [];
  }
  void later();
//     ^^^^^ method Server.later
  Server operator +(Server other) => this;
//                ^ method Server.+
  external static int native();
//                    ^^^^^^ method Server.native
}

mixin Logs on Base {
//    ^^^^ trait Logs
  void log(String line) {}
//     ^^^ method Logs.log
}

class Alias = Base with Logs;
//    ^^^^^ class Alias

extension Shout on String {
//        ^^^^^ class Shout
  String get shout => toUpperCase();
//           ^^^^^ method Shout.shout
}

extension on List<int> {
  int sum() => 0;
//    ^^^ method List.sum
}

extension type Id(int value) {
//             ^^ class Id
  bool get isNew => value == 0;
//         ^^^^^ method Id.isNew
}

enum Kind implements Named {
//   ^^^^ enum Kind
  first('f'),
  // <- constant Kind.first
  second('s');
  // <- constant Kind.second

  const Kind(this.sign);
//      ^^^^ method Kind.Kind
  final String sign;
//             ^^^^ field Kind.sign
  String label() => sign;
//       ^^^^^ method Kind.label
}

Clock get now => clock;
//        ^^^ function now
set now(Clock value) {}
//  ^^^ function now~587f
void main(List<String> arguments) => print(limit);
//   ^^^^ function main
