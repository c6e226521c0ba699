package crd

import (
	"slices"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		faults, err := d.Faults()
		if err != nil && strings.Contains(err.Error(), "library failed") {
			t.Error(err)
		}
		again, _ := d.Faults()
		if !slices.Equal(faults, again) {
			t.Errorf("not the same twice:\n%v\n%v", faults, again)
		}
		for _, fault := range faults {
			if strings.Contains(fault.Message, "\n") || len(fault.Message) > 2*maxMessage {
				t.Errorf("not short or not one line: %q", fault.Message)
			}
		}
	})
}

func FuzzChanges(f *testing.F) {
	all := seeds()
	for i, seed := range all {
		f.Add([]byte(seed), []byte(all[(i+1)%len(all)]))
	}
	f.Fuzz(func(t *testing.T, oldText, newText []byte) {
		old, oldErr := Parse(oldText)
		new, newErr := Parse(newText)
		if oldErr != nil || newErr != nil {
			return
		}
		changes, err := Changes(old, new)
		if err != nil && strings.Contains(err.Error(), "library failed") {
			t.Error(err)
		}
		if again, _ := Changes(old, new); !slices.Equal(changes, again) {
			t.Errorf("not the same twice:\n%v\n%v", changes, again)
		}
		top := Topmost(changes)
		if len(top) > len(changes) || len(top) == 0 && len(changes) > 0 {
			t.Errorf("%d of %d changes are topmost", len(top), len(changes))
		}
		if _, err := UpdateFaults(old.Outline, new.Outline, []string{"v1"}); err != nil && strings.Contains(err.Error(), "library failed") {
			t.Error(err)
		}
		if none, err := Changes(new, new); err == nil && len(none) > 0 {
			t.Errorf("changes of nothing: %v", none)
		}
		_, _ = new.asStored(new.StorageVersion(), oldText)
		_, _ = new.Invalid(new.StorageVersion(), oldText)
	})
}

func seeds() []string {
	return []string{
		widget(version("v1*", `"size":{"type":"integer","maximum":20,"default":3},"mode":{"type":"string","enum":["a","b"]}`)),
		widget(version("v1*", `"size":{"type":"integer","maximum":10}`)),
		widget(version("v1alpha1", `"a":{"type":"array","items":{"type":"string"}}`), version("v1*", `"a":{"type":"object","additionalProperties":{"type":"string"}}`)),
		widget(version("v1alpha1!", `"a":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}`), version("v1*", `"a":{"type":"string","pattern":"^a"}`)),
		widget(version("v1*", `"x":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]}`)),
		widget(version("v1*", `"x":{"not":{"type":"string"},"patternProperties":{"a":{}},"dependencies":{"a":["b"],"b":{}},"additionalItems":{},"items":[{}]}`)),
		beta(`"size":{"type":"integer"}`),
		beta(`"size":{}`),
		widget(),
	}
}
