package com.example.billing.ledger;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.*;

import com.example.billing.money.Money;
import com.example.billing.storage.EntryStore;
import java.time.Clock;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the entries of all accounts, and what they add up to.
 *
 * <p>Entries are never changed; a mistake is undone by another entry.
 */
@Service
public class Ledger extends Auditable implements EntrySource, AutoCloseable {

    /** How many entries one page has. */
    public static final int PAGE_SIZE = 50;

    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

    private final EntryStore store;
    private final Clock clock;
    private final Map<AccountId, Money> balances = new ConcurrentHashMap<>();
    private List<Listener> listeners = new ArrayList<>();

    public Ledger(EntryStore store) {
        this(store, Clock.systemUTC());
    }

    @Inject
    Ledger(EntryStore store, Clock clock) {
        super("ledger");
        this.store = requireNonNull(store, "store");
        this.clock = clock;
    }

    /**
     * Writes an entry.
     *
     * @return the entry as it was written
     * @throws LimitException when the account may not go that low
     */
    @Override
    @Transactional(readOnly = false)
    public Entry post(AccountId account, Money amount, String text) throws LimitException {
        Limit limit = limitOf(account);
        Money after = balances.getOrDefault(account, Money.ZERO).plus(amount);
        if (limit.isBelow(after)) {
            throw new LimitException(account, after);
        }
        Entry entry = new Entry(account, amount, text, Instant.now(clock));
        store.append(entry);
        balances.merge(account, amount, Money::plus);
        for (Listener listener : listeners) {
            listener.onPosted(entry);
        }
        LOG.debug("posted {}", entry);
        return entry;
    }

    public List<Entry> page(AccountId account, int number, Predicate<? super Entry> filter) {
        try (var cursor = store.open(account)) {
            cursor.skip((long) number * PAGE_SIZE);
            return cursor.stream().filter(filter).limit(PAGE_SIZE).collect(toList());
        } catch (StorageException | IllegalStateException e) {
            LOG.warn("no page {}", number, e);
            return Collections.emptyList();
        }
    }

    // What the bank allows.
    protected Limit limitOf(AccountId account) {
        Object found = store.limits().get(account);
        if (found instanceof Limit limit) {
            return limit;
        }
        return switch (account.kind()) {
            case SAVINGS -> Limit.NONE;
            case GIRO -> new Limit.Fixed(Money.of(-500));
        };
    }

    public void addListener(final Listener... added) {
        for (var one : added) {
            listeners.add(requireNonNull(one));
        }
        audit(() -> refresh(added.length));
    }

    private static <K extends Comparable<K>, V> SortedMap<K, V> sorted(Map<K, V> map) {
        return new TreeMap<K, V>(map);
    }

    @Override
    public void close() {
        super.close();
        this.store.close();
        ((Flushable) store).flush();
        Arrays.stream(AccountKind.values()).map(this::describe).forEach(LOG::info);
    }

    /** Is told of every entry. */
    @FunctionalInterface
    public interface Listener extends EventListener {
        void onPosted(Entry entry);

        /** Puts one listener after another. */
        default Listener then(Listener next) {
            return entry -> {
                onPosted(entry);
                next.onPosted(entry);
            };
        }
    }

    /** What an account may owe. */
    public abstract static sealed class Limit permits Limit.Fixed, Limit.None {
        static final Limit NONE = new None();

        abstract boolean isBelow(Money balance);

        static final class Fixed extends Limit {
            private final Money floor;

            Fixed(Money floor) {
                this.floor = floor;
            }

            @Override
            boolean isBelow(Money balance) {
                return balance.compareTo(floor) < 0;
            }
        }

        static final class None extends Limit {
            @Override
            boolean isBelow(Money balance) {
                return false;
            }
        }
    }

    /** Who the money belongs to. */
    public record AccountId(String number, AccountKind kind) implements Comparable<AccountId> {
        public AccountId {
            if (number.isBlank()) throw new IllegalArgumentException("an account needs a number");
        }

        @Override
        public int compareTo(AccountId other) {
            return Comparator.comparing(AccountId::number).compare(this, other);
        }
    }

    enum AccountKind {
        /** Pays interest. */
        SAVINGS(true),
        GIRO(false) {
            @Override
            Money fee() {
                return Money.of(3);
            }
        };

        final boolean paysInterest;

        AccountKind(boolean paysInterest) {
            this.paysInterest = paysInterest;
        }

        Money fee() {
            return Money.ZERO;
        }
    }
}
