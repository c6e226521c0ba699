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
All bundles of a package should have the same name before the version. The pipelines reject a bundle with another prefix than all
others. If the others differ from each other, they warn, and that of the community catalog rejects every bundle of an operator that has no
file-based catalogs.
Give new bundles the prefix of the older ones.`,
	Reference: "operator-pipelines static_tests/common check_operator_name, static_tests/community check_operator_name_unique",
	Check:     checkPrefix,
}

// namePrefix returns the part of a bundle name before the first dot.
func namePrefix(name string) string {
	prefix, _, _ := strings.Cut(name, ".")
	return prefix
}

// checkPrefix reports a bundle if all others have another prefix in common, or differ from each other: each one that is submitted, or the
// newest if there is no base.
func checkPrefix(p *lint.Pass) {
	bundles := contents.NewestFirst(p.Package)
	judged := bundles[:min(1, len(bundles))]
	if p.BasePackage != nil {
		judged = contents.Submitted(p)
	}
	others := slices.DeleteFunc(slices.Clone(bundles), func(b *catalogs.Bundle) bool { return slices.Contains(judged, b) })
	for _, b := range judged {
		if len(others) > 0 {
			checkPrefixOf(p, append([]*catalogs.Bundle{b}, others...))
		}
	}
}

// checkPrefixOf reports the first bundle if all others have another prefix in common, or differ from each other.
func checkPrefixOf(p *lint.Pass, bundles []*catalogs.Bundle) {
	now, before := bundles[0].Name.Value, bundles[1].Name.Value
	want := namePrefix(before)
	other := func(b *catalogs.Bundle) bool { return namePrefix(b.Name.Value) != want }
	f := lint.Finding{Subject: lint.Subject{Bundle: now}, Pos: bundles[0].Pos}
	if i := slices.IndexFunc(bundles[1:], other); i >= 0 {
		reportMixed(p, f, bundles[1], bundles[1+i])
		return
	}
	if namePrefix(now) == want {
		return
	}
	f.Message = fmt.Sprintf("%q begins with %q, but the older bundles, as %q, with %q: the pipelines reject a new bundle of another name", now, namePrefix(now), before, want)
	f.Fix, f.Misplaced = fmt.Sprintf("name it %s.v… as the others", want), true
	f.Related = []lint.Related{{Pos: bundles[1].Pos, Message: fmt.Sprintf("%q", before)}}
	p.Report(f)
}

// reportMixed reports a package in which two of the older bundles have different prefixes. It does so only in a
// repository: the bundles of other catalogs are published. A package without channels has file-based catalogs.
func reportMixed(p *lint.Pass, f lint.Finding, newer, older *catalogs.Bundle) {
	if p.Catalog.Form != catalogs.Repository {
		return
	}
	f.WarningGates = lint.GateCertified | lint.GateMarketplace
	if len(p.Package.Channels) == 0 {
		f.WarningGates = lint.GatePipelines
	}
	f.Cause = []string{"mixed", namePrefix(newer.Name.Value), namePrefix(older.Name.Value)}
	f.Message = fmt.Sprintf("the bundles of the package have different prefixes, as %q and %q: the community pipeline rejects every new bundle, unless file-based catalogs are enabled in ci.yaml",
		newer.Name.Value, older.Name.Value)
	f.Fix = "use file-based catalogs, or ask for an exemption of check_operator_name_unique in config.yaml"
	p.Report(f)
}
