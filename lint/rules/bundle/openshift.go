package bundle

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// checkedOpenShift is the newest minor version of OpenShift 4 whose Kubernetes version the pipeline knows (operator-pipelines:
// community/bundle.py OCP_TO_K8S).
const checkedOpenShift = 17

// addsToIndex reports whether the pipelines add a bundle to the index, and it is not listed in a file-based catalog: channels then come
// from templates.
func addsToIndex(c *contents.Contents) bool {
	return c.Pass.Catalog.Form == catalogs.Repository && len(c.Pass.Package.Channels) > 0
}

// selectsNone reports whether no minor version of OpenShift 4 supports a bundle.
func selectsNone(f *catalogs.Folder) bool {
	for minor := range 100 {
		if f.AnnotationSelects(fmt.Sprintf("4.%d", minor)) {
			return false
		}
	}
	return true
}

func checkOpenShiftVersions(c *contents.Contents) {
	if selects, ok := c.Folder.Annotation(catalogs.OpenShiftAnnotation); ok && c.Pass.Catalog.Form == catalogs.Repository && !c.Folder.FileBased && selectsNone(c.Folder) {
		f := c.ReportAt(selects.Pos, "write the first version, as v4.16, or a range, as v4.16-v4.20", "is for the OpenShift versions %q, which are none: no catalog gets it",
			selects.Value).WithCause("none")
		f.Gates, f.Misplaced = lint.GatePipelines, true
		return
	}
	// The pipeline reads the exact key, OLM any case of it: some operators have MinKubeVersion.
	var exact struct {
		Spec map[string]json.RawMessage `json:"spec"`
	}
	var text string
	if json.Unmarshal(c.CSV.Manifest.JSON(), &exact) != nil || json.Unmarshal(exact.Spec["minKubeVersion"], &text) != nil {
		return
	}
	least, ok := versions.ParseMinKubeVersion(strings.TrimSpace(text))
	if !ok || !addsToIndex(c) {
		return // none, or reported by csv/min-kube-version
	}
	selects, ok := c.Folder.Annotation(catalogs.OpenShiftAnnotation)
	if !ok || strings.TrimSpace(selects.Value) == "" {
		c.Report("spec.minKubeVersion", fmt.Sprintf("add %s to metadata/annotations.yaml", catalogs.OpenShiftAnnotation),
			"has the minKubeVersion %s, but no annotation %s: the community pipeline rejects it", least, catalogs.OpenShiftAnnotation).WithCause(catalogs.OpenShiftAnnotation)
		return
	}
	var older []string
	for minor := 1; minor <= checkedOpenShift; minor++ {
		version := fmt.Sprintf("4.%d", minor)
		if kube := (semver.Version{Major: 1, Minor: uint64(lint.KubeMinor(minor))}); kube.LT(least) && c.Folder.AnnotationSelects(version) {
			older = append(older, version)
		}
	}
	if len(older) > 0 {
		c.ReportAt(selects.Pos, fmt.Sprintf("begin with an OpenShift version that has Kubernetes %d.%d", least.Major, least.Minor),
			"is for OpenShift %s, but needs Kubernetes %s: the community pipeline rejects it, and OLM v0 does not install it on %s",
			words.QuoteSome(older), least, words.Plural(len(older), "that version", "those versions")).WithCause(catalogs.OpenShiftAnnotation)
	}
}

// The minor versions of OpenShift 4 for which catalogs are built. The pipelines ask a service for them. A version that is not built yet
// must not be among them: the pipelines do not reject a bundle for it.
const oldestOpenShift, newestOpenShift = 12, 22

func checkReplacedRange(c *contents.Contents) {
	replaced := c.Pass.Package.Bundle(c.CSV.Spec.Replaces)
	if replaced == nil || replaced.Folder == nil || !addsToIndex(c) {
		return
	}
	var lost []string
	for minor := oldestOpenShift; minor <= newestOpenShift; minor++ {
		version := fmt.Sprintf("4.%d", minor)
		if c.Folder.AnnotationSelects(version) && !replaced.Folder.AnnotationSelects(version) {
			lost = append(lost, version)
		}
	}
	now, _ := c.Folder.Annotation(catalogs.OpenShiftAnnotation)
	before, _ := replaced.Folder.Annotation(catalogs.OpenShiftAnnotation)
	if len(lost) > 0 {
		c.ReportAt(catalogs.KnownPos(now.Pos, c.Folder.AnnotationsPos), "select only the OpenShift versions of the replaced bundle",
			"is for OpenShift %s, but %q, which it replaces, is not: %q and %q in %s; the pipelines reject it",
			words.QuoteSome(lost), replaced.Name.Value, now.Value, before.Value, catalogs.OpenShiftAnnotation).WithCause(now.Value, before.Value).From = replaced.Name.Value
	}
}

func checkMaxOpenShift(p *lint.Pass) {
	isHead := contents.HeadSet(p)
	contents.CheckBundles(p, contents.NewestFirst(p), nil, "older bundle", func(c *contents.Contents) {
		var at []catalogs.Pos
		for t := range c.PropertyTypes() {
			if t.Value == catalogs.TypeMaxOpenShift {
				at = append(at, t.Pos)
			}
		}
		if len(at) == 0 {
			return
		}
		says, value, severity := maxFault(p, c.Bundle, len(at), isHead[c.Bundle])
		if says == "" {
			return
		}
		fix := `write one olm.maxOpenShiftVersion, as "4.18"`
		if severity == lint.Warning {
			fix = "raise it if the operator runs there, or keep the bundle out of this catalog"
		}
		f := c.ReportAt(catalogs.KnownPos(at[0], c.Name.Pos), fix, "%s", says)
		f.Cause, f.Severity = []string{catalogs.TypeMaxOpenShift, value}, severity
	})
}

// maxFault says what is wrong with the n olm.maxOpenShiftVersion of a bundle; "" if nothing is. value is the wrong one.
func maxFault(p *lint.Pass, b *catalogs.Bundle, n int, head bool) (says, value string, severity lint.Severity) {
	if n > 1 {
		return fmt.Sprintf("has %d olm.maxOpenShiftVersion: while it is installed OpenShift is not updated", n), "", lint.Error
	}
	facts, err := bundled.Facts(b)
	if err != nil {
		return "", "", lint.Off
	}
	limit, text, found, err := plan.OpenShiftLimit(facts)
	if err != nil {
		return fmt.Sprintf("has the olm.maxOpenShiftVersion %q, which is invalid: while it is installed OpenShift is not updated", text), text, lint.Error
	}
	if !found || !head {
		return "", "", lint.Off
	}
	if of, err := plan.ParseMinor(p.OpenShift()); err == nil && limit < of {
		return fmt.Sprintf("allows OpenShift %s at most (olm.maxOpenShiftVersion), is the head of a channel, and in the catalog of OpenShift %s: where it is installed OpenShift is not updated", text, of), text, lint.Warning
	}
	return "", "", lint.Off
}
