// Package names checks names and labels as Kubernetes does.
package names

import (
	"fmt"
	"regexp"
)

// What Kubernetes takes for a name (k8s.io/apimachinery pkg/util/validation).
var labelText = regexp.MustCompile(`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`)

const (
	maxName  = 253
	maxLabel = 63
)

// NameFault says why a name is none that Kubernetes takes for an object, as "has …"; "" if it is one.
func NameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("has %d characters, more than the %d that Kubernetes allows", len(name), maxName)
	case !DNSSubdomain.MatchString(name):
		return "must have only lower-case letters, digits, dots and hyphens, with a letter or digit at both ends of each part"
	}
	return ""
}

// LabelFault says why a text is no value of a label; "" if it is one.
func LabelFault(text string) string {
	switch {
	case len(text) > maxLabel:
		return fmt.Sprintf("has %d characters, more than the %d of a label", len(text), maxLabel)
	case !labelText.MatchString(text):
		return "must have only letters, digits, dots, hyphens and underscores, with a letter or digit at both ends"
	}
	return ""
}

var (
	DNSLabel     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	DNSSubdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	CacheName    = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*$`)
)
