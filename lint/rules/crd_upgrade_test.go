package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// TestSchemaQuestions checks that each rule on schemas has the same findings alone and together with the others, but for examples that do not match
// a schema of which crd/schema-narrowed tells.
func TestSchemaQuestions(t *testing.T) {
	operators := []string{"codeflare-operator", "integrity-shield-operator", "kogito-operator"}
	if testing.Short() {
		operators = operators[:1]
	}
	for _, operator := range operators {
		cats := opentest.Open(t, catalogtest.Data(t, "bundle-repo/operators/"+operator))
		together := messagesByRule(t, cats, family("crd"))
		if len(together) == 0 {
			t.Errorf("nothing is found in %s", operator)
		}
		for _, r := range family("crd") {
			if r.ID == "crd/example-invalid" {
				continue
			}
			if alone := messagesByRule(t, cats, []lint.Rule{r})[r.ID]; !slices.Equal(alone, together[r.ID]) {
				t.Errorf("%s finds alone\n%s\nand among others\n%s", r.ID, strings.Join(alone, "\n"), strings.Join(together[r.ID], "\n"))
			}
		}
	}
}

func messagesByRule(t *testing.T, cats []*catalogs.Catalog, rules []lint.Rule) map[string][]string {
	t.Helper()
	found := lintAll(t, cats, lint.Options{Rules: rules})
	messages := map[string][]string{}
	for _, f := range found {
		messages[f.Rule] = append(messages[f.Rule], f.Message)
	}
	return messages
}
