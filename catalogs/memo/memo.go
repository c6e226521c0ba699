// Package memo keeps answers that are asked for again.
package memo

// Map holds the answers to a question by what it is about. The zero value is ready. It is not safe for concurrent use.
type Map[K comparable, V any] struct{ values map[K]V }

// Get returns the answer for a key. The first time it is computed, which may ask the Map for other keys.
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
