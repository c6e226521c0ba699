package resolve

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Condition is why an OperatorCondition says that an operator must not be upgraded.
type Condition struct {
	Status   string // of the condition Upgradeable
	Reason   string
	Message  string
	Override bool // it is one of spec.overrides
	// Outdated says that the operator has not looked at the object since it changed: OLM waits until it has.
	Outdated bool
}

// forbids returns why an operator must not be upgraded, or nil (OLM: olm isOperatorUpgradeable). An override counts before a
// condition, and allows it only if it is True; an outdated condition forbids it whatever it is.
func forbids(o *snapshot.OperatorCondition) *Condition {
	upgradeable := func(c snapshot.Condition) bool { return c.Type == "Upgradeable" }
	if c := find.Pointer(o.Spec.Overrides, upgradeable); c != nil {
		if c.Status == "True" {
			return nil
		}
		return &Condition{Status: c.Status, Reason: c.Reason, Message: c.Message, Override: true}
	}
	c := find.Pointer(o.Status.Conditions, upgradeable)
	if c == nil {
		return nil
	}
	outdated := c.Generation != o.Metadata.Generation
	if !outdated && c.Status != "False" {
		return nil
	}
	return &Condition{Status: c.Status, Reason: c.Reason, Message: c.Message, Outdated: outdated}
}

// WaitKind says why OLM does not let an operator replace another one.
type WaitKind int

// The kinds of waits.
const (
	NotUpgradeable     WaitKind = iota // the OperatorCondition of what it replaces forbids it: Pending
	UnsupportedGroup                   // its install modes and the OperatorGroup do not fit, or one of both fits nothing: Failed
	NotReplaceable                     // what it replaces is itself Pending or Failed: Pending
	HasFailed                          // it was Failed already
	RequirementsNotMet                 // the cluster does not meet what it requires, as minKubeVersion: Pending
	UpgradeFails                       // OLM or the API server rejects what its bundle has: see Namespace.Failure
)

// Wait is an operator whose ClusterServiceVersion OLM has created, or would create, but which does not run. What it replaces
// exists as well and continues to run, in the phase Replacing.
type Wait struct {
	Kind           WaitKind
	Name, Replaces string     // Replaces is empty if nothing installed is replaced
	Condition      *Condition // where Kind is NotUpgradeable
	Err            error      // where Kind is UnsupportedGroup, RequirementsNotMet or UpgradeFails
	Phase          Phase      // of the operator that blocks, which is the waiting one itself unless Kind is NotReplaceable
	Reason         string     // of that phase, if it is known
	Then           *Wait      // what it waits for next, once this is over; nil if nothing is known
}

// wait returns why an operator would not run instead of another one, or nil (OLM: olm transitionCSVState). The OperatorGroup is
// checked first, then whether what it replaces is upgradeable, then what it requires.
func (n *Namespace) wait(in *InstalledOperator, replaces string) (*Wait, error) {
	specified, err := n.specification(in)
	if err != nil {
		return nil, err
	}
	then := n.waitFor(in.Name, replaces, csv.UnmetKubernetes(specified.minKube, n.Kubernetes))
	why := n.findUnsupported(specified)
	if why == nil {
		return then, nil
	}
	return &Wait{Kind: UnsupportedGroup, Name: in.Name, Replaces: replaces, Phase: failed, Reason: why.reason, Err: why.err, Then: then}, nil
}

// waitFor returns why an operator waits for what it replaces, or for what it requires and does not have, or nil.
func (n *Namespace) waitFor(name, replaces string, unmet error) *Wait {
	previous := n.csv(replaces)
	var then *Wait
	if previous != nil && !n.replaceable(previous) {
		then = &Wait{Kind: NotReplaceable, Name: name, Replaces: replaces, Phase: previous.Phase, Reason: previous.reason}
	}
	if unmet != nil {
		if previous == nil {
			replaces = ""
		}
		then = &Wait{Kind: RequirementsNotMet, Name: name, Replaces: replaces, Phase: phasePending, Err: unmet, Then: then}
	}
	if c, ok := n.Conditions[replaces]; ok && previous != nil {
		return &Wait{Kind: NotUpgradeable, Name: name, Replaces: replaces, Condition: &c, Then: then}
	}
	return then
}

// csv returns what is installed under a name, or nil.
func (n *Namespace) csv(name string) *InstalledOperator {
	if name == "" {
		return nil
	}
	for i := range n.Installed {
		if n.Installed[i].Name == name {
			return &n.Installed[i]
		}
	}
	return nil
}

// Stuck returns the name of the operator that does not succeed, for a reason of its own; "" if what it waits for is said.
func (w *Wait) Stuck() string {
	switch w.Kind {
	case NotReplaceable:
		return w.Replaces
	case HasFailed:
		return w.Name
	}
	return ""
}

// phase is the phase of an operator that waits.
func (w *Wait) phase() Phase {
	if w.Kind == UnsupportedGroup || w.Kind == HasFailed {
		return failed
	}
	return phasePending
}

