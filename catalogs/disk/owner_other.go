//go:build !unix

package disk

import "os"

// keepOwner does nothing: this system has no owners to keep.
func keepOwner(*os.File, os.FileInfo) {}

// IsPrivate reports whether a folder exists. It is below the profile of the user, where the system lets nobody else write.
func IsPrivate(dir string) bool { return IsFolder(dir) }
