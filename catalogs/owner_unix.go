//go:build unix

package catalogs

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the one whose place it will take, as far as that is allowed.
func keepOwner(f *os.File, info os.FileInfo) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		f.Chown(int(s.Uid), int(s.Gid))
	}
}
