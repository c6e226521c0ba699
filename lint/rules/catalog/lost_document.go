package catalog

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/problems"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var lostDocument = lint.Rule{
	ID: "catalog/lost-document", Severity: lint.Warning, Gates: lint.GateAdvice, Scope: lint.PerCatalog,
	Doc: `opm silently drops a part of the file
opm splits a file at lines that begin with --- and reads one document of each part. It silently drops what follows a document in
the same part, after a line of three dots: packages, channels or bundles can be missing from the catalog.
Insert a line --- before it.`,
	Reference: "k8s.io/apimachinery YAMLReader",
	Check:     checkLostDocuments,
}

// checkLostDocuments reports each document of a file, and the bundles of a SQLite index once for each reason.
func checkLostDocuments(p *lint.Pass) {
	if p.Catalog.Form != catalogs.SQLite {
		problems.Check(catalogs.LostDocument, "insert a line --- before it, or remove it")(p)
		return
	}
	lost := map[string][]*catalogs.Problem{}
	for i := range p.Catalog.Problems {
		if one := &p.Catalog.Problems[i]; one.Kind == catalogs.LostDocument {
			_, reason, _ := strings.Cut(one.Message, one.Bundle+" ")
			lost[reason] = append(lost[reason], one)
		}
	}
	for _, reason := range words.SortedKeys(lost) {
		p.Report(lostBundles(reason, lost[reason]))
	}
}

// lostBundles returns the finding about bundles that are left out for the same reason.
func lostBundles(reason string, lost []*catalogs.Problem) lint.Finding {
	f := lint.Finding{Cause: lint.OncePerPackage(), Pos: lost[0].Pos, Fix: "no change is required, unless users should get them"}
	for _, one := range lost {
		f.Faults = append(f.Faults, one.Bundle)
		f.Details = append(f.Details, lint.Related{Pos: one.Pos, Message: one.Message})
	}
	f.Message = lost[0].Message
	if n := len(lost); n > 1 {
		f.Message = fmt.Sprintf("%d bundles, %s: each %s", n, words.Few(f.Faults), reason)
	}
	return f
}
