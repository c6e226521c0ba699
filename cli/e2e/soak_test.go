package e2e

import (
	"cmp"
	"crypto/sha256"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

// TestSoak runs the same commands repeatedly in one process: lint and list of real catalogs, every command that the documentation shows with
// its output, and each format of pictures. The output must be the same, and no memory may be kept.
// OLMGRAPH_SOAK is the number of runs over all forms; by default there are a few runs over some.
func TestSoak(t *testing.T) {
	rounds, forms := 4, []string{"fbc/community-v4.20", "images/small-sqlite.oci.tar", "manifests/etcd"}
	if n, err := strconv.Atoi(os.Getenv("OLMGRAPH_SOAK")); err == nil {
		rounds, forms = n, append(forms, "fbc/community-v4.14", "fbc/community-v4.18.json", "images/community-v4.20.oci.tar", "sqlite/small.db", "bundle-repo")
	} else if testing.Short() {
		t.Skip("it looks at all real catalogs several times")
	}
	commands := documented(t) // which sets the folder
	for _, form := range forms {
		ref := catalogtest.Data(t, form)
		commands = append(commands, []string{"lint", "-o", "json", ref}, []string{"list", "-o", "json", ref})
	}
	var before uint64
	sums := map[string][sha256.Size]byte{}
	for round := range rounds {
		for _, args := range commands {
			status, out, errs := run(t, args...)
			if status > 1 {
				t.Fatalf("olmgraph %v: status %d, %s", args, status, errs)
			}
			key, sum := strings.Join(args, " "), sha256.Sum256([]byte(out+errs))
			if first, known := sums[key]; known && first != sum {
				t.Fatalf("round %d: olmgraph %v says something else than before", round, args)
			}
			sums[key] = sum
		}
		now := heapSize()
		if round == 1 {
			before = now
		}
		const slack = 4 << 20
		if round > 1 && now > before+slack {
			t.Fatalf("round %d: %d bytes are kept, after the second it was %d", round, now, before)
		}
		if round == rounds-1 || round%20 == 19 {
			t.Logf("%d commands, %d bytes are kept after %d rounds, %d after the second", len(commands), now, round+1, before)
		}
	}
}

// documented returns the commands that the documentation shows with their output, and one for each format of pictures.
func documented(t *testing.T) [][]string {
	var all [][]string
	for _, text := range pages(t) {
		for _, m := range consoleBlock.FindAllStringSubmatch(text, -1) {
			all = append(all, strings.Fields(m[1]))
		}
	}
	slices.SortFunc(all, slices.Compare)
	for _, format := range []string{"svg", "dot", "mermaid", "html"} {
		all = append(all, []string{"render", "testdata/catalogs/harbour", "harbour", "-o", format})
	}
	return all
}

// TestManyCatalogs lints a catalog many times in one run: the findings are the same each time, and the memory that is live at
// the end, without findings, is less than that of one catalog.
func TestManyCatalogs(t *testing.T) {
	catalogtest.SkipUnlessLong(t)
	const times = 8
	file := grown{packages: 20, bundles: 30, words: 600}.file(t)
	wait := func() *repo.Opened {
		cats, err := open.Catalogs(t.Context(), file, open.Options{Deferred: true})
		if err != nil {
			t.Fatal(err)
		}
		return cats[0]
	}
	run := func(cats ...*repo.Opened) []lint.Finding {
		linter := lint.NewLinter(lint.Options{Rules: rules.All(), ForgetCatalogs: true})
		for _, c := range cats {
			if err := cmp.Or(c.Read(t.Context()), linter.Add(t.Context(), c.Catalog)); err != nil {
				t.Fatal(err)
			}
		}
		found, err := linter.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	empty := heapSize()
	want := run(wait())
	findings := heapSize() - empty

	empty = heapSize()
	whole := wait()
	if err := whole.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	one := heapSize() - empty
	if whole.Stats.Bytes < 20<<20 {
		t.Fatalf("a catalog of %d bytes is linted together with the next one", whole.Stats.Bytes)
	}
	whole = nil

	var many []*repo.Opened
	for range times {
		many = append(many, wait())
	}
	empty = heapSize()
	found := run(many...)
	if got := heapSize(); got > empty+one+times*findings {
		t.Errorf("%d bytes are kept of %d catalogs, %d of one that is not forgotten, and %d of the findings of one", got-empty, times, one, findings)
	}
	if !reflect.DeepEqual(found, slices.Repeat(want, times)) {
		t.Errorf("%d findings, want %d times the %d of one catalog", len(found), times, len(want))
	}
	for _, c := range many {
		if len(c.Packages) != 20 || c.Stats.Bundles != 600 {
			t.Fatalf("after the run: %d packages, %+v", len(c.Packages), c.Stats)
		}
	}
}

// heapSize returns the size of the live heap in bytes.
func heapSize() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second one clears pools
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
