package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/olmgraph/olmgraph/cli"
)

// TestSoak asks the same again and again in one process: the answers have the same bytes each time, and nothing is kept of
// them. OLMGRAPH_SOAK is how often, of all forms; a few times, and of some, if it is not set.
func TestSoak(t *testing.T) {
	rounds, forms := 4, []string{"fbc/community-v4.20", "images/small-sqlite.oci.tar", "manifests/etcd"}
	if n, err := strconv.Atoi(os.Getenv("OLMGRAPH_SOAK")); err == nil {
		rounds, forms = n, append(forms, "fbc/community-v4.14", "fbc/community-v4.18.json", "images/community-v4.20.oci.tar", "sqlite/small.db", "bundle-repo")
	} else if testing.Short() {
		t.Skip("it looks at all real catalogs several times")
	}
	const data = "../shared/data"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("the real catalogs are not beside the project: %v", err)
	}
	var before uint64
	sums := map[string][sha256.Size]byte{}
	for round := range rounds {
		for _, form := range forms {
			ref := filepath.Join(data, form)
			for _, args := range [][]string{{"lint", "--format", "json", ref}, {"list", "--format", "json", ref}} {
				var out, errs bytes.Buffer
				if status := cli.Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, ruleScripts()); status > 1 {
					t.Fatalf("olmgraph %v: status %d, %s", args, status, &errs)
				}
				key, sum := args[0]+ref, sha256.Sum256(out.Bytes())
				if first, known := sums[key]; known && first != sum {
					t.Fatalf("round %d: olmgraph %v says something else than before", round, args)
				}
				sums[key] = sum
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools still hold goes with the second
		runtime.ReadMemStats(&m)
		if round == 1 {
			before = m.HeapAlloc
		}
		const slack = 4 << 20
		if round > 1 && m.HeapAlloc > before+slack {
			t.Fatalf("round %d: %d bytes are kept, after the second it was %d", round, m.HeapAlloc, before)
		}
		if round == rounds-1 {
			t.Logf("%d bytes are kept after %d rounds, %d after the second", m.HeapAlloc, rounds, before)
		}
	}
}
