package changes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// compareFacts compares what the catalog says of the bundles: APIs, what they require, and for which OpenShift they are.
func (c *comparison) compareFacts() error {
	was, err := bundled.Dependencies(c.from)
	if err != nil {
		return err
	}
	is, err := bundled.Dependencies(c.to)
	if err != nil {
		return err
	}
	if before, now := was.MaxOpenShift.Value, is.MaxOpenShift.Value; before != now {
		a, errA := semver.ParseTolerant(before)
		b, errB := semver.ParseTolerant(now)
		c.add(Requirements, now != "" && (errA != nil || errB != nil || b.LT(a)), "olm.maxOpenShiftVersion", sayChanged(before, now))
	}
	if c.from.Folder != nil && c.to.Folder != nil {
		before, _ := c.from.Folder.Annotation(catalogs.OpenShiftAnnotation)
		now, _ := c.to.Folder.Annotation(catalogs.OpenShiftAnnotation)
		if before.Value != now.Value {
			c.add(Requirements, false, catalogs.OpenShiftAnnotation, sayChanged(before.Value, now.Value))
		}
	}
	required := func(of *catalogs.Dependencies) (all []string) {
		for _, r := range of.Requires {
			all = append(all, r.String())
		}
		return all
	}
	c.addLists(Requirements, required(was), required(is), "", "is required", "is no longer required")
	before, now := c.providedAPIs(c.from, was), c.providedAPIs(c.to, is)
	for _, gone := range subtract(before, now) {
		c.add(APIs, true, gone, "is no longer provided")
	}
	for _, added := range subtract(now, before) {
		c.add(APIs, false, added, "is provided now")
	}
	return nil
}

// providedAPIs returns the APIs that a bundle provides, without those of its CRDs, which are compared as such where the manifests are known.
func (c *comparison) providedAPIs(b *catalogs.Bundle, of *catalogs.Dependencies) (all []string) {
	for _, a := range of.Provides {
		ofCRD := func(crd *judge.CRD) bool {
			return crd.Outline != nil && crd.Kind == a.Kind && strings.HasSuffix(crd.Manifest.Name, "."+a.Group)
		}
		if !slices.ContainsFunc(c.pkg.CRDs(c.from), ofCRD) && !slices.ContainsFunc(c.pkg.CRDs(c.to), ofCRD) {
			all = append(all, a.String())
		}
	}
	return all
}

// compareRequirements compares what the ClusterServiceVersions require of a cluster and of the OperatorGroup.
func (c *comparison) compareRequirements() {
	for _, mode := range judge.LostInstallModes(c.old, c.new) {
		c.add(Requirements, true, "install mode "+mode, "is no longer supported")
	}
	if len(c.old.Spec.InstallModes) > 0 {
		for _, mode := range judge.LostInstallModes(c.new, c.old) {
			c.add(Requirements, false, "install mode "+mode, "is supported now")
		}
	}
	if was, is := c.old.Spec.MinKubeVersion, c.new.Spec.MinKubeVersion; was != is {
		higher := csv.UnmetKubernetes(is, cmp.Or(was, "1.0.0")) != nil
		c.add(Requirements, higher, "minKubeVersion", sayChanged(was, is))
	}
}

func sayChanged(was, is string) string {
	return fmt.Sprintf("%s → %s", cmp.Or(was, "none"), cmp.Or(is, "none"))
}

// addLists adds what is only in one of two lists.
func (c *comparison) addLists(topic Topic, was, is []string, before, added, gone string) {
	for _, one := range subtract(is, was) {
		c.add(topic, false, before+one, added)
	}
	for _, one := range subtract(was, is) {
		c.add(topic, false, before+one, gone)
	}
}

// subtract returns what another list lacks, each once.
func subtract(list, other []string) (all []string) {
	known := map[string]bool{}
	for _, one := range other {
		known[one] = true
	}
	for _, one := range list {
		if !known[one] {
			known[one] = true
			all = append(all, one)
		}
	}
	return all
}

// onlyIn returns the keys that only one of two maps has, sorted.
func onlyIn[V any](was, is map[string]V) (gone, added []string) {
	before, after := slices.Sorted(maps.Keys(was)), slices.Sorted(maps.Keys(is))
	return subtract(before, after), subtract(after, before)
}

// compareWebhooks compares the webhooks that OLM makes of the ClusterServiceVersions.
func (c *comparison) compareWebhooks() {
	before, _ := lookup(c.rawOld, "spec", "webhookdefinitions").([]any)
	after, _ := lookup(c.rawNew, "spec", "webhookdefinitions").([]any)
	was, is := webhooks(before), webhooks(after)
	told := words.Map(c.pkg.FindBetween(judge.FindRow("upgrade/webhook-for-others"), c.from, c.to), func(r *judge.Reason) string { return r.Object() })
	for _, f := range differences("", was, is, false) {
		name, field, _ := strings.Cut(strings.TrimPrefix(f.Path, "["), "]")
		switch whole := field == ""; {
		case whole && f.Was == nil && slices.Contains(told, name): // as a reason
		case whole && f.Was == nil:
			c.add(Webhooks, false, name, "is new: "+sayWebhook(f.Is))
		case whole && f.Is == nil:
			c.add(Webhooks, strings.HasPrefix(name, csv.ConversionWebhook), name, "is removed: "+sayWebhook(f.Was))
		default:
			c.add(Webhooks, false, name, strings.TrimPrefix(field, ".")+" "+f.say())
		}
	}
}

// webhooks returns webhooks by type and name.
func webhooks(list []any) map[string]any {
	found, count := map[string]any{}, map[string]int{}
	for _, w := range list {
		name := fmt.Sprintf("%v %v", lookup(w, "type"), lookup(w, "generateName"))
		if count[name]++; count[name] > 1 {
			name = fmt.Sprintf("%s, number %d", name, count[name])
		}
		found[name] = w
	}
	return found
}

// sayWebhook says what a webhook is called for.
func sayWebhook(webhook any) string {
	if crds, ok := lookup(webhook, "conversionCRDs").([]any); ok {
		return "it converts " + valueText(crds)
	}
	var said []string
	rules, _ := lookup(webhook, "rules").([]any)
	for _, rule := range rules {
		operations, resources, groups := lookup(rule, "operations"), lookup(rule, "resources"), lookup(rule, "apiGroups")
		said = append(said, fmt.Sprintf("%s of %s in API group %s", valueText(operations), valueText(resources), valueText(groups)))
	}
	policy, ok := lookup(webhook, "failurePolicy").(string)
	if !ok {
		policy = "Fail"
	}
	return strings.Join(append(said, "failurePolicy "+policy), "; ")
}
