package com.example.fixture

import scala.collection.mutable

/** Says what it says. */
@deprecated("now", "1.0")
final case class Server[T <: Ordered[T]](name: String, private val port: Int = 80)(implicit clock: Clock)
//               ^^^^^^ class Server
    extends Base(name) with Named[T] {

  val limit = 3
//    ^^^^^ field Server.limit
  private var count: Int = 0
//            ^^^^^ field Server.count
  lazy val repo: Repo = {
//         ^^^^ field Server.repo
    val inside = 1
    new Repo(inside)
  }
  val x, y = 2
//    ^ field Server.x
//       ^ field Server.y

  def this(port: Int) = this("a", port)
//    ^^^^ method Server.this

  override def run(steps: Step*)(using log: Log): List[Either[String, T]] = {
//             ^^^ method Server.run
    val local = 1
    def nested(n: Int): Int = n
//      ^^^^^^ function Server.run.nested
    val made = new Runnable {
      override def run(): Unit = ()
//                 ^^^ function Server.run.run
    }
    nested(local)
  }

  def later: Int
//    ^^^^^ method Server.later
  def +(other: Server[T]): Server[T] = other
//    ^ method Server.+
  type Out = List[T]
//     ^^^ type Server.Out
  class Part
//      ^^^^ class Server.Part
}

object Server {
//     ^^^^^^ class Server~bcd3
  val Max = 4
//    ^^^ field Server.Max
  def apply(name: String): Server[Int] = new Server(name)
//    ^^^^^ method Server.apply
  implicit class Rich(val text: String) extends AnyVal {
//               ^^^^ class Server.Rich
    def shout = text.toUpperCase
//      ^^^^^ method Server.Rich.shout
  }
}

sealed trait Shape { self: Drawable =>
//           ^^^^^ trait Shape
  val area: Double
//    ^^^^ field Shape.area
  def draw(): Unit
//    ^^^^ method Shape.draw
}

case object Dot extends Shape
//          ^^^ class Dot

enum Operation(val sign: String) derives Eq:
//   ^^^^^^^^^ enum Operation
  case Plus extends Operation("+")
//     ^^^^ constant Operation.Plus
  case Minus, Times
//     ^^^^^ constant Operation.Minus
//            ^^^^^ constant Operation.Times
  case Other(word: String)
//     ^^^^^ constant Operation.Other
  def apply(a: Int): Int = a
//    ^^^^^ method Operation.apply
end Operation

given ordering: Ordering[Shape] with
//    ^^^^^^^^ class ordering
  def compare(a: Shape, b: Shape): Int = 0
//    ^^^^^^^ method ordering.compare

extension (text: String)
  def shout: String = text.toUpperCase
//    ^^^^^ method String.shout
  def twice: String = text + text
//    ^^^^^ method String.twice

extension [A](list: List[A]) def second: A = list(1)
//                               ^^^^^^ method List.second

package object tools {
//             ^^^^^ module tools
  val default = 1
//    ^^^^^^^ field tools.default
}

package inner {
//      ^^^^^ module inner
  class Deep
//      ^^^^ class inner.Deep
}

opaque type Id = Long
//          ^^ type Id
val top = 1
//  ^^^ constant top
var ready: Boolean = false
//  ^^^^^ constant ready
@main def start(arguments: String*): Unit = println(top)
//        ^^^^^ function start
