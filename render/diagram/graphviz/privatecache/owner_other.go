//go:build !unix

package privatecache

import "os"

// private reports whether dir is a folder, and no link to one. Below the user's profile, where it is, the system lets
// nobody else write.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

// ours reports whether dir is there.
func ours(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}
