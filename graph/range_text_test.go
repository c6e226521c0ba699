package graph

import (
	"testing"

	"github.com/blang/semver/v4"
)

func TestRangeEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		">=1.0.0 <1.1.0":                  false,
		">=1.1.0 <1.0.0":                  true,
		">1.0.0 <1.0.0":                   true,
		">=1.0.0 <=1.0.0":                 false,
		">1.0.0 <1.0.1":                   false, // 1.0.1-0 is between
		">1.0.0 <1.0.1-0":                 true,
		"<1.0.0":                          false,
		"1.2.x":                           false,
		">=2.1.x <2.2.1":                  false,
		">=2.0.0 <1.0.0 || 3.x":           false,
		">=2.0.0 <1.0.0 || >3.0.0 <3.0.0": true,
		"1.0.0 - 1.2.0":                   true, // both at once
		"!1.0.0":                          false,
	} {
		if got := ReadRange(text).IsEmpty(); got != want {
			t.Errorf("%q: empty is %v", text, got)
		}
	}
}

func TestRangeCrashes(t *testing.T) {
	for text, want := range map[string]bool{
		"1.0.0 || 1 || 2.0.0":   true,
		"<1.0.0 || 1 || >2.0.0": true,
		"1.0.0 || 2.0.0":        false,
		"1.0.0 1 2.0.0":         false, // the 1 is dropped
		"1.x || >=2.0.0":        false,
		"^1.0.0":                false,
	} {
		if got := ReadRange(text).Crashes(); got != want {
			t.Errorf("%q: crashes is %v", text, got)
		}
	}
}

func TestRangeBelow(t *testing.T) {
	for text, want := range map[string]string{
		">2.6.1-final":                  ">2.6.1-final <2.7.0-final",
		">=1.0.0 <=2.7.0-final":         ">=1.0.0 <2.7.0-final",
		">=1.0.0 <2.0.0 || >=2.5.0":     ">=1.0.0 <2.0.0 || >=2.5.0 <2.7.0-final",
		">=1.0.0 <2.0.0 || 2.7.0-final": ">=1.0.0 <2.0.0",
		">=1.0.0 <2.0.0 || >3.0.0":      ">=1.0.0 <2.0.0",
		"2.x":                           "2.x <2.7.0-final",
		"!2.0.0":                        "!2.0.0 <2.7.0-final",
		"2.7.0-final":                   "",
		">=3.0.0":                       "",
		"^1.0.0":                        "",
	} {
		if got, ok := ReadRange(text).Below(semver.MustParse("2.7.0-final")); got != want || ok != (want != "") {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
