package words

import (
	"strings"
	"testing"
)

func TestKubernetesNames(t *testing.T) {
	for name, want := range map[string]string{
		"boat.v1.0.0": "", "a": "", "": "is empty", "Boat": "must have only", "boat-": "must have only", "-boat": "must have only", "a..b": "must have only", "a_b": "must have only",
		strings.Repeat("a", 253): "", strings.Repeat("a", 254): "has 254 characters",
	} {
		if got := NameFault(name); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for text, want := range map[string]string{"": "", "Boat_1.0": "", "boat.": "must have only", "a b": "must have only", strings.Repeat("a", 63): "", strings.Repeat("a", 64): "has 64 characters"} {
		if got := LabelFault(text); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("label %q: %q, want %q", text, got, want)
		}
	}
}
