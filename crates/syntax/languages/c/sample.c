/*
 * A table of strings, open addressed, with a lock around it.
 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/log.h"

/* Grown when fuller than this, in percent. */
#define FULLEST 70
#define SLOT(table, at) (&(table)->slots[(at) & ((table)->capacity - 1)])

#ifdef TABLE_DEBUG
# define TRACE(...) log_write(LOG_DEBUG, __VA_ARGS__)
#else
# define TRACE(...)
#endif

typedef uint64_t hash_t;

/** What a slot holds. */
enum slot_state {
    SLOT_FREE,
    SLOT_USED,
    SLOT_GONE, /**< It was used; a search goes on past it. */
};

struct slot {
    enum slot_state state;
    hash_t hash;
    char *key;
    void *value;
};

/** The table itself; nobody outside sees into it. */
struct table {
    struct slot *slots;
    size_t capacity;
    size_t used;
    struct lock lock;
    const struct table_ops *ops;
    void (*release)(void *value);
};

typedef struct table_iter {
    struct table *table;
    size_t at;
} table_iter_t;

static struct {
    unsigned long lookups;
    unsigned long misses;
} stats;

static const size_t first_capacity = 16;

static hash_t hash_of(const char *key);

/**
 * Makes an empty table.
 *
 * The caller frees it with table_free().
 */
struct table *table_new(const struct table_ops *ops)
{
    struct table *table = calloc(1, sizeof *table);

    if (table == NULL)
        return NULL;
    table->slots = calloc(first_capacity, sizeof(struct slot));
    if (table->slots == NULL) {
        free(table);
        return NULL;
    }
    table->capacity = first_capacity;
    table->ops = ops;
    lock_init(&table->lock);
    return table;
}

/* FNV-1a. */
static hash_t hash_of(const char *key)
{
    hash_t hash = 14695981039346656037ULL;

    for (const unsigned char *at = (const unsigned char *)key; *at; at++) {
        hash ^= *at;
        hash *= 1099511628211ULL;
    }
    return hash;
}

static struct slot *
find(struct table *table, const char *key, hash_t hash)
{
    size_t at = hash;

    for (;;) {
        struct slot *slot = SLOT(table, at);

        if (slot->state == SLOT_FREE)
            return slot;
        if (slot->hash == hash && strcmp(slot->key, key) == 0)
            return slot;
        at++;
    }
}

static int grow(struct table *table)
{
    struct slot *old = table->slots;
    size_t count = table->capacity;

    table->slots = calloc(count * 2, sizeof(*old));
    if (!table->slots) {
        table->slots = old;
        return -ENOMEM;
    }
    table->capacity = count * 2;
    for (size_t i = 0; i < count; i++) {
        if (old[i].state == SLOT_USED)
            *find(table, old[i].key, old[i].hash) = old[i];
    }
    free(old);
    return 0;
}

int table_set(struct table *table, const char *key, void *value)
{
    hash_t hash = hash_of(key);
    struct slot *slot;
    int error = 0;

    lock_take(&table->lock);
    if (table->used * 100 > table->capacity * FULLEST && (error = grow(table)) != 0)
        goto out;
    slot = find(table, key, hash);
    if (slot->state == SLOT_USED)
        table->release(slot->value);
    else
        table->used++;
    *slot = (struct slot){ .state = SLOT_USED, .hash = hash, .key = strdup(key), .value = value };
    if (table->ops && table->ops->changed)
        table->ops->changed(table, key);
out:
    lock_drop(&table->lock);
    return error;
}

void *table_get(struct table *table, const char *key)
{
    struct slot *slot = find(table, key, hash_of(key));

    stats.lookups++;
    if (slot->state != SLOT_USED) {
        stats.misses++;
        TRACE("no %s", key);
        return NULL;
    }
    return slot->value;
}

/* Old callers declare their parameters below. */
int table_count(table)
    struct table *table;
{
    return (int)table->used;
}

void table_free(struct table *table)
{
    table_iter_t iter = { .table = table };

    for (; iter.at < table->capacity; iter.at++) {
        struct slot *slot = SLOT(iter.table, iter.at);
        (*table->release)(slot->value);
        free(slot->key);
    }
    free(table->slots);
    free(table);
}
