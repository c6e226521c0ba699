// Package changes compares the contents of two bundles of a package: what an upgrade changes on a cluster, and what a reviewer of a release
// must see first.
package changes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// Topic is what a change is about.
type Topic string

// The topics, in the order in which a reviewer reads them.
const (
	Permissions  Topic = "permissions"  // of service accounts, and of others by roles of the bundle
	PodSecurity  Topic = "pod-security" // security contexts, access to the host
	CRDs         Topic = "crds"
	Webhooks     Topic = "webhooks"
	Requirements Topic = "requirements" // of the cluster: install modes, Kubernetes, OpenShift, dependencies
	APIs         Topic = "apis"         // that are provided otherwise than by CRDs of the bundle
	Deployments  Topic = "deployments"
	Images       Topic = "images"
	Objects      Topic = "objects" // other objects
	Texts        Topic = "texts"   // what users read
)

// topicNames returns the topics in their order.
func topicNames() []Topic {
	return []Topic{Permissions, PodSecurity, CRDs, Webhooks, Requirements, APIs, Deployments, Images, Objects, Texts}
}

// Change is one difference.
type Change struct {
	Topic Topic `json:"topic" enum:"permissions,pod-security,crds,webhooks,requirements,apis,deployments,images,objects,texts"`
	// First says that a reviewer must see it first: it gives more rights than before, or takes something from users.
	First    bool     `json:"first"`
	Subjects []string `json:"subjects"` // what differs: objects, fields, images; none if the message says it
	Message  string   `json:"message"`
}

// Report has the differences of two bundles.
type Report struct {
	From *catalogs.Bundle `json:"from"`
	To   *catalogs.Bundle `json:"to"`
	// Unseen are the bundles whose manifests are not known: of them only what the catalog says is compared.
	Unseen []string `json:"unseen"`
	// Changes are in the order in which a reviewer reads them: those to see first, then by topic.
	Changes []Change `json:"changes"`
	// Deleted are the objects that OLM deletes after the upgrade.
	Deleted []string `json:"-"`
}

// First counts the changes to see first.
func (r *Report) First() (n int) {
	for _, c := range r.Changes {
		if c.First {
			n++
		}
	}
	return n
}

// Compare returns what an upgrade between two bundles of a package changes, under a generation of OLM.
func Compare(p *judge.Package, from, to *catalogs.Bundle, olm graph.Generation) (*Report, error) {
	c := &comparison{pkg: p, from: from, to: to, olm: olm, old: p.CSV(from), new: p.CSV(to)}
	r := &Report{From: from, To: to}
	for _, side := range []struct {
		bundle *catalogs.Bundle
		csv    *csv.CSV
	}{{from, c.old}, {to, c.new}} {
		if !side.bundle.HasManifests() || side.csv == nil || side.csv.Manifest.Partial {
			r.Unseen = append(r.Unseen, side.bundle.Name.Value)
		}
	}
	if err := c.compareFacts(); err != nil {
		return nil, err
	}
	if c.old != nil && c.new != nil {
		c.rawOld, c.rawNew = decodeObject(c.old.Manifest), decodeObject(c.new.Manifest)
		c.compareRequirements()
		if c.old.Manifest.Partial == c.new.Manifest.Partial {
			c.compareTexts()
		}
	}
	whole := len(r.Unseen) == 0
	for _, of := range []*csv.CSV{c.old, c.new} {
		if whole && of.Err != nil {
			c.add(Requirements, true, "ClusterServiceVersion "+of.Manifest.Name, unreadable(of.Err))
			whole = false
		}
	}
	if whole {
		c.comparePermissions()
		c.compareCRDs()
		c.compareWebhooks()
		c.compareDeployments()
		r.Deleted = c.compareObjects()
	}
	c.compareImages(whole)
	c.addReasons()
	r.Changes = c.changes()
	return r, nil
}

// comparison compares two bundles.
type comparison struct {
	pkg            *judge.Package
	from, to       *catalogs.Bundle
	olm            graph.Generation
	old, new       *csv.CSV
	rawOld, rawNew map[string]any            // the ClusterServiceVersions
	permissions    int                       // that were compared
	all            memo.Groups[kind, string] // subjects
}

