//go:build unix

package privatecache

import (
	"os"
	"syscall"
)

// private reports whether dir is a folder and not a link, belongs to the user, and is writable only by the user.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && info.Mode().Perm()&0o022 == 0 && owner(info) == os.Geteuid()
}

// usable reports whether the cache may be in dir. It prevents root from creating folders in the home of another user, which
// that user could not use.
func usable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && (os.Geteuid() != 0 || owner(info) == 0)
}

func owner(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
