package graph

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

func TestVersionIn(t *testing.T) {
	for name, want := range map[string]string{
		"foo.v1.2.3": "1.2.3", "foo-1.2.3": "1.2.3", "foo-v1.2.3": "1.2.3", "foo_1.2.3": "1.2.3", "1.2.3": "1.2.3", "v1.2.3": "1.2.3",
		"my.vendor.v1.2.3": "1.2.3", "3scale-operator.v0.10.0-mas": "0.10.0-mas", "foo-2.1-operator.v1.0.0": "1.0.0", "foo.v2.operator.v1.0.0": "1.0.0",
		"foo.v1.5.0-0.1657.p": "1.5.0-0.1657.p", "foo.1.2.3+4": "1.2.3+4", "foo.v1.2": "1.2.0", "foo.v01.2.3": "1.2.3", "k8s-op.4.1": "4.1.0",
		"etcd.v0.9.4": "0.9.4", "prometheusoperator.0.47.0": "0.47.0", "a.very.versatile.v2.0.0-rc": "2.0.0-rc", "op.v1.0.0-rc.v2": "1.0.0-rc.v2", "op-3.v1.2.3": "1.2.3",
		"op.v0.8": "0.8.0", "op.v1.2.3.4": "", "foo": "", "foo.latest": "", "": "", "v": "", "foo.v": "", "foo1.x": "", "foo.vv1": "",
	} {
		got := ""
		if v, ok := VersionIn(name); ok {
			got = v.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestVersionInLongName(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 500, func(n int) {
		if _, ok := VersionIn(strings.Repeat("v1.2.3-", n) + "_"); ok {
			t.Error("found")
		}
	})
}

func TestSplitName(t *testing.T) {
	for text, want := range map[string][2]string{
		"foo.v1.2.3": {"foo.v1.2.3", "1.2.3"}, "foo@1.2.3": {"foo", "1.2.3"}, "foo.v1.0.0@v2": {"foo.v1.0.0", "2.0.0"}, "foo@": {"foo", ""},
		"foo@x": {"foo", ""}, "foo": {"foo", ""},
	} {
		name, version, known := SplitName(text)
		got := [2]string{name, ""}
		if known {
			got[1] = version.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