// addReasons adds what stops or endangers the upgrade, but for what is told as a difference: of schemas, install modes and minKubeVersion.
func (c *comparison) addReasons() {
	judged := c.pkg.JudgeUpgrade(c.from, c.to, judge.On{OLM: c.olm, Unseen: true})
	for _, r := range slices.Concat(judged.Reasons, judged.Warnings) {
		switch {
		case r.IsDifference():
		case r.Stops(c.olm):
			c.add(reasonTopic(&r), true, r.Object(), "the upgrade "+r.Fails()+": "+r.Message+values(&r))
		default:
			c.add(reasonTopic(&r), true, r.Object(), r.Message)
		}
	}
}

// values says how a field changes that cannot.
func values(r *judge.Reason) string {
	if r.Was == "" && r.Is == "" {
		return ""
	}
	return ": " + r.Was + " → " + r.Is
}

// reasonTopic returns the topic of a reason: that of its object.
func reasonTopic(r *judge.Reason) Topic {
	switch {
	case r.Kind == crd.Kind:
		return CRDs
	case r.IsWebhookForOthers():
		return Webhooks
	case r.Kind == csv.Kind && r.Row.Stage == judge.Deploy:
		return Deployments
	case r.Kind == csv.Kind:
		return Requirements
	}
	return Objects
}

// kind is what changes that are told as one have in common.
type kind struct {
	topic   Topic
	first   bool
	message string
}

func (c *comparison) add(topic Topic, first bool, subject, message string) {
	c.all.Add(kind{topic, first, message}, subject)
}

// changes returns the changes in order, those of the same subjects one after the other.
func (c *comparison) changes() (all []Change) {
	place, topics := map[string]int{}, topicNames()
	key := func(of Change) string { return strings.Join(of.Subjects, "\x00") }
	for k, subjects := range c.all.All() {
		one := Change{k.topic, k.first, subtract(subjects, []string{""}), k.message}
		if all = append(all, one); place[key(one)] == 0 {
			place[key(one)] = len(all)
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int {
		switch {
		case a.First && !b.First:
			return -1
		case b.First && !a.First:
			return 1
		}
		return cmp.Or(slices.Index(topics, a.Topic)-slices.Index(topics, b.Topic), place[key(a)]-place[key(b)])
	})
	return all
}

// decodeObject returns an object as Kubernetes sees it.
func decodeObject(m *bundled.Manifest) map[string]any {
	var object map[string]any
	if json.Unmarshal(m.JSON(), &object) != nil {
		return nil
	}
	return object
}

// lookup returns the value at keys; nil if there is none.
func lookup(value any, keys ...string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// OfRelease returns what the new heads of a package change, each against the newest version of the base that upgrades to it, or else against the
// newest one that does. The base may be nil. New are bundles that the base does not have, or with another image.
func OfRelease(base, now *catalogs.Package) (all []*Report, err error) {
	p := judge.New(now, judge.Options{})
	seen := map[[2]*catalogs.Bundle]bool{}
	for _, c := range now.Channels {
		g := graph.New(now, c)
		to := now.Bundle(g.HeadName())
		if to == nil || base.HasSameBundle(to) {
			continue
		}
		var from *catalogs.Bundle
		for _, i := range g.ByVersion() { // the newest first
			b := c.Entries[i].Bundle
			if e, ok := g.Next(i); !ok || b == nil || g.Name(e.To) != to.Name.Value {
				continue
			}
			if from == nil || !base.HasSameBundle(from) && base.HasSameBundle(b) {
				from = b
			}
		}
		if from == nil || seen[[2]*catalogs.Bundle{from, to}] {
			continue
		}
		seen[[2]*catalogs.Bundle{from, to}] = true
		one, err := Compare(p, from, to, graph.V0)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// unreadable says why a ClusterServiceVersion cannot be compared.
func unreadable(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("cannot be read, and is not compared: %s is of the wrong type (%s)", wrong.Field, wrong.Value)
	}
	return "cannot be read, and is not compared"
}
