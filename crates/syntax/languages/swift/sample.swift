import Combine
import Foundation
import struct os.Logger
@testable import Playback

/// How long a track may take to load.
private let loadTimeout: TimeInterval = 30

public typealias QueueHandler = (PlayQueue.Event) -> Void

/// Plays one track after another.
///
/// All calls come from the main thread; the player itself works on its own.
@MainActor
public final class PlayQueue: NSObject, ObservableObject, TrackLoaderDelegate {
    public static let shared = PlayQueue(loader: RemoteLoader())

    /// What is played now.
    @Published public private(set) var current: Track?
    @Published var volume: Float = 1 {
        didSet { engine.setVolume(volume) }
    }

    private let loader: TrackLoader
    private var engine = AudioEngine()
    private var waiting: [Track] = []
    private var handlers: [UUID: QueueHandler] = [:]
    private weak var delegate: PlayQueueDelegate?
    private lazy var logger = Logger(subsystem: "player", category: "queue")

    var isEmpty: Bool { waiting.isEmpty && current == nil }

    public var remaining: TimeInterval {
        get { waiting.map(\.duration).reduce(0, +) }
    }

    public init(loader: TrackLoader, delegate: PlayQueueDelegate? = nil) {
        self.loader = loader
        self.delegate = delegate
        super.init()
        loader.delegate = self
    }

    deinit {
        engine.stop()
    }

    /// Puts tracks at the end of the queue.
    /// - Parameter tracks: in the order in which they are played
    /// - Returns: how many wait now
    @discardableResult
    public func append(_ tracks: Track..., startingAt offset: TimeInterval = 0) async throws -> Int {
        for track in tracks {
            let loaded = try await loader.load(track, timeout: loadTimeout)
            waiting.append(loaded)
        }
        if current == nil, let next = waiting.first {
            try play(next, from: offset)
        }
        return waiting.count
    }

    func play(_ track: Track, from offset: TimeInterval = 0) throws {
        guard let url = track.localURL ?? cachedURL(for: track) else {
            throw QueueError.notLoaded(track.id, reason: nil)
        }
        do {
            let item = try AudioItem(contentsOf: url)
            engine.play(item, at: offset)
            current = track
        } catch let error as AudioError {
            logger.error("cannot play \(track.title): \(error.describe())")
            delegate?.queue(self, didFail: error)
            throw QueueError.broken(error)
        }
        handlers.values.forEach { handler in handler(.started(track)) }
    }

    public func skip() {
        if let previous = current { history.push(previous) }
        waiting.removeFirst()
        self.advance()
        Self.shared.persist()
    }

    public func observe(_ handler: @escaping QueueHandler) -> AnyCancellable {
        let id = UUID()
        handlers[id] = handler
        return AnyCancellable { [weak self] in self?.handlers[id] = nil }
    }

    private func cachedURL(for track: Track) -> URL? {
        let cache: TrackCache = TrackCache.standard
        return cache[track.id]?.resolve()
    }

    subscript(index: Int) -> Track { waiting[index] }

    public enum Event: Equatable {
        case started(Track)
        case stopped, skipped

        var isEnd: Bool {
            switch self {
            case .started: return false
            default: return true
            }
        }
    }
}

// MARK: - Saving

extension PlayQueue: Persistable, Sendable {
    func persist() {
        let encoder = JSONEncoder()
        let data = try? encoder.encode(waiting.map { $0.id })
        Storage<[String]>(name: "queue").write(data)
    }

    static func restore<S: Store>(from store: S) -> PlayQueue where S.Item == Track {
        let queue = PlayQueue(loader: OfflineLoader.init())
        queue.waiting = store.items() as! [Track]
        return queue
    }
}

/// Is told what the queue does.
public protocol PlayQueueDelegate: AnyObject {
    var allowsExplicit: Bool { get }
    func queue(_ queue: PlayQueue, didFail error: AudioError)
}

enum QueueError: LocalizedError {
    /// The track is not here yet.
    case notLoaded(Track.ID, reason: String?)
    case broken(AudioError)

    var errorDescription: String? { nil }
}

public struct Track: Identifiable, Codable, Hashable {
    public let id: String
    var title: String
    var duration: TimeInterval = 0
    var localURL: URL?

    enum CodingKeys: String, CodingKey {
        case id, title
        case duration = "length"
    }

    mutating func rename(to title: String) { self.title = title }

    static func < (left: Track, right: Track) -> Bool { left.title < right.title }
}

actor TrackCache {
    static let standard = TrackCache()
    private var entries: [String: Entry] = [:]

    func store(_ entry: Entry) { entries[entry.id] = entry }
}

extension Array where Element == Track {
    var totalDuration: TimeInterval { reduce(0) { $0 + $1.duration } }
}
