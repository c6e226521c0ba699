package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var namePrefixRule = lint.Rule{
	ID: "bundle/name-prefix", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `the bundle names of a package have different prefixes
All bundles of a package should have the same name before the version. Pipelines of catalog repositories reject a bundle with
another prefix.
Give new bundles the prefix of the older ones.`,
	Reference: "operator-pipelines static_tests/common check_operator_name",
	Check:     checkPrefix,
}

// namePrefix returns the part of a bundle name before the first dot.
func namePrefix(name string) string {
	prefix, _, _ := strings.Cut(name, ".")
	return prefix
}

// checkPrefix reports the newest bundle if all others have another prefix in common. If the others differ, the right prefix is
// unknown.
func checkPrefix(p *lint.Pass) {
	bundles := contents.NewestFirst(p.Package)
	if len(bundles) < 2 {
		return
	}
	now, before := bundles[0].Name.Value, bundles[1].Name.Value
	want := namePrefix(before)
	other := func(b *catalogs.Bundle) bool { return namePrefix(b.Name.Value) != want }
	if namePrefix(now) == want || slices.ContainsFunc(bundles[1:], other) {
		return
	}
	p.Report(lint.Finding{
		Subject: lint.Subject{Bundle: now}, Pos: bundles[0].Pos,
		Message: fmt.Sprintf("%q begins with %q, but the older bundles, as %q, with %q: the pipelines reject a new bundle of another name", now, namePrefix(now), before, want),
		Fix:     fmt.Sprintf("name it %s.v… as the others", want),
		Related: []lint.Related{{Pos: bundles[1].Pos, Message: fmt.Sprintf("%q", before)}},
	})
}
