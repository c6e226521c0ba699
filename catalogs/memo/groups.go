package memo

import "iter"

// Groups collects values by key, in the order in which the keys come first. The zero value is ready to use.
type Groups[K comparable, V any] struct {
	keys   []K
	values map[K][]V
}

// Add adds a value to the group of a key.
func (g *Groups[K, V]) Add(key K, value V) {
	if g.values == nil {
		g.values = map[K][]V{}
	}
	if g.values[key] == nil {
		g.keys = append(g.keys, key)
	}
	g.values[key] = append(g.values[key], value)
}

// Keys returns the keys.
func (g *Groups[K, V]) Keys() []K { return g.keys }

// Values returns the values of a key.
func (g *Groups[K, V]) Values(key K) []V { return g.values[key] }

// All yields the groups.
func (g *Groups[K, V]) All() iter.Seq2[K, []V] {
	return func(yield func(K, []V) bool) {
		for _, key := range g.keys {
			if !yield(key, g.values[key]) {
				return
			}
		}
	}
}
