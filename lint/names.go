package lint

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

// nameFault says why a name is none that Kubernetes takes for an object, as "has …"; "" if it is one.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("has %d characters, more than the %d that Kubernetes allows", len(name), maxName)
	case !dnsSubdomain.MatchString(name):
		return "must have only lower-case letters, digits, dots and hyphens, with a letter or digit at both ends of each part"
	}
	return ""
}

// labelFault says why a text is no value of a label; "" if it is one.
func labelFault(text string) string {
	switch {
	case len(text) > maxLabel:
		return fmt.Sprintf("has %d characters, more than the %d of a label", len(text), maxLabel)
	case !labelText.MatchString(text):
		return "must have only letters, digits, dots, hyphens and underscores, with a letter or digit at both ends"
	}
	return ""
}
