using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Logging;
using static System.Math;
using Json = System.Text.Json.JsonSerializer;

namespace Example.Storage.Blobs;

/// <summary>
/// Keeps blobs in a store, and the newest of them in memory.
/// </summary>
/// <remarks>Safe for use by many threads.</remarks>
[DebuggerDisplay("{Count} blobs")]
public sealed class BlobCache : CacheBase<string, Blob>, IBlobReader, IAsyncDisposable
{
    /// <summary>How many blobs are kept when nobody says.</summary>
    public const int DefaultCapacity = 256;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(30);

    private readonly IBlobStore _store;
    private readonly ILogger<BlobCache> _logger;
    private readonly Dictionary<string, LinkedListNode<Entry>> _entries = new();
    private readonly LinkedList<Entry> _order = new LinkedList<Entry>();
    private readonly SemaphoreSlim _gate = new(1, 1);
    private int _hits;

    public event EventHandler<BlobEvicted>? Evicted;

    public BlobCache(IBlobStore store, ILogger<BlobCache> logger)
        : this(store, logger, DefaultCapacity)
    {
    }

    public BlobCache(IBlobStore store, ILogger<BlobCache> logger, int capacity) : base(capacity)
    {
        _store = store ?? throw new ArgumentNullException(nameof(store));
        _logger = logger;
        Clock = new SystemClock();
    }

    public IClock Clock { get; init; }

    /// <summary>How many blobs are kept now.</summary>
    public int Count => _entries.Count;

    public double HitRate
    {
        get
        {
            var total = Max(1, _hits + Misses());
            return (double)_hits / total;
        }
    }

    public Blob? this[string key] => Peek(key);

    /// <inheritdoc />
    public async Task<Blob> ReadAsync(string key, CancellationToken cancellation = default)
    {
        await _gate.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (_entries.TryGetValue(key, out LinkedListNode<Entry>? node) && !node.Value.IsStale(Clock))
            {
                Interlocked.Increment(ref _hits);
                return Touch(node);
            }
            var blob = await _store.LoadAsync(key, cancellation);
            Keep(key, blob);
            return blob;
        }
        catch (StoreException e) when (e.IsTransient)
        {
            _logger.LogWarning(e, "cannot load {Key}", key);
            throw;
        }
        finally
        {
            _gate.Release();
        }
    }

    public IEnumerable<string> Stale() =>
        from entry in _order
        where entry.IsStale(Clock)
        select entry.Key;

    private Blob Touch(LinkedListNode<Entry> node)
    {
        _order.Remove(node);
        _order.AddFirst(node);
        return node.Value.Blob;
    }

    private void Keep(string key, Blob blob)
    {
        Entry entry = new(key, blob, Clock.Now + Grace);
        _entries[key] = _order.AddFirst(entry);
        while (_entries.Count > Capacity)
        {
            var oldest = _order.Last!;
            Drop(oldest);
        }

        void Drop(LinkedListNode<Entry> dropped)
        {
            _order.RemoveLast();
            _entries.Remove(dropped.Value.Key);
            Evicted?.Invoke(this, new BlobEvicted(dropped.Value.Key));
        }
    }

    protected override Blob? Peek(string key)
    {
        foreach (var entry in _order.Where(each => each.Key == key))
        {
            return entry.Blob;
        }
        return base.Peek(key) as Blob;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IDisposable held in _order.Select(entry => entry.Blob).OfType<IDisposable>())
            held.Dispose();
        using var stream = _store.OpenLog();
        await Json.SerializeAsync<List<string>>(stream, Stale().ToList());
        GC.SuppressFinalize(this);
    }

    private sealed record Entry(string Key, Blob Blob, DateTimeOffset Until)
    {
        public bool IsStale(IClock clock) => clock.Now > Until;
    }
}

/// <summary>Says that a blob was dropped from memory.</summary>
public class BlobEvicted(string key) : EventArgs
{
    public string Key { get; } = key;

    public override string ToString() => $"evicted {Key.Trim()}";
}

public interface IBlobReader
{
    Task<Blob> ReadAsync(string key, CancellationToken cancellation = default);
}

public static class BlobReaderExtensions
{
    public static async Task<T?> ReadJsonAsync<T>(this IBlobReader reader, string key) where T : class
    {
        Blob blob = await reader.ReadAsync(key);
        return blob is { Size: > 0 } ? Json.Deserialize<T>(blob.Bytes) : default(T);
    }
}

[Flags]
public enum BlobFlags
{
    None = 0,
    /// <summary>May not be dropped.</summary>
    Pinned = 1 << 0,
    Compressed = 1 << 1,
}
