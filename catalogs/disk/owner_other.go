//go:build !unix

package disk

import "os"

// keepOwner does nothing: this system has no owners to keep.
func keepOwner(*os.File, os.FileInfo) error { return nil }

// hasOtherNames returns false: this system does not tell.
func hasOtherNames(os.FileInfo) bool { return false }
