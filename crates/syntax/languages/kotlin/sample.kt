package com.example.weather.sync

import com.example.weather.api.ForecastApi
import com.example.weather.api.model.Forecast as RemoteForecast
import com.example.weather.store.ForecastDao
import com.example.weather.store.*
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.launch
import java.io.IOException

/** How often forecasts are asked for when nobody says. */
private val DEFAULT_INTERVAL = 15.minutes

/** Told whenever the state of a sync changes. */
typealias StateListener = (SyncState) -> Unit

/**
 * Keeps the forecasts of the device like those of the server.
 *
 * A sync that fails is tried again at the next [interval], never sooner.
 */
@Singleton
class ForecastSync @Inject constructor(
    private val api: ForecastApi,
    private val dao: ForecastDao,
    private val scope: CoroutineScope,
    val interval: Duration = DEFAULT_INTERVAL,
) : Syncable<Place>, AutoCloseable {

    private val listeners = mutableListOf<StateListener>()
    private val clock: Clock by lazy { SystemClock() }
    private lateinit var current: SyncState

    /** What is known now. */
    val state = MutableStateFlow<SyncState>(SyncState.Idle)

    val isRunning: Boolean
        get() = state.value is SyncState.Running

    var failures: Int = 0
        private set(value) {
            field = value.coerceAtLeast(0)
            report(value)
        }

    init {
        require(interval.isPositive()) { "an interval has to be positive" }
        onStart()
    }

    constructor(api: ForecastApi, dao: ForecastDao) : this(api, dao, GlobalScope) {
        Log.debug("made without a scope")
    }

    /**
     * Brings one place up to date.
     *
     * @return how many forecasts are new
     */
    @Throws(IOException::class)
    override suspend fun sync(place: Place): Int {
        state.value = SyncState.Running(place)
        val known = dao.forPlace(place.id).associateBy { it.day }
        val fetched: List<RemoteForecast> = try {
            api.forecasts(place.latitude, place.longitude).items
        } catch (e: IOException) {
            failures += 1
            state.value = SyncState.Failed(e.message ?: "no answer")
            throw SyncException(place, e)
        }
        val fresh = fetched.filter { it.day !in known }.map(RemoteForecast::toEntity)
        dao.insert(*fresh.toTypedArray())
        for (listener: StateListener in listeners) listener(state.value)
        return fresh.size
    }

    fun start(places: Flow<List<Place>>) = scope.launch {
        places.collect { all ->
            val next = all.firstOrNull() ?: return@collect
            sync(next)
            super.toString().let(::report)
        }
    }

    operator fun plusAssign(listener: StateListener) {
        listeners += listener
    }

    private fun report(what: Any) {
        val line = buildString {
            append("sync ")
            append(what)
        }
        (Log as Sink).write(line)
        this.current.describe()?.also { Log.debug(it) }
    }

    override fun close() = scope.cancel()

    companion object {
        const val MAX_FAILURES = 5

        @JvmStatic
        fun forTests(api: ForecastApi = FakeApi()): ForecastSync {
            val dao = InMemoryDao()
            return ForecastSync(api, dao)
        }
    }
}

/** What a sync is doing. */
sealed interface SyncState {
    data object Idle : SyncState

    data class Running(val place: Place) : SyncState

    // Says why.
    data class Failed(val reason: String) : SyncState, Retryable {
        override fun canRetry() = reason.isNotBlank()
    }
}

class SyncException(val place: Place, cause: Throwable) : IOException("cannot sync ${place.name.trim()}", cause)

enum class Quality(private val weight: Int) : Comparator<RemoteForecast> {
    /** From one station. */
    ROUGH(1),
    FINE(10) {
        override fun compare(a: RemoteForecast, b: RemoteForecast): Int = a.day.compareTo(b.day)
    };

    val isFine: Boolean get() = weight > 5

    override fun compare(a: RemoteForecast, b: RemoteForecast): Int = weight
}

internal object Log : Sink {
    private val out = java.io.PrintWriter(System.out)

    override fun write(line: String) = out.println(line)

    inline fun <reified T : Any> debug(value: T) {
        if (value is CharSequence) write("${T::class.simpleName}: $value")
    }
}

/** The entity that is stored for a forecast. */
fun RemoteForecast.toEntity(now: Instant = Instant.now()): ForecastEntity =
    ForecastEntity(day = day, low = low.celsius, high = high.celsius).apply { fetchedAt = now }

val Place?.isKnown: Boolean
    get() = this != null && id > 0

fun SyncState.describe(): String? = when (this) {
    is SyncState.Running -> place.name
    is SyncState.Failed -> reason.lowercase()
    else -> null
}
