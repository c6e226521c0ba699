package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// Verdict says whether OLM v1 installs a bundle.
type Verdict string

// The verdicts, the best first.
const (
	Ready   Verdict = "ready"
	Unknown Verdict = "unknown" // nothing known blocks it, but the catalog does not have all that decides it
	Gate    Verdict = "gate"    // with a feature gate that is off
	Blocked Verdict = "blocked"
)

// The kinds of obstacles of bundles. Requirements of a migration that are not of the bundle have others.
const (
	kindCatalog           = "catalog"
	kindVersion           = "version"
	kindImage             = "image"
	kindMediaType         = "media-type"
	kindDependency        = "dependency"
	kindInstallModes      = "install-modes"
	kindAPIService        = "api-service"
	kindWebhook           = "webhook"
	kindConversionWebhook = "conversion-webhook"
	kindDeployment        = "deployment"
	kindOfCRD             = "crd"
	kindObject            = "object"
	kindTie               = "tie"
)

// Obstacle is something because of which OLM v1 does not install a bundle, or a requirement of a migration that is not met.
type Obstacle struct {
	Kind string `json:"kind"`        // stable
	Text string `json:"message"`     // what the bundle has, without the bundle as subject: "requires API Buoy.v1.example.com"; of a migration a sentence without a full stop
	Gate string `json:"featureGate"` // the feature gate with which it does not block; "" if there is none
	catalogs.Pos
}

// decideVerdict returns the verdict for what blocks, and what is not known.
func decideVerdict(all []Obstacle, notKnown []string) Verdict {
	switch {
	case slices.ContainsFunc(all, func(o Obstacle) bool { return o.Gate == "" }):
		return Blocked
	case len(all) > 0:
		return Gate
	case len(notKnown) > 0:
		return Unknown
	}
	return Ready
}

// Bundle says whether OLM v1 installs a bundle.
type Bundle struct {
	Listed     *catalogs.Bundle `json:"-"`
	Name       string           `json:"name"`
	Version    string           `json:"version"`
	Verdict    Verdict          `json:"verdict"`
	Obstacles  []Obstacle       `json:"inTheWay"`     // every one, in the order of the checks
	Gates      []string         `json:"featureGates"` // with which it is installed, if the verdict is gate
	NotKnown   []string         `json:"notKnown"`     // what the catalog does not have
	Notes      []string         `json:"notes"`        // what a user must know of an installation that succeeds
	Deprecated string           `json:"deprecation"`  // the message of its deprecation; "" if it is not deprecated
	Modes      []string         `json:"-"`            // supported install modes
	Namespace  string           `json:"-"`            // the one that the bundle suggests, or ""
	Releases   []string         `json:"-"`            // releases of operator-controller that install it, as far as is known, oldest first

	usesV0 bool // its permissions name resources of OLM v0, and none of OLM v1
}

// contents are the objects of a bundle, as far as they are known.
type contents struct {
	csv     *csv.CSV        // nil if not known
	reasons []*judge.Reason // of all releases
	facts   *catalogs.Facts
	form    catalogs.Form // of the catalog
}

// judge returns whether a release installs a bundle.
func (r Release) judge(b *catalogs.Bundle, c *contents) *Bundle {
	j := judgement{Bundle: &Bundle{Listed: b, Name: b.Name.Value, Version: b.Version.Value}, release: r, contents: c}
	j.checkProperties()
	for _, reason := range c.reasons {
		switch of := reason.Row.ID; {
		case r.Rejects(reason):
			j.reject(reason)
		case len(reason.Releases.Unless) == 0:
		case of == "csv/all-namespaces":
			j.Notes = append(j.Notes, fmt.Sprintf("it supports %s only: the ClusterExtension must name the namespace to watch, in %s",
				strings.Join(c.csv.InstallModes(), ", "), r.watchField()))
		case of == "csv/webhook":
			j.Notes = append(j.Notes, fmt.Sprintf("it has webhooks: OLM v1 leaves their certificates to %s, which the cluster needs", r.certificates()))
		}
	}
	if c.csv == nil {
		j.NotKnown = append(j.NotKnown, "install modes, API services, webhooks and objects: the catalog has neither an olm.csv.metadata nor the manifests of the bundle")
	} else {
		j.checkCSV()
	}
	if j.Verdict = decideVerdict(j.Obstacles, j.NotKnown); j.Verdict == Gate {
		j.Gates = find.Distinct(words.Map(j.Obstacles, func(o Obstacle) string { return o.Gate }))
	}
	return j.Bundle
}

// judgement collects what blocks one bundle.
type judgement struct {
	*Bundle
	release  Release
	contents *contents
}

func (j *judgement) add(kind string, pos catalogs.Pos, gate, format string, args ...any) {
	j.Obstacles = append(j.Obstacles, Obstacle{Kind: kind, Text: fmt.Sprintf(format, args...), Pos: pos, Gate: gate})
}

