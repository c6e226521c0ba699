package judge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// Weight says what a reason does to users.
type Weight int

// The weights. The zero value is that of the row.
const (
	_         Weight = iota
	Stops            // it stops an installation or an upgrade, where its conditions hold
	Endangers        // nobody rejects it, but it harms users
	Notes            // it is to be known
)

// Stage is a step of OLM v0 in an upgrade. What it leaves follows from the first one that fails.
type Stage int

// The stages, in their order (operator-lifecycle-manager: catalog ExecutePlan creates ClusterServiceVersions first, then CRDs, then the rest).
const (
	Unpack   Stage = iota // the bundle is unpacked before there is an InstallPlan
	MakeCSV               // the InstallPlan creates the ClusterServiceVersion
	MakeCRDs              // it creates or updates the CRDs
	MakeRest              // and all other objects
	Require               // the ClusterServiceVersion waits for what it requires (RequirementsNotMet)
	Fit                   // its install modes fit the OperatorGroup
	Deploy                // its webhooks and Deployments are made
)

// Reason is something of a bundle, or of an upgrade from one bundle to another, that stops, endangers or conditions it.
type Reason struct {
	Row *Row `json:"-"`
	// Kind and Name are those of the object: of a bundle as a whole its ClusterServiceVersion.
	Kind, Name string
	Weight     Weight
	Gates      Gates // who rejects it; none: those of the row
	// WarningGates are those of Gates that do not reject it, but harm users.
	WarningGates Gates
	// Where are conditions of the cluster which must all hold; none: it is so on each cluster.
	Where []Condition
	// Releases are those of OLM v1 that reject it, if that does.
	Releases Releases
	// Message says it: of a bundle as a sentence goes on that begins with the name of the bundle, of other objects as one goes on after a colon.
	Message string
	Format  string // of Message, without what is in it
	Fix     string
	// Cause and Faults identify it, without the bundle, and without values that change with each release.
	Cause, Faults []string
	// Manifest has it at Path; nil: it is at Pos.
	Manifest *bundled.Manifest
	Path     string
	Pos      catalogs.Pos
	Details  []Place
	// Was and Is are the values of a field that cannot change, in JSON: the older one is in Old at OldPath.
	Was, Is string
	Old     *bundled.Manifest
	OldPath string
	Stored  bool // a version in status.storedVersions of a CRD is removed
	// Storage is, for Stored, the version in which the cluster then stores objects; "" if the new CRD does not have that either.
	Storage string
}

// Place is another position of a reason.
type Place struct {
	Pos     catalogs.Pos
	Message string
}

var indexes = regexp.MustCompile(`\[\d+\]`)

// FieldPath returns the path of a field without list indexes, which change when items are added.
func FieldPath(path string) string { return indexes.ReplaceAllString(path, "[]") }

// identity is the same for the same reason in another bundle.
func (r *Reason) identity() string {
	of := []string{r.Row.ID, FieldPath(r.Path), r.Format}
	if r.Manifest != nil && r.Manifest.Kind != csv.Kind {
		of = append(of, r.Manifest.Kind, r.Manifest.Name)
	}
	return strings.Join(append(of, r.Cause...), "\x00")
}

// WithCause adds parts to the cause.
func (r *Reason) WithCause(parts ...string) *Reason {
	r.Cause = append(r.Cause, parts...)
	return r
}

// NarrowsSchema reports whether it is of objects that do not match the new schema of their CRD.
func (r Reason) NarrowsSchema() bool { return r.Row == schemaNarrowed }

// NeedsUnfitObjects reports whether it holds only where an object does not match the new schema.
func (r Reason) NeedsUnfitObjects() bool {
	return slices.ContainsFunc(r.Where, func(c Condition) bool { return c.Kind == objectsUnfit })
}

// IsDifference reports whether it is a difference of both bundles that can be told as such: of a schema, install modes, minKubeVersion or provided APIs.
func (r Reason) IsDifference() bool {
	return r.NeedsUnfitObjects() || r.Kind == api || slices.Contains([]string{schemaChanged.ID, modeLost.ID, "csv/min-kube-version"}, r.Row.ID)
}

