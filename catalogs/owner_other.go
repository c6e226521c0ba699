//go:build !unix

package catalogs

import "os"

// keepOwner does nothing: there are no owners to keep.
func keepOwner(*os.File, os.FileInfo) error { return nil }

// hasOtherNames is not known here.
func hasOtherNames(os.FileInfo) bool { return false }
