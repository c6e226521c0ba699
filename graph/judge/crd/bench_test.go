package crd

import (
	"fmt"
	"strings"
	"testing"
)

// large is a definition of some 300 KB with two versions, as generated for an operator that embeds a pod template.
func large(maximum int) string {
	field := func(i int) string {
		return fmt.Sprintf(`"field%d":{"type":"object","description":"%s","properties":{"name":{"type":"string","maxLength":%d},
			"size":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},
			"list":{"type":"array","items":{"type":"object","required":["key"],"properties":{"key":{"type":"string"},"value":{"type":"string"}}}},
			"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`, i, strings.Repeat("what it is for ", 20), maximum)
	}
	var fields []string
	for i := range 200 {
		fields = append(fields, field(i))
	}
	rules := `,"x-kubernetes-validations":[{"rule":"!has(self.field1) || self.field1.name != 'a'"}]`
	one := version("v1*", strings.Join(fields, ","))
	return widget(version("v1alpha1", strings.Join(fields, ",")), strings.Replace(one, `"spec":{"type":"object"`, `"spec":{"type":"object"`+rules, 1))
}

func BenchmarkParse(b *testing.B) {
	text := []byte(large(9))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFaults(b *testing.B) {
	d := parse(b, large(9))
	b.ReportAllocs()
	for b.Loop() {
		if faults, err := d.Faults(); err != nil || len(faults) > 0 {
			b.Fatal(faults, err)
		}
	}
}

func BenchmarkChanges(b *testing.B) {
	old := parse(b, large(9))
	for name, new := range map[string]*Definition{"equal": parse(b, large(9)), "all": parse(b, large(8))} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Changes(old, new); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUpdateFaults(b *testing.B) {
	old, new := parse(b, large(9)), parse(b, large(8))
	for b.Loop() {
		if _, err := UpdateFaults(old.Outline, new.Outline, []string{"v1"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBundles does all that lint would of the real bundles: each content once, and each upgrade.
func BenchmarkBundles(b *testing.B) {
	manifests := bundleRepo(b)
	b.ReportAllocs()
	for b.Loop() {
		known := definitions{}
		for _, m := range manifests {
			known.parse(b, m)
		}
		for _, d := range known {
			if _, err := d.Faults(); err != nil {
				b.Fatal(err)
			}
		}
		for _, s := range steps(manifests) {
			old, new := known.parse(b, s.old), known.parse(b, s.new)
			_, changesErr := Changes(old, new)
			_, refusalsErr := UpdateFaults(old.Outline, new.Outline, []string{old.StorageVersion()})
			if changesErr != nil || refusalsErr != nil {
				b.Fatal(changesErr, refusalsErr)
			}
		}
	}
}