// SameAs reports whether another upgrade does the same to the same object.
func (r *Reason) SameAs(other *Reason) bool {
	return other.Kind == r.Kind && (other.Name == r.Name || r.Kind == csv.Kind) && slices.Equal(other.Cause, r.Cause) && slices.Equal(other.Faults, r.Faults)
}

// Object names the object: that of a bundle as a whole is its ClusterServiceVersion.
func (r Reason) Object() string {
	if r.Kind == crd.Kind {
		return "CRD " + r.Name
	}
	return r.Kind + " " + r.Name
}

// Fails says that the upgrade fails, and where.
func (r Reason) Fails() string {
	if len(r.Where) == 0 {
		return "fails"
	}
	return "fails where " + strings.Join(words.Map(r.Where, Condition.String), " and ")
}

// IsWebhookForOthers reports whether it is of an admission webhook for resources of others.
func (r Reason) IsWebhookForOthers() bool { return r.Row == forOthers }

// IsNotServed reports whether it is of an API that the cluster does not serve.
func (r Reason) IsNotServed() bool { return r.Row == kindNotServed }

// String names the object, a CRD by its name alone, and says why, and where.
func (r Reason) String() string {
	said := r.Kind + " " + r.Name + ": " + r.Message
	switch r.Kind {
	case csv.Kind:
		said = r.Name + " " + r.Message
	case crd.Kind:
		said = r.Name + ": " + r.Message
	}
	if len(r.Where) == 0 {
		return said
	}
	return r.Fails() + ": " + said
}

// Effect says what it does to an upgrade, and why, as what follows the names of both bundles.
func (r Reason) Effect() string {
	switch {
	case len(r.Where) > 0:
		return " " + r.String()
	case cmp.Or(r.Weight, r.Row.Weight) == Stops:
		return " fails: " + r.String()
	}
	return ": " + r.String()
}

// Stops reports whether it stops users of a generation of OLM, where its conditions hold, whatever feature gates are on.
func (r *Reason) Stops(olm graph.Generation) bool {
	return r.mayStop(olm) && len(r.Releases.Unless) == 0
}

func (r *Reason) mayStop(olm graph.Generation) bool {
	return cmp.Or(r.Weight, r.Row.Weight) == Stops && (cmp.Or(r.Gates, r.Row.Gates)&^r.WarningGates)&olmGate(olm) != 0
}

// concerns reports whether it matters to users of a generation of OLM.
func (r *Reason) concerns(olm graph.Generation) bool {
	return cmp.Or(r.Gates, r.Row.Gates)&(olmGate(olm)|GateAdvice) != 0
}

func olmGate(olm graph.Generation) Gates {
	if olm == graph.V1 {
		return GateOLMv1
	}
	return GateOLMv0
}

// Row is a kind of reason that bundles have: each rule on what OLM or the API server rejects of a bundle is one.
type Row struct {
	ID     string // of the rule
	Weight Weight // unless a reason has another one
	Gates  Gates  // who rejects it, unless a reason says otherwise
	needs  needs
	Stage  Stage
	find   func(*bundleCase)
	// Upgrade says that it is of an upgrade. between finds it in two bundles; nil: it depends on the CRDs of the cluster.
	Upgrade bool
	between func(*upgradeCase)
	// needsClusterCRDs says that it depends on the CRDs that the cluster has, and not on the bundles alone: see clusterState.addUnserved and update.
	needsClusterCRDs bool
	// since is the release of OLM v1 that rejects it first, unless a reason says otherwise.
	since int
	// notForV1 says that a bundle that has it is not made for OLM v1: see installableV1.
	notForV1 bool
	// resolved says that who resolves the namespace knows it as well: see On.Resolved.
	resolved bool
}

// needs says what of a ClusterServiceVersion must be known; the zero value is nothing.
type needs int

// What must be known.
const (
	_        needs = iota
	someCSV        // all of it, or what olm.csv.metadata has
	wholeCSV       // all of it
)

// Rows returns the kinds of reasons that bundles have, and upgrades.
func Rows() []*Row { return slices.Concat(rows, rowsOfUpgrades) }

