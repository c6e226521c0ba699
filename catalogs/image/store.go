package image

import (
	"context"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// leftOut is the annotation of an image in a store with the digests of the layers that are not stored, separated by commas: those that have
// nothing of a bundle.
const leftOut = "io.github.olmgraph.left-out"

// layersLeftOut returns the layers of an image that are not stored.
func layersLeftOut(d v1.Descriptor) map[string]bool {
	all := map[string]bool{}
	for _, digest := range strings.Split(d.Annotations[leftOut], ",") {
		all[digest] = true
	}
	return all
}

// Store has bundle images by their references in catalogs: an OCI layout, or a tar of one, as Puller and other tools write it.
type Store struct {
	mutex    sync.Mutex // an archive is read at one place at a time
	byName   map[string]*candidate
	byDigest map[v1.Hash]*candidate
}

// OpenStore reads which images a layout has. It stays open.
func OpenStore(ctx context.Context, kind Kind, ref string) (*Store, error) {
	s, err := openSource(ctx, kind, ref, Options{})
	if err != nil {
		return nil, err
	}
	store := &Store{byName: map[string]*candidate{}, byDigest: map[v1.Hash]*candidate{}}
	for _, c := range s.images {
		for _, name := range c.tags {
			store.byName[name] = c
		}
		for _, digest := range append(c.within, c.digest) {
			store.byDigest[digest] = c
		}
	}
	return store, nil
}

// IsPulled reports whether a Puller named the images by their references in catalogs.
func (s *Store) IsPulled() bool {
	for name := range s.byName {
		if strings.Contains(name, "/") {
			return true
		}
	}
	return false
}

// Len returns the number of images that have names.
func (s *Store) Len() int { return len(s.byName) }

// Open reads the image that a catalog names; nil if the store does not have it.
func (s *Store) Open(ctx context.Context, ref string, o Options) (*Image, error) {
	c := s.byName[ref]
	if _, digest, ok := strings.Cut(ref, "@"); ok && c == nil {
		if h, err := v1.NewHash(digest); err == nil {
			c = s.byDigest[h]
		}
	}
	if c == nil {
		return nil, nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return c.open(ctx, o)
}
