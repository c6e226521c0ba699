//go:build unix

package privatecache

import (
	"os"
	"syscall"
)

// private reports whether dir is a folder, and no link to one, that belongs to the user and that nobody else can write.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && info.Mode().Perm()&0o022 == 0 && owner(info) == os.Geteuid()
}

// ours reports whether the user's things may be put into dir. It keeps root from leaving folders in the home of another,
// which that one could then not use.
func ours(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && (os.Geteuid() != 0 || owner(info) == 0)
}

func owner(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
