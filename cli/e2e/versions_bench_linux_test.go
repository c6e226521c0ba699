package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wide is one operator of many versions that brings many large CRDs, each of which changes with each version.
type wide struct {
	versions, crds int
	size           int // bytes of a CRD, about
}

// BenchmarkVersions lints the bundle folders of one operator of 60 versions with 40 CRDs of 100 KB each, in a process. It says how
// much processor time that takes in all, how many times that of a run in which the collector has as much memory as it likes, and
// the peak of memory. It takes 250 MB of disk.
func BenchmarkVersions(b *testing.B) {
	dir := wide{versions: 60, crds: 40, size: 100_000}.repository(b)
	var peak int64
	var took, unlimited time.Duration
	for b.Loop() {
		used, most := lintUsage(b, dir)
		free, _ := lintUsage(b, dir, "GOGC=400")
		took, unlimited, peak = took+used, unlimited+free, max(peak, most)
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(took.Seconds()/unlimited.Seconds(), "cpu/unlimited")
	b.ReportMetric(float64(peak), "MiB-peak")
}

// lintUsage lints a folder in a process, and returns its processor time and its peak of memory in MiB.
func lintUsage(tb testing.TB, dir string, env ...string) (took time.Duration, peak int64) {
	cmd := exec.Command("olmgraph", "lint", dir)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		tb.Fatalf("olmgraph: %v: %s", err, out)
	}
	s := cmd.ProcessState
	return s.UserTime() + s.SystemTime(), s.SysUsage().(*syscall.Rusage).Maxrss / 1024
}

// repository writes a catalog repository: a folder of manifests and metadata for each version.
func (w wide) repository(tb testing.TB) string {
	dir := tb.TempDir()
	g := grown{packages: 1, bundles: w.versions, words: 20}
	for v := range w.versions {
		at := filepath.Join(dir, "operators", g.pkg(0), g.version(v))
		put := func(name, text string) {
			g.put(tb, filepath.Join(at, name), func(f *os.File) error {
				_, err := f.WriteString(text)
				return err
			})
		}
		csv := g.csv(0, v)
		var owned, examples []any
		for c := range w.crds {
			owned = append(owned, object{"name": wideName(c), "version": "v1", "kind": wideKind(c), "displayName": "Tide", "description": "A tide."})
			examples = append(examples, object{"apiVersion": "wide.example/v1", "kind": wideKind(c), "metadata": object{"name": "low"},
				"spec": object{"field0": object{"name": "a", "count": 3}}})
			put(fmt.Sprintf("manifests/crd-%d.yaml", c), w.crd(c, v))
		}
		csv["spec"].(object)["customresourcedefinitions"] = object{"owned": owned}
		csv["metadata"].(object)["annotations"].(object)["alm-examples"] = string(asJSON(examples))
		put("manifests/csv.yaml", string(asJSON(csv)))
		put("metadata/annotations.yaml", fmt.Sprintf("annotations:\n  operators.operatorframework.io.bundle.package.v1: %s\n"+
			"  operators.operatorframework.io.bundle.channels.v1: stable\n  operators.operatorframework.io.bundle.channel.default.v1: stable\n", g.pkg(0)))
	}
	return dir
}

func wideKind(c int) string { return fmt.Sprintf("Tide%d", c) }
func wideName(c int) string { return fmt.Sprintf("tide%ds.wide.example", c) }

// crd is a CRD of a version, in YAML: the schemas of controllers, with lists, enumerations, defaults, rules and embedded selectors,
// and half of it descriptions. Versions differ in one field, a new one, or one whose default or limit is another.
func (w wide) crd(c, version int) string {
	var fields strings.Builder
	random := rand.New(rand.NewPCG(17, uint64(c)))
	for n := 0; fields.Len() < w.size; n++ {
		// The field whose turn it is takes more, now and then less.
		limit := 100 + (version+40-n)/40
		if n%10 == 9 {
			limit = 200 - limit
		}
		wideField(&fields, random, n, limit)
	}
	return fmt.Sprintf(wideCRD, wideName(c), wideKind(c), strings.ToLower(wideKind(c)), fields.String())
}

const wideCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[1]s
spec:
  group: wide.example
  names:
    kind: %[2]s
    listKind: %[2]sList
    plural: %[3]ss
    singular: %[3]s
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            properties:
%[4]s            type: object
        type: object
    served: true
    storage: true
    subresources:
      status: {}
`

// wideField writes the schema of a field.
func wideField(to *strings.Builder, random *rand.Rand, n, limit int) {
	words := strings.Fields("the tide is set by moon and sun for every harbour of a cluster, and waits until each of them has been seen")
	for line := range strings.Lines(fmt.Sprintf(wideFieldSchema, n, limit)) {
		before, most, described := strings.Cut(line, "~")
		to.WriteString(before)
		if described {
			most, _ := strconv.Atoi(strings.TrimSpace(most))
			for range most/2 + random.IntN(most) {
				to.WriteString(words[random.IntN(len(words))] + " ")
			}
			to.WriteString("\n")
		}
	}
	if n%50 == 7 {
		to.WriteString("                x-kubernetes-validations:\n                - rule: self.count > 0\n                  message: count is positive\n")
	}
}

// wideFieldSchema is a schema in which a tilde and a number of words mark a description.
const wideFieldSchema = `              field%[1]d:
                description: ~40
                properties:
                  count:
                    default: 1
                    description: ~20
                    format: int32
                    maximum: %[2]d
                    type: integer
                  expressions:
                    items:
                      properties:
                        key:
                          description: ~15
                          type: string
                        operator:
                          description: ~15
                          type: string
                        values:
                          items:
                            type: string
                          type: array
                      required:
                      - key
                      - operator
                      type: object
                    type: array
                    x-kubernetes-list-map-keys:
                    - key
                    x-kubernetes-list-type: map
                  labels:
                    additionalProperties:
                      type: string
                    type: object
                  name:
                    description: ~20
                    maxLength: 63
                    pattern: ^[a-z]([-a-z0-9]*[a-z0-9])?$
                    type: string
                  policy:
                    default: Always
                    enum:
                    - Always
                    - Never
                    - IfNotPresent
                    type: string
                  size:
                    anyOf:
                    - type: integer
                    - type: string
                    x-kubernetes-int-or-string: true
                required:
                - name
                type: object
`
