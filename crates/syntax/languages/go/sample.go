// Copyright of the sample belongs to nobody.

// Package cache keeps values for a while and forgets them in the order in
// which they were last used.
package cache

import (
	"container/list"
	"errors"
	"sync"
	"time"
)

// DefaultCapacity is how many values a cache keeps when nobody says.
const DefaultCapacity = 128

// Why a value is not there.
var (
	// ErrMissing means that the key was never set, or was forgotten.
	ErrMissing = errors.New("missing")
	ErrExpired = errors.New("expired")
)

type state int

const (
	open state = iota
	closing
	closed
)

// Clock tells the time.
type Clock interface {
	// Now is the current time.
	Now() time.Time
	Sleep(d time.Duration)
}

type entry[V any] struct {
	key     string
	value   V
	expires time.Time
}

// Cache is a bounded map with expiry. It is safe for use by many goroutines.
type Cache[V any] struct {
	mu       sync.Mutex
	clock    Clock
	capacity int
	order    *list.List
	entries  map[string]*list.Element
	state    state

	hits, misses uint64
}

// Option changes a cache while it is made.
type Option[V any] func(*Cache[V])

// WithCapacity sets how many values are kept.
func WithCapacity[V any](n int) Option[V] {
	return func(c *Cache[V]) { c.capacity = n }
}

// New makes an empty cache.
func New[V any](clock Clock, options ...Option[V]) *Cache[V] {
	c := &Cache[V]{
		clock:    clock,
		capacity: DefaultCapacity,
		order:    list.New(),
		entries:  make(map[string]*list.Element),
	}
	for _, option := range options {
		option(c)
	}
	return c
}

// Get gives the value of key, or says why there is none.
func (c *Cache[V]) Get(key string) (V, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	var zero V
	element, ok := c.entries[key]
	if !ok {
		c.misses++
		return zero, ErrMissing
	}
	found := element.Value.(*entry[V])
	if c.clock.Now().After(found.expires) {
		c.misses++
		c.remove(element)
		return zero, ErrExpired
	}
	c.hits++
	c.order.MoveToFront(element)
	return found.value, nil
}

// Set keeps value under key for the given time.
func (c *Cache[V]) Set(key string, value V, keep time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()

	expires := c.clock.Now().Add(keep)
	if element, ok := c.entries[key]; ok {
		found := element.Value.(*entry[V])
		found.value, found.expires = value, expires
		c.order.MoveToFront(element)
		return
	}
	c.entries[key] = c.order.PushFront(&entry[V]{key, value, expires})
	for c.order.Len() > c.capacity {
		c.remove(c.order.Back())
	}
}

func (c *Cache[V]) remove(element *list.Element) {
	delete(c.entries, element.Value.(*entry[V]).key)
	c.order.Remove(element)
}

// Stats is a snapshot of what a cache did.
type Stats struct {
	Hits, Misses uint64
	Size         int
}

// Stats takes a snapshot.
func (c *Cache[V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Hits: c.hits, Misses: c.misses, Size: c.order.Len()}
}

// Close forgets everything. It may be called more than once.
func (c *Cache[V]) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return
	}
	c.state = closing
	c.order.Init()
	clear(c.entries)
	c.state = closed
}

type wallClock struct{}

func (wallClock) Now() time.Time        { return time.Now() }
func (wallClock) Sleep(d time.Duration) { time.Sleep(d) }

// String is for a type of another file of the package.
func (s *Sweeper) String() string { return "sweeper" }
