package cluster

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Remedy says what removes the cause of a Failure.
type Remedy int

// The remedies.
const (
	Correct   Remedy = iota // it is not known which
	Migrate                 // objects of Stored are stored again, and the other versions are removed from status.storedVersions
	Edit                    // Objects are changed until the new schema accepts them
	Recreate                // Objects are deleted, and OLM creates them again
	Provide                 // the API of an object is provided
	Grant                   // a permission is granted
	NewBundle               // only another version of the operator
)

// Failure is why OLM cannot install something.
type Failure struct {
	Remedy Remedy
	Causes []string // of what OLM says
	// Explained says that the causes are those of the message alone, if any, and of no bundle.
	Explained bool
	Also      []string // what else stops the same upgrade, as soon as the causes are removed
	// Step is the object at which an InstallPlan stopped, "" if it is not known.
	Step    string
	Stored  []StoredObjects
	Objects []ObjectName
}

// StoredObjects are the objects of a CRD, which the cluster stores in Version now; "" if that is not known.
type StoredObjects struct{ CRD, Version string }

// ObjectName is an object of a resource, which has its group; Namespace is "" if it is in none.
type ObjectName struct{ Resource, Namespace, Name string }

// failure returns why OLM cannot install a bundle of a subscription instead of another one, which may be "", in its own words and in ours.
func (n *namespaceReport) failure(said string, sub *resolve.Subscription, from, to string) (*Failure, error) {
	reasons, err := n.reasons(sub, from, to)
	if err != nil {
		return nil, err
	}
	f := &Failure{Explained: true}
	found := slices.DeleteFunc(messages.Find(said), func(m messages.Found) bool { return m.Partial })
	words := strings.FieldsFunc(said, func(r rune) bool { return !strings.ContainsRune(nameRunes, r) })
	meant := func(r judge.Reason) bool { return slices.Contains(words, r.Name) }
	unknown := len(found) == 0 || found[0].Name == "invalid-object"
	if unknown && !slices.ContainsFunc(reasons, meant) { // OLM names no object that it does not support
		meant = func(judge.Reason) bool { return true }
	}
	var causes []judge.Reason
	for _, r := range reasons {
		if meant(r) {
			causes, f.Causes, f.Explained = append(causes, r), append(f.Causes, r.String()), false
		} else {
			f.Also = append(f.Also, r.String())
		}
	}
	for i := 0; i < len(found) && len(causes) == 0; i++ {
		f.Causes = append(f.Causes, found[i].Cause)
	}
	f.Remedy = chooseRemedy(found, causes)
	n.remedyObjects(f, said, found, reasons)
	return f, nil
}

// nameRunes are those of names in Kubernetes.
const nameRunes = "abcdefghijklmnopqrstuvwxyz0123456789.-"

// reasons returns what stops an upgrade on the cluster, as far as the catalog has the bundle.
func (n *namespaceReport) reasons(sub *resolve.Subscription, from, to string) (all []judge.Reason, err error) {
	p := n.Before.SubscribedPackage(sub)
	if p == nil {
		return nil, nil
	}
	outcomes, err := n.crds.check(p, graph.Path{{From: from, To: to}})
	for _, o := range outcomes {
		all = append(all, o.Reasons...)
	}
	return all, err
}

// chooseRemedy returns what removes a cause, from what OLM says, else from the reasons that are its causes.
func chooseRemedy(found []messages.Found, causes []judge.Reason) Remedy {
	of := func(names ...string) bool {
		return slices.ContainsFunc(found, func(f messages.Found) bool { return slices.Contains(names, f.Name) })
	}
	ofBundle := slices.ContainsFunc(causes, func(r judge.Reason) bool { return !r.Row.Upgrade })
	all := func(is func(judge.Reason) bool) bool {
		return len(found) == 0 && len(causes) > 0 && !slices.ContainsFunc(causes, func(r judge.Reason) bool { return !is(r) })
	}
	switch {
	case of("stored-version"), all(func(r judge.Reason) bool { return r.Stored }):
		return Migrate
	case of("invalid-objects"), all(judge.Reason.NarrowsSchema):
		return Edit
	case of("immutable-field", "selector-changed"):
		return Recreate
	case of("missing-api") && !ofBundle, all(judge.Reason.IsNotServed):
		return Provide
	case of("forbidden", "forbidden-cluster", "role-missing", "grant"):
		return Grant
	case len(causes) > 0 || len(found) > 0 && found[0].Who == "maintainer":
		return NewBundle
	}
	return Correct
}

