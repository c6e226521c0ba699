package words

import (
	"fmt"
	"regexp"
)

// labelText matches the values of labels (k8s.io/apimachinery: pkg/util/validation).
var labelText = regexp.MustCompile(`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`)

const (
	maxName  = 253
	maxLabel = 63
)

// NameFault says why Kubernetes rejects the name of an object, for example "is empty"; "" if it is valid.
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

// LabelFault says why Kubernetes rejects the value of a label; "" if it is valid.
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
