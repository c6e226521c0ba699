package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// BenchmarkStatesGrowth reads as many namespaces with a Subscription and a CatalogSource each: the time is to grow with their number.
func BenchmarkStatesGrowth(b *testing.B) {
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var text strings.Builder
			for i := range n {
				fmt.Fprintf(&text, "---\n{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: ferry, namespace: n%d}, spec: {name: ferry, source: tide, sourceNamespace: olm}}\n"+
					"---\n{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: own, namespace: n%[1]d}}\n", i)
			}
			var s snapshot.Snapshot
			if err := s.Read("", strings.NewReader(text.String())); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := ReadStates(&s, "", ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