// WaitingOperators returns the installed operators that wait, by name.
func (n *Namespace) WaitingOperators() []Wait {
	var all []Wait
	for i := range n.Installed {
		if w := n.Installed[i].wait; w != nil {
			all = append(all, *w)
		}
	}
	slices.SortFunc(all, func(a, b Wait) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// FinishPending returns the namespace after all that OLM has begun in it has succeeded. What cannot succeed waits. The error is of a
// source that has changed.
func (n Namespace) FinishPending() (Namespace, error) {
	if n.Groups.invalid() {
		return n, nil // then nothing is finished
	}
	n.Subscriptions, n.Installed = slices.Clone(n.Subscriptions), slices.Clone(n.Installed)
	for i := range n.Subscriptions { // OLM: catalog ensureSubscriptionCSVState
		if sub := &n.Subscriptions[i]; n.csv(sub.CurrentCSV) != nil {
			sub.InstalledCSV = sub.CurrentCSV
		}
	}
	for _, name := range n.replacedFirst() {
		old, err := n.finishOne(name)
		if err != nil {
			return n, err
		}
		if old != "" {
			n.Installed = n.without(old)
		}
	}
	return n, nil
}

// finishOne lets an installed operator succeed or wait, and returns the name of the operator that it has replaced.
func (n *Namespace) finishOne(name string) (old string, err error) {
	in := n.csv(name)
	if in == nil {
		return "", nil // it has been replaced by one that was before it
	}
	w, err := n.wait(in, in.Replaces)
	switch {
	case err != nil:
		return "", err
	case w != nil && (w.Kind == UnsupportedGroup || in.recheckable()):
		n.setWaiting(in, n.csv(w.Replaces), w)
		return "", nil
	case in.recheckable() || in.Phase == "InstallReady" || in.Phase == "Installing":
		in.Phase = succeeded
	}
	replaced := n.csv(in.Replaces)
	switch {
	case replaced == nil || replaced == in:
	case in.Phase == failed:
		in.wait = &Wait{Kind: HasFailed, Name: in.Name, Replaces: replaced.Name, Phase: failed, Reason: in.reason}
	case in.Phase == succeeded && n.replaceable(replaced):
		return replaced.Name, nil
	}
	return "", nil
}

// replaceable reports whether the phase of an operator allows another one to replace it.
func (n *Namespace) replaceable(in *InstalledOperator) bool {
	switch in.Phase {
	case phasePending:
		return false
	case failed:
		return n.FailForward && (in.wait == nil || in.wait.Kind != UnsupportedGroup)
	}
	return true
}

// replacedFirst returns the names of installed operators, replaced ones before those that replace them, and else in order. Of a loop of
// replacements the last one met comes first.
func (n *Namespace) replacedFirst() []string {
	at := n.indexes()
	var names []string
	met := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		i, ok := at[name]
		if !ok || met[name] {
			return
		}
		met[name] = true
		add(n.Installed[i].Replaces)
		names = append(names, name)
	}
	for i := range n.Installed {
		add(n.Installed[i].Name)
	}
	return names
}

// indexes returns where names are in Installed, as csv: the first of each, but for "".
func (n *Namespace) indexes() map[string]int {
	at := make(map[string]int, len(n.Installed))
	for i := range slices.Backward(n.Installed) {
		at[n.Installed[i].Name] = i
	}
	delete(at, "")
	return at
}

// recheckable reports whether OLM has yet to check what an operator replaces: it is Pending, or will be as soon as the
// OperatorGroup allows it. One that has failed for InvalidInstallModes stays so (OLM: olm transitionCSVState).
func (in *InstalledOperator) recheckable() bool {
	return in.Phase == phasePending || in.Phase == failed &&
		slices.Contains([]string{NoTargetNamespaces, "NoOperatorGroup", "TooManyOperatorGroups", UnsupportedOperatorGroup}, in.reason)
}

// setWaiting sets an installed operator to wait, and what it replaces, which may be nil, to Replacing.
func (n *Namespace) setWaiting(in, old *InstalledOperator, w *Wait) {
	in.Phase, in.wait = w.phase(), w
	if w.Kind == UnsupportedGroup {
		in.reason = w.Reason
	}
	if old != nil && n.replaceable(old) {
		old.Phase = replacing
	}
}

// without returns what is installed but for one operator and those that it was replacing.
func (n *Namespace) without(name string) []InstalledOperator {
	gone := n.replacedChains([]string{name})
	return slices.DeleteFunc(slices.Clone(n.Installed), func(in InstalledOperator) bool { return gone[in.Name] })
}

// replacedChains returns which of some operators are installed, and what those are replacing.
func (n *Namespace) replacedChains(names []string) map[string]bool {
	found := map[string]bool{}
	for _, name := range names {
		for in := n.csv(name); in != nil && !found[in.Name]; in = n.csv(in.Replaces) {
			found[in.Name] = true
		}
	}
	return found
}
