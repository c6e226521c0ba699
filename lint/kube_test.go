package lint

import (
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

func TestKube(t *testing.T) {
	for text, want := range map[string]int{"1.29": 29, "v1.29.3": 29, "1.9": 9, "": -1, "1": -1, "2.0": -1, "1.29-rc": -1, "1.2.3.4": -1} {
		if got, err := ParseKubeVersion(text); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, c := range []struct {
		kube, config, catalog string
		want                  int
	}{{"1.30", "4.14", "", 30}, {"", "4.14", "4.12", 27}, {"", "", "4.12", 25}, {"", "", "", 0}, {"", "", "4.2", 0}, {"", "5.1", "", 0}} {
		p := &Pass{Catalog: &catalogs.Catalog{OpenShift: c.catalog}, Config: &Config{Kube: c.kube, OpenShift: c.config}}
		if got, _ := p.KubeMinor(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for openShift, want := range map[int]int{1: 13, 2: 14, 3: 16, 17: 30} {
		if got := KubeMinor(openShift); got != want {
			t.Errorf("OpenShift 4.%d: Kubernetes 1.%d, want 1.%d", openShift, got, want)
		}
	}
}