// remedyObjects adds the objects that somebody has to change. Of CRDs, those that OLM looks at afterwards are added as well.
func (n *namespaceReport) remedyObjects(f *Failure, said string, found []messages.Found, reasons []judge.Reason) {
	switch f.Remedy {
	case Migrate:
		for _, o := range n.CRDs {
			stored := func(r judge.Reason) bool { return r.Stored && r.Name == o.Name }
			why := find.Pointer(reasons, stored)
			if !strings.Contains(said, strconv.Quote(o.Name)) && why == nil {
				continue
			}
			s := StoredObjects{CRD: o.Name}
			if why != nil {
				s.Version = why.Storage
			} else if d, err := crd.Parse(o.JSON()); err == nil {
				s.Version = d.StorageVersion()
			}
			if why != nil && s.Version == "" || strings.Contains(said, "removes version "+s.Version+" ") {
				f.Remedy, f.Stored = NewBundle, nil // the cluster would store them in the version again
				return
			}
			f.Stored = append(f.Stored, s)
		}
		if len(f.Stored) == 0 && len(found) > 0 && found[0].Value("crd") != "" {
			f.Stored = []StoredObjects{{CRD: found[0].Value("crd")}}
		}
	case Edit:
		if m := rejected.FindStringSubmatch(said); m != nil {
			f.Objects = append(f.Objects, ObjectName{m[1], m[2], m[3]})
		}
		for _, o := range n.CustomResources {
			for _, r := range reasons {
				_, group, _ := strings.Cut(r.Name, ".")
				of := r.Kind == crd.Kind && strings.HasPrefix(o.APIVersion, group+"/") && strings.Contains(r.Message, o.Kind+" "+strconv.Quote(o.Name))
				if name := (ObjectName{r.Name, o.Namespace, o.Name}); of && !slices.Contains(f.Objects, name) {
					f.Objects = append(f.Objects, name)
				}
			}
		}
	case Recreate:
		for i := range found {
			if name := found[i].Value("deployment"); name != "" {
				f.Objects = append(f.Objects, ObjectName{"deployment.apps", n.Before.Name, name})
			} else if name := found[i].Value("name"); name != "" {
				f.Objects = append(f.Objects, ObjectName{strings.ToLower(found[i].Value("kind")), n.Before.Name, name})
			}
		}
	}
}

// rejected is what OLM says of a custom resource that a new schema rejects (OLM: catalog validateExistingCRs): its CRD, namespace and name.
var rejected = regexp.MustCompile(`schema for "([^"]+)": error validating [^"]*"(?:([^/"]+)/)?([^/"]+)"`)

// stoppedPlans adds the InstallPlans that OLM tries to install again and again, and those that have failed, which it does not try again (OLM:
// catalog transitionInstallPlanState, syncInstallPlans).
func (n *namespaceReport) stoppedPlans() error {
	for i := range n.plans {
		p := &n.plans[i]
		failed := &FailedPlan{InstallPlan: p.Metadata.Name}
		d := Decision{About: failed, Said: p.Messages()}
		if p.Status.Phase != "Failed" {
			if p.Status.Phase != "Installing" || len(d.Said) == 0 {
				continue
			}
			d.About, failed = &FailingPlan{p.Metadata.Name}, nil
		}
		for j := range n.Before.Subscriptions {
			sub := &n.Before.Subscriptions[j]
			if sub.Plan != p.Metadata.Name || failed != nil && !n.isStoppedBy(sub) {
				continue
			}
			d.Operators = appendNew(d.Operators, sub.Package)
			if err := n.explainStop(&d, failed, sub); err != nil {
				return err
			}
		}
		if failed != nil && len(failed.To) == 0 {
			continue
		}
		if d.Failure != nil {
			d.Failure.Step = p.StoppedStep()
		}
		if failed != nil && failed.From != "" && failed.Again == nil {
			d.Freezes = n.otherPackages(d.Operators) // no subscription refers to one of both (OLM: resolver NewBundleVariableFromOperator)
		}
		n.add(d, Blocked)
	}
	return nil
}

// isStoppedBy reports whether what a subscription is to have does not run because its InstallPlan has failed: OLM has not created it, or stopped behind it.
func (n *namespaceReport) isStoppedBy(sub *resolve.Subscription) bool {
	if n.Removed != nil && slices.Contains(n.Removed.Subscriptions, sub.Name) || sub.CurrentCSV == "" {
		return false
	}
	o := n.object(sub.CurrentCSV)
	if o == nil { // OLM tries another one if it may
		return !n.Before.FailForward || !slices.ContainsFunc(n.operators, func(row Operator) bool {
			return row.Subscription == sub.Name && row.Next.Name != "" && row.Next.Name != sub.CurrentCSV
		})
	}
	return o.Status.Phase == "Pending" || o.Status.Phase == "Failed" && !n.Before.FailForward
}

