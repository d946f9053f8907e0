@file:JvmName("Fixture")
package com.example.fixture

import kotlin.math.max

/** How many. */
const val LIMIT = 3
//        ^^^^^ constant LIMIT
private val log: Logger = Logger("a")
//          ^^^ constant log
val lazyOne by lazy { Logger("b") }
//  ^^^^^^^ constant lazyOne
var ready = false
//  ^^^^^ constant ready
val String.shout: String
//         ^^^^^ field String.shout
    get() = uppercase()
val List<Int>?.orNone get() = this
//             ^^^^^^ field List.orNone

typealias Handler<T> = (T) -> Unit
//        ^^^^^^^ type Handler

@Serializable
data class Server<T : Any>(val name: String, private var port: Int = 80) : Base(name), Named, Other by other {
//         ^^^^^^ class Server
    private val clock: Clock = Clock()
//              ^^^^^ field Server.clock
    var count: Int = 0
//      ^^^^^ field Server.count
        private set
    val twice: Int get() = count * 2
//      ^^^^^ field Server.twice
    lateinit var repo: Repo
//               ^^^^ field Server.repo

    init {
        start()
    }

    constructor(port: Int) : this("a", port) {
//  ^^^^^^^^^^^ method Server.constructor
        stop()
    }

    @Throws(IOException::class)
    suspend fun <R> run(vararg steps: Step, block: (T) -> R): List<R>? {
//                  ^^^ method Server.run
        val local = 1
        fun nested(): Int = local
//          ^^^^^^ function Server.run.nested
        val made = object : Runnable {
            override fun run() {}
//                       ^^^ method Server.run.run
        }
        return null
    }

    abstract fun later()
//               ^^^^^ method Server.later
    fun String.inside() = length
//             ^^^^^^ method Server.String.inside

    inner class Part
//              ^^^^ class Server.Part

    companion object {
        const val MAX = 4
//                ^^^ constant Server.MAX
        fun create(): Server<Any> = TODO()
//          ^^^^^^ method Server.create
    }
}

class Named2 {
//    ^^^^^^ class Named2
    companion object Factory {
//                   ^^^^^^^ class Named2.Factory
        fun make() = Named2()
//          ^^^^ method Named2.Factory.make
    }
}

sealed interface Shape : Drawable {
//               ^^^^^ interface Shape
    val area: Double
//      ^^^^ field Shape.area
    fun draw()
//      ^^^^ method Shape.draw
    data object Dot : Shape
//              ^^^ class Shape.Dot
}

fun interface Check {
//            ^^^^^ interface Check
    fun ok(): Boolean
//      ^^ method Check.ok
}

enum class Operation(val sign: String) : Named {
//         ^^^^^^^^^ enum Operation
    PLUS("+") {
//  ^^^^ constant Operation.PLUS
        override fun apply(a: Int, b: Int) = a + b
//                   ^^^^^ method Operation.PLUS.apply
    },
    MINUS("-");
//  ^^^^^ constant Operation.MINUS

    val word: String = "w"
//      ^^^^ field Operation.word
    open fun apply(a: Int, b: Int): Int = a - b
//           ^^^^^ method Operation.apply
}

object Registry : Base() {
//     ^^^^^^^^ class Registry
    fun find(name: String): Server<*>? = null
//      ^^^^ method Registry.find
}

annotation class Marker(val value: String)
//               ^^^^^^ class Marker

fun main(arguments: Array<String>) = println("a")
//  ^^^^ function main
fun <T> List<T>.second(): T = this[1]
//              ^^^^^^ method List.second
fun Map.Entry<String, Int>?.orNone() {}
//                          ^^^^^^ method Entry.orNone
expect fun platform(): String
//         ^^^^^^^^ function platform
