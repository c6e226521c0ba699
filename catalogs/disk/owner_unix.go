//go:build unix

package disk

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group that info has, as far as the user may.
func keepOwner(f *os.File, info os.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Chown(-1, int(s.Gid))
		f.Chown(int(s.Uid), -1)
	}
}

// IsPrivate reports whether a folder belongs to the user, and nobody else can write in it.
func IsPrivate(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
