// Package memo caches computed values.
package memo

import "sync"

// Map caches values by key. The zero value is ready to use. It is not safe for concurrent use.
type Map[K comparable, V any] struct{ values map[K]V }

// Get returns the value for a key. The first call computes it; compute may call Get for other keys.
func (m *Map[K, V]) Get(key K, compute func() V) V {
	value, ok := m.values[key]
	if ok {
		return value
	}
	value = compute()
	if m.values == nil {
		m.values = map[K]V{}
	}
	m.values[key] = value
	return value
}

// Shared is a Map that is safe for concurrent use: who asks for a value that is being computed waits. compute must not call Get for its own key.
type Shared[K comparable, V any] struct{ values sync.Map }

// Get returns the value for a key. The first call computes it.
func (m *Shared[K, V]) Get(key K, compute func() V) V {
	once, ok := m.values.Load(key)
	if !ok {
		once, _ = m.values.LoadOrStore(key, sync.OnceValue(compute))
	}
	return once.(func() V)()
}
