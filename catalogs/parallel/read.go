package parallel

import (
	"context"
	"slices"
	"sync"
)

// ReadFolders calls read for folders concurrently, until the context ends, and progress, one call at a time, with the number of bytes
// that each call returns.
func ReadFolders[T any](ctx context.Context, dirs []string, progress func(bytes int64), read func(dir string) (*T, int64)) []*T {
	found := make([]*T, len(dirs))
	var reporting sync.Mutex
	Each(len(dirs), func(i int) {
		if ctx.Err() != nil {
			return
		}
		var bytes int64
		if found[i], bytes = read(dirs[i]); progress != nil {
			reporting.Lock()
			progress(bytes)
			reporting.Unlock()
		}
	})
	return slices.DeleteFunc(found, func(t *T) bool { return t == nil })
}
