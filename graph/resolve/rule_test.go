package resolve

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

func language(t testing.TB) *ruleEnvironment {
	t.Helper()
	l, err := newRuleEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var properties = []map[string]any{
	{"type": "olm.package", "value": map[string]any{"packageName": "p", "version": "1.2.0"}},
	{"type": "number", "value": 2.0},
	{"type": "olm.maxOpenShiftVersion", "value": "4.18"},
	nil,
}

func TestRules(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{`properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "v1.2") == 0)`, "true"},
		{`properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "1.10.0") > 0)`, "false"},
		{`semver_compare(properties[1].value, "2") == 0`, "true"},
		{`semver_compare(properties[0].value, "2") == 0`, "false"}, // cannot be worked out
		{`semver_compare(properties[9].value, "2") == 0`, "false"},
		{`semver_compare("nonsense", "2") != 0`, "false"},
		{`properties.all(p, has(p.type))`, "false"},
		{`true`, "true"},
		{`properties.size()`, "error"},
		{`properties[0].value`, "error"},
		{`unknown == 1`, "error"},
		{`properties.exists(`, "error"},
		{``, "error"},
		{strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), "error"},
		{strings.Repeat("!", 200_000) + "true", "error"},
	} {
		got := "error"
		if rule, err := language(t).Compile(c.rule); err == nil {
			got = map[bool]string{true: "true", false: "false"}[rule.Matches(properties)]
		}
		if got != c.want {
			t.Errorf("%.60s is %s, want %s", c.rule, got, c.want)
		}
	}
}

// TestBounded evaluates a rule that would run for years without the limit.
func TestBounded(t *testing.T) {
	var many []map[string]any
	for range 2000 {
		many = append(many, map[string]any{"type": "t", "value": strings.Repeat("9", 5000)})
	}
	for _, text := range []string{
		"properties.all(a, properties.all(b, properties.all(c, properties.all(d, a.type == b.type && c.type == d.type))))",
		"properties.all(a, properties.all(b, a.value + b.value != '' && semver_compare(a.value, b.value) == 0 || true))",
		"properties.all(a, properties.all(b, semver_compare(properties, properties) == 0 || true))",
		"properties.map(a, properties.map(b, properties)).size() > 0",
		"properties.all(a, a.value.matches('(9*)*(9*)*(9*)*x') || properties.all(b, b.value.matches('^(9|9)*$')))",
	} {
		rule, err := language(t).Compile(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if rule.Matches(many) {
			t.Errorf("%s holds", text)
		}
		t.Logf("%d of %d", rule.Cost(), uint64(limit))
		if !rule.LimitReached() || rule.Cost() > 2*limit {
			t.Errorf("%s: a cost of %d", text, rule.Cost())
		}
	}
}

// TestFaultsApart adds the faults of each bundle to its own list, though the facts of both have one with room for more.
func TestFaultsApart(t *testing.T) {
	shared := make([]catalogs.RequirementFault, 1, 2)
	var all [2]bundle
	for i, text := range []string{"first", "second"} {
		all[i].facts = &catalogs.Facts{Faults: shared, Requires: []catalogs.Requirement{{Package: "a", Range: text}}}
		(&requirementCompiler{}).readRequirements(&all[i])
	}
	if first, second := all[0].faults[1].Err.Error(), all[1].faults[1].Err.Error(); first == second {
		t.Errorf("both have %s", first)
	}
}
