package crd

import (
	"bytes"
	"crypto/sha256"
)

// Sum identifies all of a CustomResourceDefinition that checks depend on: all but the descriptions in its schemas, which are most of the text, and
// most of what differs between versions of an operator.
type Sum [sha256.Size]byte

// NewSum returns the Sum of a CustomResourceDefinition in JSON.
func NewSum(text []byte) Sum {
	if withinLimits(measure(text)) == nil {
		text = undescribed(text)
	}
	return sha256.Sum256(text)
}

// undescribed returns the text of a definition without the descriptions in its schemas, except in allOf, anyOf, oneOf and not, where an API
// server rejects them. What is not written as AppendJSON does it is copied.
func undescribed(text []byte) []byte {
	const key = `"openAPIV3Schema":`
	out := make([]byte, 0, len(text)/2)
	for {
		at := bytes.Index(text, []byte(key+"{"))
		if at < 0 {
			return append(out, text...)
		}
		out, text = copySchema(append(out, text[:at+len(key)]...), text[at+len(key):], false)
	}
}

// copySchema appends the schema, or the schemas of properties, at the start of text without descriptions, and returns what follows.
func copySchema(out, text []byte, properties bool) (longer, rest []byte) {
	out, text = append(out, '{'), text[1:]
	for len(text) > 0 && text[0] == '"' {
		n := stringLength(text) + 1
		if n >= len(text) {
			break
		}
		key, value := string(text[:n]), text[n:]
		isObject := value[0] == '{'
		switch {
		case !properties && key == `"description":` && value[0] == '"':
			text = value[stringLength(value):]
			if bytes.HasPrefix(text, []byte(",")) {
				text = text[1:]
			} else {
				out = bytes.TrimSuffix(out, []byte(","))
			}
			continue
		case isObject && (properties || key == `"properties":` || key == `"items":`):
			out, text = copySchema(append(out, key...), value, !properties && key == `"properties":`)
		default:
			n += valueLength(value)
			out, text = append(out, text[:n]...), text[n:]
		}
		if !bytes.HasPrefix(text, []byte(",")) {
			break
		}
		out, text = append(out, ','), text[1:]
	}
	if bytes.HasPrefix(text, []byte("}")) {
		out, text = append(out, '}'), text[1:]
	}
	return out, text
}
