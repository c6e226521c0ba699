package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

const typeMaxOpenShift = "olm.maxOpenShiftVersion"

var maxOpenShiftVersion = lint.Rule{
	ID: "bundle/max-openshift-version", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `an olm.maxOpenShiftVersion is invalid, or there are several
OpenShift is not updated to a newer minor version while an operator is installed that does not allow it by its olm.maxOpenShiftVersion. One
that is no version, or has more than major and minor, and a second one, block every update. The rule also warns of a head that allows only
versions below that of its catalog: it blocks the next update wherever it is installed.
Write one, as "4.18".`,
	Reference: "operator-framework-olm openshift maxOpenShiftVersion",
	Check:     checkMaxOpenShift,
}

func checkMaxOpenShift(p *lint.Pass) {
	heads := contents.Heads(p)
	first := map[string]*lint.Finding{}
	var found []*lint.Finding
	for _, b := range contents.NewestFirst(p.Package) {
		if b.PropertyCount(typeMaxOpenShift) == 0 {
			continue
		}
		says, value, severity := maxFault(p, b, slices.Contains(heads, b))
		if says == "" {
			continue
		}
		if f := first[says]; f != nil {
			f.Also = append(f.Also, contents.AtBundle(b, ""))
			continue
		}
		i := slices.IndexFunc(b.Properties, func(p catalogs.Property) bool { return p.Type.Value == typeMaxOpenShift })
		f := &lint.Finding{Subject: lint.Subject{Bundle: b.Name.Value}, Cause: []string{typeMaxOpenShift, value}, Pos: words.FirstKnown(b.Properties[i].Pos, b.Properties[i].Type.Pos, b.Name.Pos),
			Severity: severity, Message: fmt.Sprintf("%q %s", b.Name.Value, says), Fix: `write one olm.maxOpenShiftVersion, as "4.18"`}
		if severity == lint.Warning {
			f.Fix = "raise it if the operator runs there, or keep the bundle out of this catalog"
		}
		first[says], found = f, append(found, f)
	}
	for _, f := range found {
		f.Message += words.AndMore(len(f.Also), "older bundle")
		p.Report(*f)
	}
}

// maxFault says what is wrong with the olm.maxOpenShiftVersion of a bundle; "" if nothing is. value is the wrong one.
func maxFault(p *lint.Pass, b *catalogs.Bundle, head bool) (says, value string, severity lint.Severity) {
	if n := b.PropertyCount(typeMaxOpenShift); n > 1 {
		return fmt.Sprintf("has %d olm.maxOpenShiftVersion: while it is installed OpenShift is not updated", n), "", lint.Error
	}
	facts, err := bundled.Facts(b)
	if err != nil {
		return "", "", lint.Off
	}
	for _, property := range facts.Properties {
		if property.Type != typeMaxOpenShift {
			continue
		}
		text := strings.Trim(string(property.Value), `"`)
		limit, err := plan.ParseMaxOpenShift(text)
		if err != nil {
			return fmt.Sprintf("has the olm.maxOpenShiftVersion %q, which is invalid: while it is installed OpenShift is not updated", text), text, lint.Error
		}
		if of, err := plan.ParseMinor(p.Catalog.OpenShift); err == nil && head && limit < of {
			return fmt.Sprintf("allows OpenShift %s at most (olm.maxOpenShiftVersion), is the head of a channel, and in the catalog of OpenShift %s: where it is installed OpenShift is not updated", text, of), text, lint.Warning
		}
	}
	return "", "", lint.Off
}
