import Foundation

/// How many.
let limit = 3
//  ^^^^^ constant limit
var ready: Bool { true }
//  ^^^^^ constant ready
public typealias Handler<T> = (T) -> Void
//               ^^^^^^^ type Handler
typealias Plain = [Int]
//        ^^^^^ type Plain

/// Says what it says.
@available(iOS 13, *)
public final class Server<T: Codable>: Base, Named where T: Equatable {
//                 ^^^^^^ class Server
    static let shared = Server()
//             ^^^^^^ constant Server.shared
    private let clock: Clock
//              ^^^^^ field Server.clock
    @Published var names: [String] = [] { didSet { changed() } }
//                 ^^^^^ field Server.names
    var first = 1, second = 2
//      ^^^^^ field Server.first
//                 ^^^^^^ field Server.second
    lazy var repo: Repo = {
//           ^^^^ field Server.repo
        let inside = 1
        return Repo(inside)
    }()
    var twice: Int { get { limit * 2 } set { use(newValue) } }
//      ^^^^^ field Server.twice

    init(clock: Clock, _ port: Int = 80) throws {
//  ^^^^ method Server.init
        let local = 1
        func nested(n: Int) -> Int { n }
//           ^^^^^^ function Server.init.nested
    }
    convenience init?(name: String) { self.init(clock: Clock()) }
//              ^^^^ method Server.init~ca03
    deinit { stop() }
//  ^^^^^^ method Server.deinit

    func run<R>(_ start: R, with steps: Step...) async throws -> [String: T?] where R: Hashable { [:] }
//       ^^^ method Server.run
    class func make() -> Self { fatalError() }
//             ^^^^ method Server.make
    static func + (left: Server, right: Server) -> Server { left }
//              ^ method Server.+
    subscript(at: Int) -> T { get { items[at] } }
//  ^^^^^^^^^ method Server.subscript

    struct Part { let size: Int }
//         ^^^^ struct Server.Part
//                    ^^^^ field Server.Part.size
}

extension Server: Hashable, CustomStringConvertible {
    var description: String { "server" }
//      ^^^^^^^^^^^ field Server.description
    func hash(into hasher: inout Hasher) {}
//       ^^^^ method Server.hash
}

extension Array where Element == Int {
    func sum() -> Int { 0 }
//       ^^^ method Array.sum
}

protocol Named: AnyObject {
//       ^^^^^ interface Named
    associatedtype Item
//                 ^^^^ type Named.Item
    var name: String { get set }
//      ^^^^ field Named.name
    func greet(with item: Item) -> String
//       ^^^^^ method Named.greet
    init(name: String)
//  ^^^^ method Named.init
}

indirect enum Kind<T>: String, Error {
//            ^^^^ enum Kind
    case first
//       ^^^^^ constant Kind.first
    case second = "s", third
//       ^^^^^^ constant Kind.second
//                     ^^^^^ constant Kind.third
    case other(T, code: Int)
//       ^^^^^ constant Kind.other

    var label: String { rawValue }
//      ^^^^^ field Kind.label
    func show() {}
//       ^^^^ method Kind.show
}

actor Counter {
//    ^^^^^^^ class Counter
    func increase() {}
//       ^^^^^^^^ method Counter.increase
}

func main(_ arguments: [String]) -> Int { 0 }
//   ^^^^ function main