// obstacleKinds are the kinds of obstacles that reasons are, by their rules.
var obstacleKinds = map[string]string{
	"crd/v1beta1": kindOfCRD, "bundle/duplicate-object": kindOfCRD, "bundle/missing-owned-crd": kindOfCRD, "crd/conversion": kindConversionWebhook,
	"csv/install-modes": kindInstallModes, "csv/all-namespaces": kindInstallModes, "csv/owned-api-service": kindAPIService,
	"csv/webhook": kindWebhook, "csv/webhook-rules": kindWebhook, "csv/deployment-reference": kindWebhook,
}

// reject adds a reason, and says which feature gate is missing if it depends on one.
func (j *judgement) reject(r *judge.Reason) {
	kind, pos, gate, text := kindObject, r.Pos, j.release.Enables(r), r.Message
	if r.Manifest != nil {
		pos = r.Manifest.At(r.Path)
		if r.Manifest.Kind == csv.Kind {
			kind = kindDeployment
		}
	}
	switch {
	case gate != "":
		text += ", and the feature gate " + gate
	case len(r.Releases.Unless) > 0:
		text += ", which " + j.release.String() + " does not support"
	case len(r.Where) > 0:
		text += " and no Kubernetes that runs OLM v1 has"
	}
	j.add(cmp.Or(obstacleKinds[r.Row.ID], kind), pos, gate, "%s", text)
}

// typeMediaType is the property in which a catalog names the format of a bundle's image, and registryV1 the one that OLM v1 reads
// (operator-controller: rukpak bundle source GetBundle, which reads no other).
const (
	typeMediaType = "olm.bundle.mediatype"
	registryV1    = "registry+v1"
)

// checkProperties checks what each catalog has (operator-controller: resolve NoDependencyValidation and GetVersionAndRelease; catalogd, which
// reads the folder of an image that a label names).
func (j *judgement) checkProperties() {
	if !j.release.releaseOrder().Reads(j.Listed) {
		j.add(kindVersion, j.Listed.Version.Pos, "", "has the version %q, which OLM v1 cannot read", j.Version)
	}
	if j.contents.form == catalogs.SQLite {
		j.add(kindCatalog, j.Listed.Pos, "", "is in a SQLite index, and OLM v1 reads file-based catalogs only")
	}
	if j.Listed.Image.Value == "" && j.contents.form == catalogs.FileBased { // others are not published yet
		j.add(kindImage, j.Listed.Pos, "", "has no image, which OLM v1 needs to install it")
	}
	facts, requires := j.contents.facts, map[catalogs.Pos]string{}
	for i := range facts.Requires {
		requires[facts.Requires[i].Pos] = facts.Requires[i].String()
	}
	for _, p := range facts.Properties {
		switch p.Type {
		case catalogs.TypePackageRequired, catalogs.TypeGVKRequired, catalogs.TypeConstraint:
			text := "has a requirement, and OLM v1 installs no bundle with one"
			if what := requires[p.Pos]; what != "" {
				text = "requires " + what + ", and OLM v1 installs no bundle with a requirement"
			}
			j.add(kindDependency, p.Pos, "", "%s (%s)", text, p.Type)
		case typeMediaType:
			if media := strings.Trim(string(p.Value), `"`); media != registryV1 {
				j.add(kindMediaType, p.Pos, "", "is of the format %q, and OLM v1 reads %s only", media, registryV1)
			}
		}
	}
}

// checkCSV notes what is to be known of the ClusterServiceVersion.
func (j *judgement) checkCSV() {
	c := j.contents
	j.Modes, j.Namespace = c.csv.InstallModes(), c.csv.Metadata.Annotations["operatorframework.io/suggested-namespace"]
	if c.csv.Err != nil {
		j.NotKnown = append(j.NotKnown, fmt.Sprintf("part of its ClusterServiceVersion, which cannot be decoded: %s", c.csv.Err))
	}
	if c.csv.Manifest.Partial {
		j.NotKnown = append(j.NotKnown, "webhooks, deployments, CRDs and other objects: the catalog has only an olm.csv.metadata of the bundle")
		return
	}
	j.checkPermissions()
}

// checkPermissions notes permissions on what only OLM v0 has. OLM v1 does not check them (operator-controller: docs/project/olmv1_limitations.md).
func (j *judgement) checkPermissions() {
	conditions, v0, v1 := false, false, false
	install := &j.contents.csv.Spec.Install.Spec
	for _, permissions := range slices.Concat(install.Permissions, install.ClusterPermissions) {
		for _, rule := range permissions.Rules {
			if slices.Contains(rule.APIGroups, "olm.operatorframework.io") {
				v1 = true
			}
			if slices.Contains(rule.APIGroups, "operators.coreos.com") {
				conditions = conditions || slices.Contains(rule.Resources, "operatorconditions")
				v0 = v0 || slices.ContainsFunc(rule.Resources, isV0Resource)
			}
		}
	}
	if conditions {
		j.Notes = append(j.Notes, "its permissions name operatorconditions: an operator that uses OperatorConditions may not start under OLM v1, which does not have them")
	}
	j.usesV0 = v0 && !v1
}

// isV0Resource reports whether permissions on a resource say that an operator uses OLM v0 (operator-framework/library-olm: requirement C5).
func isV0Resource(resource string) bool {
	return slices.Contains([]string{"*", "subscriptions", "installplans", "clusterserviceversions", "catalogsources"}, resource)
}
