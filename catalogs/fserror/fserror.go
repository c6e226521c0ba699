// Package fserror reduces errors of the file system to what happened.
package fserror

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns the error inside an fs.PathError or os.LinkError, without the operation and the path, for messages that name the
// path themselves. Any other error is returned as it is.
func Cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
