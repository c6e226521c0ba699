package schema

import (
	"crypto/sha256"
	_ "crypto/sha512" // a digest's algorithm is known only to a program that it is linked into
	"encoding/hex"
	"errors"
	"strings"

	"github.com/distribution/reference"
)

// CheckPullSpec returns why opm rejects an image reference, or nil.
func CheckPullSpec(image string) error {
	if isCommon(image) {
		return nil
	}
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return err
	}
	// opm has a stricter fork of this library (go.podman.io/image docker/reference).
	first, _, several := strings.Cut(image, "/")
	switch {
	case strings.HasPrefix(reference.Domain(named), "["):
		return errors.New("opm does not accept IPv6 addresses")
	case several && first != "localhost" && !strings.ContainsAny(first, ".:") && strings.ToLower(first) != first:
		return reference.ErrNameContainsUppercase
	case len(named.Name()) > 255:
		return reference.ErrNameTooLong
	}
	return nil
}

// isCommon reports whether an image has the most common form, registry.name/path@sha256:digest, without the regular
// expressions of the library, which take more time than all other rules.
func isCommon(image string) bool {
	name, digest, ok := strings.Cut(image, "@sha256:")
	if !ok || len(digest) != hex.EncodedLen(sha256.Size) || len(name) > 255 {
		return false
	}
	for i := range len(digest) {
		if c := digest[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	domain, path, ok := strings.Cut(name, "/")
	return ok && strings.Contains(domain, ".") && isSeparatedParts(domain, ".-") && isSeparatedParts(path, "./-_")
}

// isSeparatedParts reports whether text consists of lower-case letters and digits with single separators between them.
func isSeparatedParts(text, separators string) bool {
	wanted := true // a letter or a digit must follow
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			wanted = false
		case wanted || strings.IndexByte(separators, c) < 0:
			return false
		default:
			wanted = true
		}
	}
	return !wanted
}