const bothOLM = GateOLMv0 | GateOLMv1

var rows = []*Row{
	{ID: "bundle/size", Weight: Stops, Gates: GateOLMv0 | GatePipelines, find: checkSize},
	{ID: "bundle/subfolder", Weight: Stops, Gates: GatePipelines | GateOLMv1, find: checkSubfolders},
	{ID: "csv/name", Weight: Stops, Gates: GatePipelines | GateOLMv0, Stage: MakeCSV, find: checkCSVName},
	{ID: "csv/field-type", Weight: Stops, Gates: GatePipelines | GateOLMv0, needs: wholeCSV, Stage: MakeCSV, find: checkFieldType},
	{ID: "csv/required-field", Weight: Stops, Gates: GatePipelines | GateOLMv0 | GateAPIServer, needs: wholeCSV, Stage: MakeCSV, find: checkRequired},
	{ID: "csv/crd-entry", Weight: Stops, Gates: GatePipelines | GateOLMv0, needs: someCSV, Stage: Require, find: checkCRDEntries},
	{ID: "csv/unknown-key", Weight: Endangers, Gates: GateAdvice, needs: wholeCSV, Stage: MakeCSV, find: checkUnknownKeys},
	{ID: "bundle/crd-api-version", Weight: Stops, Gates: GatePipelines | bothOLM | GateAPIServer, Stage: MakeCRDs, find: checkCRDVersion},
	{ID: "crd/v1beta1", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeCRDs, find: checkV1beta1, notForV1: true},
	{ID: "bundle/duplicate-object", Weight: Endangers, Gates: GateAdvice, Stage: MakeRest, find: checkDuplicateObjects, since: validating},
	{ID: "object/metadata", Weight: Stops, Gates: GatePipelines | bothOLM | GateAPIServer, Stage: MakeRest, find: checkObjectMeta},
	{ID: "bundle/unsupported-kind", Weight: Stops, Gates: anyOLM, Stage: MakeRest, find: checkUnsupported},
	{ID: "object/removed-api", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeRest, find: checkRemoved},
	{ID: "object/invalid", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeRest, find: checkObjects},
	{ID: "csv/rules", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeRest, find: checkRules},
	{ID: "object/service-account", Weight: Endangers, Gates: GatePipelines | GateAdvice, needs: wholeCSV, Stage: MakeRest, find: checkAccounts},
	{ID: "csv/install-modes", Weight: Stops, Gates: GatePipelines | bothOLM, needs: someCSV, Stage: Fit, find: checkInstallModes, resolved: true},
	{ID: "csv/all-namespaces", Weight: Stops, Gates: GateOLMv1, needs: someCSV, Stage: Fit, find: checkAllNamespaces, notForV1: true},
	{ID: "csv/owned-api-service", Weight: Stops, Gates: GateOLMv1, needs: someCSV, Stage: Fit, find: checkOwnedServices, notForV1: true},
	missingCRD,
	unservedVersion,
	{ID: "csv/min-kube-version", Weight: Stops, Gates: GatePipelines | GateOLMv0, needs: someCSV, Stage: Require, find: checkMinKube, resolved: true},
	{ID: "csv/native-api", Weight: Stops, Gates: GateOLMv0, needs: someCSV, Stage: Require, find: checkNativeAPIs},
	{ID: "csv/webhook-rules", Weight: Stops, Gates: bothOLM, needs: wholeCSV, Stage: Deploy, find: checkWebhookRules, since: validatingWebhooks},
	{ID: "csv/webhook", Weight: Stops, Gates: bothOLM, needs: wholeCSV, Stage: Deploy, find: checkWebhooks, since: validating},
	{ID: "csv/deployment-reference", Weight: Stops, Gates: bothOLM, needs: wholeCSV, Stage: Deploy, find: checkReferences, since: validating},
	{ID: "csv/deployment-name", Weight: Stops, Gates: GateOLMv1, needs: wholeCSV, Stage: Deploy, find: checkDeploymentNames},
	{ID: "csv/deployment-spec", Weight: Stops, Gates: bothOLM | GateAPIServer, needs: wholeCSV, Stage: Deploy, find: checkDeployments},
	{ID: "csv/deployment-account", Weight: Endangers, Gates: GateAdvice, needs: wholeCSV, Stage: Deploy, find: checkDeploymentAccounts},
	{ID: "crd/conversion", Weight: Stops, Gates: bothOLM, needs: wholeCSV, Stage: Deploy, find: checkConversion, since: validating},
}

