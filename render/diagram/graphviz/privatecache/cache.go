package privatecache

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cache is the folder that go-graphviz is given for temporary files.
type cache struct {
	dir string
	// filling is whether this process, and no other, is making the cache.
	filling bool
}

const (
	// room is what has to be free for the cache to be made: twice what it takes.
	room = 12 << 20
	// patience is how long a process may take to make the cache until it is held for dead.
	patience = time.Minute
)

// open returns a cache that go-graphviz can use without harm: one with whole files in it, or an empty one that this process
// may fill.
func open() (cache, bool) {
	base, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(base) || !ours(filepath.Dir(base)) {
		return cache{}, false
	}
	dir := base
	for _, name := range []string{"", "olmgraph", "drawing"} {
		dir = filepath.Join(dir, name)
		os.Mkdir(dir, 0o700)
	}
	if !private(filepath.Dir(dir)) || !private(dir) {
		return cache{}, false
	}
	c := cache{dir: dir}
	if c.beingFilled() {
		return cache{}, false
	}
	whole, err := c.clean()
	if err == nil && !whole {
		c.filling = c.claim()
	}
	return c, whole || c.filling
}

// files are those that wazero has made, below a folder with its version and one with go-graphviz's name.
func (c cache) files() []string {
	files, _ := filepath.Glob(filepath.Join(c.dir, "go-graphviz", "*", "*"))
	return files
}

// clean removes what is not as it was written, and reports whether there is something that is.
func (c cache) clean() (whole bool, err error) {
	for _, name := range c.files() {
		if strings.Contains(filepath.Base(name), ".") { // a checksum, or a file that is not yet written
			continue
		}
		if sum, err := sumOf(name); err == nil && sum == noted(name) {
			whole = true
			continue
		}
		os.Remove(name + checksum)
		if err := os.Remove(name); err != nil {
			return false, err
		}
	}
	return whole, nil
}

// beingFilled reports whether another process is making the cache. One that takes too long is held for dead.
func (c cache) beingFilled() bool {
	info, err := os.Lstat(c.claimed())
	if err != nil {
		return false
	}
	if time.Since(info.ModTime()) < patience {
		return true
	}
	os.Remove(c.claimed())
	return false
}

// claim makes this process the one that fills the cache: two at once could be in each other's way. It also makes sure that
// there is room, for wazero reports a full disk as an error, and go-graphviz panics.
func (c cache) claim() bool {
	f, err := os.OpenFile(c.claimed(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	_, err = f.Write(make([]byte, room))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Truncate(c.claimed(), 0)
	}
	if err != nil {
		os.Remove(c.claimed())
	}
	return err == nil
}

func (c cache) claimed() string { return filepath.Join(c.dir, "filling") }

// finish notes the checksums of new files, and removes those that were left half written.
func (c cache) finish() {
	for _, name := range c.files() {
		switch {
		case strings.HasSuffix(name, ".tmp"):
			if c.filling {
				os.Remove(name)
			}
		case !strings.HasSuffix(name, checksum) && noted(name) == "":
			if sum, err := sumOf(name); err == nil {
				os.WriteFile(name+checksum, []byte(sum), 0o600)
			}
		}
	}
	if c.filling {
		os.Remove(c.claimed())
	}
}

// checksum is the end of the name of a file with a checksum.
const checksum = ".sum"

// noted is the checksum that stands beside a file, empty if there is none.
func noted(name string) string {
	sum, err := os.ReadFile(name + checksum)
	if err != nil {
		return ""
	}
	return string(sum)
}

// sumOf is of the kind that wazero puts into its files too, there for the code alone.
func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(hash, f)
	return fmt.Sprintf("%08x %d\n", hash.Sum32(), n), err
}
