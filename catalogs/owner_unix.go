//go:build unix

package catalogs

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group of the one whose place it will take.
func keepOwner(f *os.File, info os.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return f.Chown(int(s.Uid), int(s.Gid))
	}
	return nil
}

// hasOtherNames reports whether a file has hard links besides its name.
func hasOtherNames(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
