//go:build unix

package disk

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group that info has.
func keepOwner(f *os.File, info os.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return f.Chown(int(s.Uid), int(s.Gid))
	}
	return nil
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

// hasOtherNames reports whether a file has more than one hard link.
func hasOtherNames(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