// The kinds of reasons that upgrades have.
var (
	selectorChanged = &Row{ID: "upgrade/selector-changed", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: Deploy, Upgrade: true, between: findSelectors}
	immutable       = &Row{ID: "upgrade/immutable-field", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeRest, Upgrade: true, between: findRefused}
	kindNotServed   = &Row{ID: "upgrade/kind-not-served", Weight: Stops, Gates: bothOLM, Stage: MakeRest, Upgrade: true, between: findNotServed}
	modeLost        = &Row{ID: "csv/install-mode-lost", Weight: Stops, Gates: GateOLMv0, Stage: Fit, Upgrade: true, between: findLostModes, resolved: true}
	invalidCRD      = &Row{ID: "crd/invalid", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeCRDs, Upgrade: true}
	immutableCRD    = &Row{ID: "crd/immutable", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeCRDs, Upgrade: true, between: findImmutable, needsClusterCRDs: true}
	storageRemoved  = &Row{ID: "crd/storage-removed", Weight: Stops, Gates: bothOLM | GateAPIServer, Stage: MakeCRDs, Upgrade: true}
	schemaNarrowed  = &Row{ID: "crd/schema-narrowed", Weight: Stops, Gates: bothOLM, Stage: MakeCRDs, Upgrade: true}
	schemaChanged   = &Row{ID: "crd/schema-changed", Weight: Stops, Gates: GateOLMv1, Stage: MakeCRDs, Upgrade: true}
	servedRemoved   = &Row{ID: "crd/served-removed", Weight: Endangers, Gates: GateAdvice, Stage: MakeCRDs, Upgrade: true, between: findServedRemoved}
	dropped         = &Row{ID: "crd/dropped", Weight: Endangers, Gates: GateAdvice, Stage: MakeCRDs, Upgrade: true, between: findDropped}
	ownedUnserved   = &Row{ID: "upgrade/owned-version-unserved", Weight: Endangers, Gates: GateOLMv0, Stage: MakeCRDs, Upgrade: true, between: findOwnedUnserved}
	forOthers       = &Row{ID: "upgrade/webhook-for-others", Weight: Endangers, Gates: GateAdvice, Stage: Deploy, Upgrade: true, between: findWebhooksForOthers}
	conversionLost  = &Row{ID: "upgrade/conversion-lost", Weight: Endangers, Gates: GateAdvice, Stage: MakeCRDs, Upgrade: true, between: findLostConversions}

	rowsOfUpgrades = []*Row{immutableCRD, storageRemoved, invalidCRD, schemaNarrowed, schemaChanged, conversionLost, dropped, servedRemoved, ownedUnserved, immutable, kindNotServed, modeLost, selectorChanged, forOthers}
)

// The kinds of reasons that addUnserved finds, too.
var (
	missingCRD      = &Row{ID: "bundle/missing-owned-crd", Weight: Stops, Gates: GatePipelines | bothOLM, needs: wholeCSV, Stage: Require, find: checkMissingCRD, needsClusterCRDs: true, since: validating}
	unservedVersion = &Row{ID: "bundle/owned-version-not-served", Weight: Stops, Gates: GateOLMv0, needs: wholeCSV, Stage: Require, find: checkOwnedServed, needsClusterCRDs: true}
)

// FindRow returns the row of a rule, nil if there is none.
func FindRow(rule string) *Row {
	is := func(r *Row) bool { return r.ID == rule }
	return cmp.Or(find.Value(rows, is), find.Value(rowsOfUpgrades, is))
}

// bundleCase is a bundle in which reasons of one row are looked for.
type bundleCase struct {
	*catalogs.Bundle
	CSV   *csv.CSV // may be nil
	pkg   *Package
	row   *Row
	found []*Reason
}

