// Package crd has the rules on CustomResourceDefinitions: each on its own, in one upgrade, and along upgrade paths.
package crd

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Contents, InfoIfPublished: lint.Error}, []lint.Rule{
		{
			ID: "crd/invalid", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateAPIServer,
			Doc: `a CRD that the API server rejects
The API server validates a CustomResourceDefinition when it is created: names, versions, and the schema of each version with its
defaults and rules. A CRD that it rejects cannot be installed, and OLM fails the whole bundle. If schemas exceed the limits of
olmgraph, an info says that they are not checked.
Correct the field in the manifest of the next bundle.`,
			Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinition",
			Check:     checkInvalid,
			Asks:      judge.CheckFaults,
		},
		{
			ID: "crd/v1beta1", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateAPIServer,
			Doc: `a CRD in v1beta1
Kubernetes 1.22 (OpenShift 4.9) and later do not serve apiextensions.k8s.io/v1beta1: a bundle with such a CRD cannot be installed
there. It is an error if the catalog is known to be for such a cluster and the bundle is a head. Bundles for OpenShift 4.8 and older alone
are not reported.
Convert the CRD to apiextensions.k8s.io/v1: every version needs a structural schema.`,
			Reference: "Kubernetes deprecated API migration guide, v1.22",
			Check:     checkV1beta1,
		},
		{
			ID: "crd/immutable", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateAPIServer, OtherGates: lint.GateOLMv0 | lint.GateOLMv1,
			Doc: `an upgrade changes an immutable field of a CRD
The scope and the kind of an established CRD cannot change, preserveUnknownFields cannot be enabled again, and some rules apply to
new schemas only. Kubernetes 1.31 (OpenShift 4.18) and later refuse an invalid caBundle. The API server rejects the update, and the upgrade fails.
Revert the change, or ship the new form under another name.`,
			Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinitionUpdate",
			Check:     checkImmutable,
		},
		{
			ID: "crd/storage-removed", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
			Doc: `an upgrade drops the version in which objects are stored
The CRD of the newer bundle lacks the version in which the older one stores its objects. That version is in status.storedVersions:
OLM v0 fails the InstallPlan ("risk of data loss"), OLM v1 and the API server reject the CRD.
Remove a version in this order, with a bundle for each step: set served: false; store objects in another version; migrate the
objects and remove the version from status.storedVersions; then drop it. OLM does none of this automatically.`,
			Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; crdify storedVersionRemoval",
			Check:     checkStorageRemoved,
		},
		{
			ID: "crd/stored-version-path", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer,
			Doc: `an upgrade fails on clusters that had an older version installed
Kubernetes adds each version that was ever stored to status.storedVersions and removes none; neither does OLM. A cluster that
once had a bundle that stores v1alpha1 keeps v1alpha1 there, even after upgrades to bundles that store v1, until the objects are
migrated and the status is edited. The CRD that drops v1alpha1 is then rejected, although each upgrade alone looks safe. The older
bundle need not be in the channel: users come from other channels, from bundles of the base, and from earlier OpenShift versions. It is
a warning if the bundle is in no channel, or if users came only along edges that no OLM follows automatically now. It is one if an operator on the path may update
customresourcedefinitions/status, so that it can remove the version there. It is also one if newer bundles have replaced all that
drop the version: most users have already upgraded further, and only a bundle that has the version again can help the others.
Keep the version, with served: false, until no cluster can have it. If the operator migrates
its objects itself from some version on, add it to migratesStorage in the configuration.`,
			Reference: "OLM pkg/lib/crd SafeStorageVersionUpgrade; Kubernetes: versions in CustomResourceDefinitions",
			Check:     checkStoredPath,
		},
		{
			ID: "crd/served-removed", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an upgrade drops a served version of an API
Clients, manifests in git and other operators that use the version fail immediately, without a deprecation. OLM does
not reject it. It is an info for an alpha version, for one that was marked as deprecated, and between nightly builds.
It is also one if a bundle of a version between, even one for other OpenShift versions, had already dropped it.
Mark the version as deprecated, and no longer own it in the ClusterServiceVersion. In a later release,
to which only bundles upgrade that do not own it, ship it with served: false, and only then drop it.`,
			Reference: "Kubernetes: versions in CustomResourceDefinitions, removing a version",
			Check:     checkServedRemoved,
		},
		{
			ID: "crd/dropped", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `an upgrade removes a CRD
OLM v0 keeps the CRD and its objects, without an operator for them. OLM v1 deletes the CRD, and with it all objects
of its kind. If another package ships the CRD from now on, its owner has to be changed by hand. It is an info
between nightly builds, and if the operator's own role allows it to create CRDs, since it probably creates this one.
It is also one if a bundle of a version between, even one for other OpenShift versions, had already removed it.
Keep the CRD, or document before the upgrade what to do with the objects.`,
			Reference: "OLM install plans never delete CRDs; operator-controller deletes what a revision lacks",
			Check:     checkDropped,
		},
		{
			ID: "crd/schema-narrowed", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateOLMv0 | lint.GateAdvice,
			Doc: `an upgrade narrows the schema of a CRD
Objects that were valid become invalid or lose values: a field is removed or required, its type, pattern or limit is narrower.
OLM v1 compares both schemas and rejects the upgrade (preflight crdUpgradeSafety). OLM v0 fails the InstallPlan if an object
on the cluster does not match the new schema; else it upgrades, and values of removed fields are lost silently. It is a warning,
since a ClusterExtension can turn the comparison off. With --olm v1, --olm both or --gate olmv1 it is an error, but not in an
alpha version, and where OLM v1 does not see the change (in all but the last part of an anyOf or allOf, and in new fields) or
does not install the bundles. It is an info between nightly builds, or if a bundle of a version between had already narrowed the
schema. It is also one if a new version of the CRD lacks what an older one keeps, or if a field of internal objects is removed.
crd/schema-changed reports changes that almost no object violates.
Keep the schema as it was, or ship the new one as a new version of the API with a conversion.`,
			Reference: "operator-controller preflights/crdupgradesafety; sigs.k8s.io/crdify; OLM catalog operator validateExistingCRs",
			Check:     checkNarrowed,
			Asks:      judge.CheckChanges | judge.CheckUnseen | judge.CheckExamples,
		},
		{
			ID: "crd/schema-changed", NeedsManifests: true, Severity: lint.Error, Gates: lint.GateOLMv1, OtherGates: lint.GateOLMv0 | lint.GateAdvice,
			Doc: `an upgrade changes the schema of a CRD in a way that OLM v1 rejects
Stored objects stay valid and keep their values. For example, a default changes, a type is wider, a pattern is removed, a list or map
is merged in another way, or a rule is checked when an object is written. A narrower status counts too, since the operator writes it,
and so does a limit that hardly any object exceeds: at least 64 items or fields, 253 characters, 65535, or the format int32. OLM v1
rejects each difference that it does not know to be safe (preflight crdUpgradeSafety). OLM v0 upgrades, and a ClusterExtension can
turn the comparison off: it is an info. With --olm v1, --olm both or --gate olmv1 it is an error, in an alpha version a warning.
Keep the schema as it was, or ship the new one as a new version of the API with a conversion.`,
			Reference: "operator-controller preflights/crdupgradesafety: UnhandledEnforcement; sigs.k8s.io/crdify",
			Check:     checkChanged,
			Asks:      judge.CheckChanges | judge.CheckUnseen,
		},
		{
			ID: "crd/example-invalid", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `an example of the older bundle is not valid after the upgrade
Before it updates a CRD, OLM v0 validates all objects on the cluster with the new schema, and fails the InstallPlan if one does
not match. The older bundle's own examples (alm-examples), which users copy, do not match.
Let the new schema accept what the old one accepted, or ship it as a new version.`,
			Reference: "OLM catalog operator validateExistingCRs",
			Check:     eachCRDUpgrade(checkExamples),
			Asks:      judge.CheckExamples,
		},
		{
			ID: "crd/shared", NeedsManifests: true, Severity: lint.Warning, Gates: lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
			Doc: `two packages contain the same CRD
Only one operator can own a CRD. OLM v0 never installs both packages into one namespace, and
lets them overwrite each other's schema across namespaces. OLM v1 rejects the second one.
Let one package provide the CRD and the other one require it.`,
			Reference: "OLM resolver invariants (one provider per GVK); operator-controller object ownership",
			Check:     checkShared,
		},
		{
			ID: "crd/conversion", NeedsManifests: true, Severity: lint.Error, OtherGates: lint.GatePipelines | lint.GateAdvice,
			Doc: `a conversion webhook is invalid
A conversion webhook serves the whole cluster, so OLM creates one only for an operator that supports
AllNamespaces and no other mode. Its CRDs must be owned by the operator, each with one webhook, and must not
preserve unknown fields. Otherwise the installation fails, or the API server cannot read stored objects.
Support AllNamespaces alone, and name owned CRDs in conversionCRDs; or remove the webhook.`,
			Reference: "OLM pkg/controller/install webhook.go; operator-controller rukpak/render/registryv1 validators",
			Check:     contents.InAllBundles(contents.ReportReasons),
		},
	})
}

// checkShared reports kinds that the heads of several packages provide. It does not need manifests.
func checkShared(p *lint.Pass) {
	type owner struct {
		pkg    *catalogs.Package
		bundle *catalogs.Bundle
	}
	var owners memo.Groups[string, owner] // by kind and group
	for _, pkg := range p.Catalog.Packages {
		b := defaultHead(pkg)
		if b == nil {
			continue
		}
		for _, kind := range words.SortedKeys(p.Judge().Provides(b)) {
			owners.Add(kind, owner{pkg, b})
		}
	}
	for kind, all := range owners.All() {
		for _, o := range all[1:] {
			if folder := o.bundle.Folder; folder != nil && slices.Contains(folder.Beside, all[0].pkg.Name.Value) {
				continue // of one operator: bundle/package-name
			}
			p.Report(lint.Finding{
				Subject: lint.Subject{Package: o.pkg.Name.Value, Bundle: o.bundle.Name.Value},
				Cause:   []string{kind, all[0].pkg.Name.Value},
				Pos:     o.bundle.Pos,
				Message: fmt.Sprintf("%q provides %s, and so does %q of package %q: a cluster cannot have both", o.bundle.Name.Value, kind,
					all[0].bundle.Name.Value, all[0].pkg.Name.Value),
				Fix:     "let one package provide it and the other one require it",
				Related: []lint.Related{{Pos: all[0].bundle.Pos, Message: "the other one"}},
			})
		}
	}
}

// defaultHead returns the head of the default channel, or nil.
func defaultHead(pkg *catalogs.Package) *catalogs.Bundle {
	c := pkg.Channel(pkg.DefaultChannel.Value)
	if c == nil {
		return nil
	}
	if i, ok := graph.New(pkg, c).Head(); ok {
		return c.Entries[i].Bundle
	}
	return nil
}