// explainStop adds to the decision on an InstallPlan why it does not install what a subscription is to have, and how OLM goes on: with the same
// plan if it has created a ClusterServiceVersion, else with another one, since it creates none twice that somebody has deleted. failed is nil if OLM
// tries again.
func (n *namespaceReport) explainStop(d *Decision, failed *FailedPlan, sub *resolve.Subscription) error {
	from, to := sub.InstalledCSV, n.object(sub.CurrentCSV)
	if to != nil {
		from = to.Spec.Replaces
	}
	f, err := n.failure(strings.Join(d.Said, "; "), sub, from, sub.CurrentCSV)
	if err != nil {
		return err
	}
	if d.Failure == nil || d.Failure.Explained && !f.Explained {
		d.Failure = f
	}
	if failed == nil {
		return nil
	}
	failed.To, failed.Subscription, failed.Instead = append(failed.To, sub.CurrentCSV), sub.Name, ""
	if failed.From == "" && n.object(from) != nil {
		in, _ := n.findInstalled(from)
		failed.From = in.Name
	}
	if to == nil {
		if len(failed.To) == 1 {
			failed.Again = n.retry(sub.Name)
		}
		return nil
	}
	if next := n.nextUpgrade(sub, from); next != sub.CurrentCSV && len(failed.To) == 1 {
		failed.Instead = next
	}
	failed.Again, failed.Reason = nil, to.Status.Reason
	for i := range n.operators {
		if row := &n.operators[i]; row.Subscription == sub.Name {
			row.Next, _ = n.findInstalled(sub.CurrentCSV)
			row.Last = row.Next
		}
	}
	return nil
}

// nextUpgrade returns what OLM would upgrade an installed operator to in the channel of a subscription; "" if nothing.
func (n *namespaceRun) nextUpgrade(sub *resolve.Subscription, name string) string {
	p := n.Before.SubscribedPackage(sub)
	in, _ := n.findInstalled(name)
	if p == nil || in.Name == "" || p.Channel(sub.Channel) == nil {
		return ""
	}
	g := graph.New(p, p.Channel(sub.Channel))
	if e, on := g.NextOfInstalled(in.Name, in.Version); on {
		return g.Name(e.To)
	}
	return ""
}

// reportsPlan reports whether the decision on an InstallPlan of a ClusterServiceVersion tells that it is stopped.
func (n *namespaceReport) reportsPlan(name string) bool {
	return slices.ContainsFunc(n.decisions, func(d Decision) bool {
		switch is := d.About.(type) {
		case *FailingPlan:
			return slices.Contains(n.installPlan(is.InstallPlan).Spec.CSVs, name)
		case *FailedPlan:
			return slices.Contains(n.installPlan(is.InstallPlan).Spec.CSVs, name) || slices.Contains(is.To, name)
		}
		return false
	})
}

// hasFailed reports whether a decision tells that the InstallPlan of a subscription has failed.
func (n *namespaceReport) hasFailed(subscription string) bool {
	of := n.subscription(subscription)
	return slices.ContainsFunc(n.decisions, func(d Decision) bool {
		p := about[*FailedPlan](&d)
		return p != nil && p.InstallPlan == of.Status.Plan.Name
	})
}

// runningName returns the name of what runs where a ClusterServiceVersion is installed: what it is to replace, as long as it does not run.
func (n *namespaceObjects) runningName(name string) string {
	o := n.object(name)
	if o == nil || o.Status.Phase != "Pending" && o.Status.Phase != "Failed" {
		return name
	}
	if old := n.object(o.Spec.Replaces); old != nil {
		return old.Metadata.Name
	}
	return name
}

// installFailure sets why the API server rejects what a ClusterServiceVersion installs, which OLM tries again and again (OLM: olm
// transitionCSVState).
func (n *namespaceReport) installFailure(d *Decision, o *snapshot.ClusterServiceVersion) (err error) {
	if !strings.HasPrefix(o.Status.Reason, "InstallComponentFailed") {
		return nil
	}
	for i := range n.Before.Subscriptions {
		if sub := &n.Before.Subscriptions[i]; sub.CurrentCSV == o.Metadata.Name || sub.InstalledCSV == o.Metadata.Name {
			if d.Failure, err = n.failure(o.Status.Message, sub, o.Spec.Replaces, o.Metadata.Name); err != nil {
				return err
			}
			d.Failure.Also = nil // they are of the InstallPlan, which is done
		}
	}
	return nil
}
