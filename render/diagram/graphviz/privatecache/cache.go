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

// cache is the folder that go-graphviz uses as its temporary folder.
type cache struct {
	dir string
	// filling says that this process holds the lock and fills the cache.
	filling bool
}

const (
	// reservedBytes must be free for the cache to be filled: twice its size.
	reservedBytes = 12 << 20
	// fillTimeout is the time after which the lock of another process is stale.
	fillTimeout = time.Minute
)

// open returns a cache that go-graphviz can use safely: one with verified files, or an empty one that this process fills.
func open() (cache, bool) {
	base, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(base) || !usable(filepath.Dir(base)) {
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
		c.filling = c.lock()
	}
	return c, whole || c.filling
}

// files returns the files of wazero, which are in folders for its version and for go-graphviz.
func (c cache) files() []string {
	files, _ := filepath.Glob(filepath.Join(c.dir, "go-graphviz", "*", "*"))
	return files
}

// clean removes files with a wrong checksum, and reports whether there is a verified file.
func (c cache) clean() (whole bool, err error) {
	for _, name := range c.files() {
		if strings.Contains(filepath.Base(name), ".") { // a checksum, or an incomplete file
			continue
		}
		if sum, err := fileChecksum(name); err == nil && sum == recordedSum(name) {
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

// beingFilled reports whether another process holds the lock. It removes a stale lock.
func (c cache) beingFilled() bool {
	info, err := os.Lstat(c.lockFile())
	if err != nil {
		return false
	}
	if time.Since(info.ModTime()) < fillTimeout {
		return true
	}
	os.Remove(c.lockFile())
	return false
}

// lock creates the lock file, so that only one process fills the cache. It also checks that the disk has enough space:
// go-graphviz panics if the disk is full.
func (c cache) lock() bool {
	f, err := os.OpenFile(c.lockFile(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	_, err = f.Write(make([]byte, reservedBytes))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Truncate(c.lockFile(), 0)
	}
	if err != nil {
		os.Remove(c.lockFile())
	}
	return err == nil
}

func (c cache) lockFile() string { return filepath.Join(c.dir, "filling") }

// finish writes the checksums of new files, and removes incomplete files and the lock.
func (c cache) finish() {
	for _, name := range c.files() {
		switch {
		case strings.HasSuffix(name, ".tmp"):
			if c.filling {
				os.Remove(name)
			}
		case !strings.HasSuffix(name, checksum) && recordedSum(name) == "":
			if sum, err := fileChecksum(name); err == nil {
				os.WriteFile(name+checksum, []byte(sum), 0o600)
			}
		}
	}
	if c.filling {
		os.Remove(c.lockFile())
	}
}

// checksum is the extension of checksum files.
const checksum = ".sum"

// recordedSum returns the recorded checksum of a file, or "".
func recordedSum(name string) string {
	sum, err := os.ReadFile(name + checksum)
	if err != nil {
		return ""
	}
	return string(sum)
}

// fileChecksum returns the checksum and size of a file. CRC-32C is what wazero uses for the code in its files.
func fileChecksum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(hash, f)
	return fmt.Sprintf("%08x %d\n", hash.Sum32(), n), err
}
