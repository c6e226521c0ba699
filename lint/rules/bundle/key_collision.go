package bundle

import (
	"regexp"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var keyCollision = lint.Rule{
	ID: "bundle/key-collision", Severity: lint.Error, Gates: lint.GateOLMv0,
	Doc: `two files of a bundle have the same ConfigMap key
OLM v0 stores the files of a bundle in a ConfigMap, with a hyphen for each character that a key cannot have. Of two files with the
same key it silently loses one.
Rename one of them.`,
	Reference: "operator-registry pkg/configmap",
	Check:     contents.InAllBundles(checkKeys),
}

var invalidKeyCharacter = regexp.MustCompile(`[^-._a-zA-Z0-9]`)

// checkKeys reports files that OLM v0 stores under the same key of a ConfigMap (operator-registry: pkg/configmap).
func checkKeys(c *contents.Contents) {
	folder := c.Folder
	if folder == nil {
		return
	}
	keys := map[string]string{}
	for _, name := range folder.Files {
		key := invalidKeyCharacter.ReplaceAllString(name, "-")
		if other, ok := keys[key]; ok {
			c.ReportAt(folder.Pos, "rename one of them",
				"has the files %q and %q, which OLM v0 stores under the same key: it installs only one of them", other, name).WithCause(other, name)
		}
		keys[key] = name
	}
}
