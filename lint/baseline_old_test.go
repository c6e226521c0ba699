package lint

import (
	"testing"
)

// TestOldBaseline checks that a baseline of an earlier version accepts what it accepted under other rules and grouping, and nothing
// else.
func TestOldBaseline(t *testing.T) {
	const text = `{"version": 2, "accepted": [
		{"fingerprints": ["x"], "count": 1, "rule": "crd/old", "package": "p", "bundle": "b", "crd": "c", "channel": "stable", "message": "c v1: spec.a is gone, from x"},
		{"fingerprints": ["y"], "count": 1, "rule": "crd/older", "package": "p", "bundle": "b", "crd": "c", "message": "c v1: status.b and status.c are required now"},
		{"fingerprints": ["z"], "count": 1, "rule": "graph/stuck", "package": "p", "bundle": "b1", "channel": "stable", "message": "stuck"},
		{"fingerprints": ["w"], "count": 1, "rule": "graph/gone", "package": "p", "message": "fixed"}]}`
	rules := []Rule{{ID: "crd/new", Formerly: []string{"crd/old", "crd/older"}}, {ID: "graph/stuck"}}
	crd := func(faults ...string) Finding {
		return Finding{Rule: "crd/new", Subject: Subject{Package: "p", Bundle: "b", CRD: "c"}, Faults: faults}
	}
	otherBundle := crd("v1/spec.a/gone")
	otherBundle.Bundle = "other"
	stuck := func(faults ...string) Finding {
		return Finding{Rule: "graph/stuck", Subject: Subject{Package: "p", Bundle: "skipping", Channel: "stable"}, Faults: faults}
	}
	two := stuck("b1")
	two.Also = []Occurrence{{Subject: Subject{Package: "p", Bundle: "skipping", Channel: "fast"}}}
	for _, j := range []struct {
		name string
		f    Finding
		want bool
	}{
		{"a channel more", two, false},
		{"merged", crd("v1/spec.a/gone", "v1/status/required"), true},
		{"one of them", crd("v1/spec.a/gone"), true},
		{"a change more", crd("v1/spec.a/gone", "v1/spec.ab/gone"), false},
		{"another bundle", otherBundle, false},
		{"an entry", stuck("b1"), true},
		{"an entry more", stuck("b1", "b2"), false},
		{"another rule", Finding{Rule: "graph/other", Subject: Subject{Package: "p"}}, false},
		{"never in a baseline", Finding{Rule: ParseRuleID, Subject: Subject{Package: "p"}}, false},
	} {
		all := []Finding{j.f}
		carried, dropped := ParseOldBaseline([]byte(text)).Accept(all, rules)
		if got := all[0].Suppressed != ""; got != j.want || (carried > 0) != j.want || carried+dropped != 4 {
			t.Errorf("%s: accepted %t, %d carried over, %d dropped", j.name, got, carried, dropped)
		}
	}
	known := Finding{Rule: "a/b", Subject: Subject{Package: "p"}}
	old := &OldBaseline{entries: []BaselineEntry{{Fingerprints: known.fingerprints(), Count: 1}}, used: make([]bool, 1)}
	twice := []Finding{known, known}
	if old.Accept(twice, nil); len(Accepted(twice)) != 1 || Acceptable(twice) != 1 {
		t.Errorf("an entry accepts %d findings", len(Accepted(twice)))
	}
	for _, text := range []string{`{"version": 3}`, `{"version": 0}`, "[", `{"version": 4}`} {
		if ParseOldBaseline([]byte(text)) != nil {
			t.Errorf("%s is not an old baseline", text)
		}
	}
}

// TestRenamedRule checks that a configuration and a comment with the former ID of a rule say what it is now.
func TestRenamedRule(t *testing.T) {
	rules := []Rule{{ID: "crd/new", Formerly: []string{"crd/old"}}, {ID: "crd/newer", Formerly: []string{"crd/old"}}}
	for text, want := range map[string]string{
		"rules: {crd/old: off}":                             `c:1:9: the rule "crd/old" is now crd/new and crd/newer`,
		"suppressions: [{rule: crd/old, reason: x}]":        `c:1:16: the rule "crd/old" is now crd/new and crd/newer`,
		"rules: {crd/nev: off}":                             `c:1:9: no rule "crd/nev"; did you mean crd/new?`,
		"suppressions: [{rule: something/else, reason: x}]": `c:1:16: no rule "something/else"; olmgraph rules lists them`,
	} {
		if _, err := ParseConfig("c", []byte(text), rules); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if got := unknownRule(rules, "crd/old"); got != `"crd/old" is now crd/new and crd/newer` {
		t.Error(got)
	}
}
