//go:build !unix

package privatecache

import "os"

// private reports whether dir is a folder and not a link. It is below the profile of the user, where the system lets no other
// user write.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

// usable reports whether dir exists.
func usable(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}
