package lint

import (
	"crypto/sha256"
	_ "crypto/sha512"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/distribution/reference"
)

// checkPullSpec returns why opm refuses an image reference, or nil.
func checkPullSpec(image string) error {
	if surelyPullSpec(image) {
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

// surelyPullSpec reports whether an image is in the form that nearly all have: registry.name/path@sha256:digest. It saves
// the regular expressions, which cost more than all other rules together.
func surelyPullSpec(image string) bool {
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
	return ok && strings.Contains(domain, ".") && plainParts(domain, ".-") && plainParts(path, "./-_")
}

// plainParts reports whether a text is lower-case letters and digits with single separators between them.
func plainParts(text, separators string) bool {
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