// Find returns the reasons of one row in a bundle: of OLM v1 those of its newest release.
func (p *Package) Find(row *Row, b *catalogs.Bundle) []*Reason {
	return ofNewest(p.find(row, b, p.CSV(b)))
}

func ofNewest(all []*Reason) []*Reason {
	return slices.DeleteFunc(all, func(r *Reason) bool { return !newest.isIn(r.Releases) })
}

func (p *Package) find(row *Row, b *catalogs.Bundle, owner *csv.CSV) []*Reason {
	c := &bundleCase{Bundle: b, CSV: owner, pkg: p, row: row}
	whole := c.CSV != nil && !c.CSV.Manifest.Partial
	if row.needs == someCSV && c.CSV == nil || row.needs == wholeCSV && !whole {
		return nil
	}
	row.find(c)
	return c.found
}

// upgradeCase is an upgrade in which reasons of one row are looked for.
type upgradeCase struct {
	From, To *catalogs.Bundle
	pkg      *Package
	row      *Row
	found    []*Reason
}

// FindBetween returns the reasons of one row in an upgrade, of a row on CRDs where the cluster has those of the older bundle; none if the row
// finds them on clusters only.
func (p *Package) FindBetween(row *Row, from, to *catalogs.Bundle) []*Reason {
	c := &upgradeCase{From: from, To: to, pkg: p, row: row}
	if row.between != nil {
		row.between(c)
	}
	return c.found
}

// add adds a reason at a path of an object of the newer bundle.
func (c *upgradeCase) add(m *bundled.Manifest, path, says string, args ...any) *Reason {
	r := &Reason{Row: c.row, Kind: m.Kind, Name: m.Name, Manifest: m, Path: path, Format: says, Message: fmt.Sprintf(says, args...)}
	c.found = append(c.found, r)
	return r
}

// inBundle returns the reasons of all rows in a bundle: of OLM v1 those of its newest release.
func (p *Package) inBundle(b *catalogs.Bundle) []*Reason {
	return ofNewest(slices.Clone(p.BundleReasons(b)))
}

// BundleReasons returns the reasons of all rows in a bundle, for all releases of OLM v1: see Release.Rejects.
func (p *Package) BundleReasons(b *catalogs.Bundle) []*Reason {
	return p.reasons.Get(b, func() (all []*Reason) {
		for _, row := range rows {
			all = append(all, p.find(row, b, p.CSV(b))...)
		}
		return all
	})
}

// InstalledReasons is BundleReasons of a bundle with the ClusterServiceVersion of a cluster: its objects may not be known, but OLM v0 has installed them.
func (p *Package) InstalledReasons(b *catalogs.Bundle, owner *csv.CSV) (all []*Reason) {
	for _, row := range rows {
		if !row.needsClusterCRDs {
			all = append(all, p.find(row, b, owner)...)
		}
	}
	return all
}

// report adds a reason at a path of the ClusterServiceVersion.
func (c *bundleCase) report(path, fix, says string, args ...any) *Reason {
	return c.reportOn(c.CSV.Manifest, path, fix, says, args...)
}

// reportOn adds a reason at a path of an object of the bundle.
func (c *bundleCase) reportOn(m *bundled.Manifest, path, fix, says string, args ...any) *Reason {
	r := &Reason{Row: c.row, Kind: csv.Kind, Name: c.Name.Value, Manifest: m, Path: path, Format: says, Message: fmt.Sprintf(says, args...), Fix: fix, Pos: c.Pos,
		Releases: Releases{From: c.row.since}}
	c.found = append(c.found, r)
	return r
}

// reportAt adds a reason at a position outside of the objects.
func (c *bundleCase) reportAt(pos catalogs.Pos, fix, says string, args ...any) *Reason {
	r := c.reportOn(nil, "", fix, says, args...)
	r.Pos = pos
	return r
}

// Objects returns the objects that could be parsed.
func (c *bundleCase) Objects() []*bundled.Manifest { return c.pkg.Objects(c.Bundle) }
