package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// moving are the parts of a message that change when nothing but its surroundings does: line numbers, and how often something
// was met again.
var moving = regexp.MustCompile(`\blines? \d+\b| ?\((?:and )?(?:one|\d+) more [^()]*\)`)

// Fingerprint identifies what a finding says, wherever it stands: its rule, its subject but for the catalog, and its message. It
// is the same after lines have moved, and in another copy of the catalog. Two findings can have the same one.
func (f *Finding) Fingerprint() string {
	said := moving.ReplaceAllString(f.Message, "")
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, f.Package, f.Channel, f.Bundle, f.CRD, said}, "\x00")))
	return hex.EncodeToString(sum[:12])
}
