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

// hasOtherNames reports whether a file has more than one hard link.
func hasOtherNames(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
