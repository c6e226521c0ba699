package crd

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blang/semver/v4"
	"gopkg.in/yaml.v3"
)

const sharedData = "../../../../shared/data"

// manifest is a definition in a bundle of real data, as JSON.
type manifest struct {
	file, operator, name string
	version              semver.Version
	text                 []byte
}

// bundleRepo is every definition in the bundles of real data, by operator, name and version.
func bundleRepo(t testing.TB) []manifest {
	t.Helper()
	found := readBundleRepo()
	if len(found) == 0 {
		t.Skip("no bundles in ../shared/data/bundle-repo")
	}
	return found
}

var readBundleRepo = sync.OnceValue(func() []manifest {
	var found []manifest
	files, _ := filepath.Glob(sharedData + "/bundle-repo/operators/*/*/manifests/*")
	for _, file := range files {
		if m, ok := readManifest(file); ok {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b manifest) int {
		return cmp.Or(cmp.Compare(a.operator, b.operator), cmp.Compare(a.name, b.name), a.version.Compare(b.version))
	})
	return found
})

func readManifest(file string) (manifest, bool) {
	version := filepath.Dir(filepath.Dir(file))
	m := manifest{file: file, operator: filepath.Base(filepath.Dir(version))}
	var err error
	if m.version, err = semver.ParseTolerant(filepath.Base(version)); err != nil {
		return m, false
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "CustomResourceDefinition") {
		return m, false
	}
	var value map[string]any
	if err := yaml.Unmarshal(text, &value); err != nil || value["kind"] != "CustomResourceDefinition" {
		return m, false
	}
	meta, _ := value["metadata"].(map[string]any)
	m.name, _ = meta["name"].(string)
	m.text, err = json.Marshal(value)
	return m, err == nil
}

// step is one definition and the one that takes its place in the next bundle.
type step struct{ old, new manifest }

// steps are the neighbours among manifests, each content once.
func steps(manifests []manifest) []step {
	var found []step
	seen := map[[2]string]bool{}
	for i := 1; i < len(manifests); i++ {
		old, new := manifests[i-1], manifests[i]
		texts := [2]string{string(old.text), string(new.text)}
		if old.operator == new.operator && old.name == new.name && texts[0] != texts[1] && !seen[texts] {
			seen[texts] = true
			found = append(found, step{old, new})
		}
	}
	return found
}

// definitions parses each content once.
type definitions map[string]*Definition

func (d definitions) parse(t testing.TB, m manifest) *Definition {
	t.Helper()
	if d[string(m.text)] == nil {
		parsed, err := Parse(m.text)
		if err != nil {
			t.Fatalf("%s: %v", m.file, err)
		}
		d[string(m.text)] = parsed
	}
	return d[string(m.text)]
}
