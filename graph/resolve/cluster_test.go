package resolve

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// The model: a cluster in OLM's own terms, and its controllers as state machines, one object at a time. Nothing of it is shared
// with the package. Packages are chains of up to four versions that require nothing of each other, so that its resolver can be
// a few lines: what decides here are the objects around it.

type modelCSV struct {
	name, replaces, phase, reason string
	number                        int // of its version
	pkg                           string
	modes                         []string
}

type modelSub struct {
	name, pkg, source, sourceNamespace string
	installed, current, plan           string
	manual                             bool
}

type modelPlan struct {
	name, phase string
	approved    bool
	csvs        []string
}

type modelSource struct{ name, namespace, state string }

type modelCondition struct {
	override, status        string
	observed, generation    int
	hasOverride, hasUpgrade bool
}

type model struct {
	global       string
	openShift    bool
	groups       []string
	targets      []string
	excluded     bool
	failForward  bool
	sources      []modelSource
	subs         []*modelSub
	csvs         map[string]*modelCSV
	conditions   map[string]modelCondition
	plans        []*modelPlan
	heads        map[string]int // of the packages: how many versions there are
	modes        map[string][]string
	emptySources map[string]bool
}

// upgradeable is olm isOperatorUpgradeable.
func (m *model) upgradeable(name string) bool {
	c, ok := m.conditions[name]
	if !ok {
		return true
	}
	if c.hasOverride {
		return c.override == "True"
	}
	if c.hasUpgrade {
		return c.observed == c.generation && c.status != "False"
	}
	return true
}

// misfit is olm operatorGroupForCSV and transitionCSVState as far as install modes go: the reason of the phase Failed, or "".
func (m *model) misfit(c *modelCSV) string {
	switch {
	case len(m.targets) == 0:
		return "NoTargetNamespaces"
	case slices.Contains(c.modes, twice):
		return "InvalidInstallModes"
	case !m.supports(c):
		return "UnsupportedOperatorGroup"
	}
	return ""
}

// twice is an install mode of the model: that another one is listed again.
const twice = "twice"

// supports is api InstallModeSet.Supports.
func (m *model) supports(c *modelCSV) bool {
	has := func(mode string) bool { return slices.Contains(c.modes, mode) }
	if len(m.targets) == 1 {
		switch m.targets[0] {
		case "ns":
			return has("OwnNamespace")
		case "":
			return has("AllNamespaces")
		}
		return has("SingleNamespace")
	}
	return !slices.Contains(m.targets, "") && has("MultiNamespace") && (!slices.Contains(m.targets, "ns") || has("OwnNamespace"))
}

func (m *model) replacement(name string) *modelCSV {
	for _, key := range slices.Sorted(maps.Keys(m.csvs)) {
		if c := m.csvs[key]; c.replaces == name && c.name != name {
			return c
		}
	}
	return nil
}

// reconcile is olm transitionCSVState, once for each CSV; it reports whether anything changed.
func (m *model) reconcile() bool {
	before := fmt.Sprint(m.state())
	for _, name := range slices.Sorted(maps.Keys(m.csvs)) {
		c := m.csvs[name]
		if reason := m.misfit(c); reason != "" {
			c.phase, c.reason = "Failed", reason
			continue
		}
		switch next := m.replacement(name); c.phase {
		case "", "Pending", "InstallReady", "Installing":
			m.install(c)
		case "Succeeded":
			if next != nil {
				c.phase = "Replacing"
			}
		case "Failed":
			switch {
			case m.failForward && next != nil:
				c.phase = "Replacing"
			case c.reason == "UnsupportedOperatorGroup" || c.reason == "NoTargetNamespaces":
				c.phase = "Pending"
			}
		case "Replacing":
			m.replace(c, next)
		case "Deleting":
			delete(m.csvs, name)
		}
	}
	return fmt.Sprint(m.state()) != before
}

// install is the part of transitionCSVState up to Succeeded.
func (m *model) install(c *modelCSV) {
	switch c.phase {
	case "":
		c.phase = "Pending"
	case "Pending":
		if replaced := m.csvs[c.replaces]; replaced == nil || m.upgradeable(replaced.name) && replaced.phase == "Replacing" {
			c.phase = "InstallReady"
		}
	case "InstallReady":
		c.phase = "Installing"
	case "Installing":
		c.phase = "Succeeded"
	}
}

// replace is the part of transitionCSVState from Replacing on; next is what replaces the CSV, or nil.
func (m *model) replace(c, next *modelCSV) {
	if m.csvs[c.replaces] != nil || next == nil {
		return
	}
	for m.failForward && m.replacement(next.name) != nil {
		next = m.replacement(next.name)
	}
	if next.phase == "Succeeded" {
		c.phase = "Deleting"
	}
}

// state is what there is in the end.
func (m *model) state() []string {
	var all []string
	for _, c := range m.csvs {
		all = append(all, c.name+" "+c.phase)
	}
	for _, s := range m.subs {
		all = append(all, s.name+" has "+s.installed)
	}
	slices.Sort(all)
	return all
}

// pending is catalog ensureSubscriptionCSVState and nothingToUpdate.
func (m *model) pending(s *modelSub) bool {
	if m.csvs[s.current] != nil {
		s.installed = s.current
		return false
	}
	if p := m.plan(s.plan); s.current == "" || s.plan == "" || m.failForward && p != nil && p.phase == "Failed" {
		return false
	}
	return true
}

func (m *model) plan(name string) *modelPlan {
	for _, p := range m.plans {
		if p.name == name {
			return p
		}
	}
	return nil
}

// solve is resolver Resolve for packages that have nothing to do with each other: what each subscription gets.
func (m *model) solve() (picks map[string]string, failure string) {
	for _, s := range m.sources {
		if m.sees(s.namespace) && s.state != "READY" && s.state != "IDLE" && s.state != "" {
			return nil, "ErrorPreventedResolution"
		}
	}
	counted, ok := m.counted()
	if !ok {
		return nil, "ErrorPreventedResolution"
	}
	picks = map[string]string{}
	for _, s := range m.subs {
		if !m.hasSource(s) {
			return nil, "ConstraintsNotSatisfiable"
		}
		number := m.heads[s.pkg]
		if c := m.csvs[s.installed]; c != nil && slices.Contains(counted, c) {
			number = min(number, c.number+1)
			if c.number == m.heads[s.pkg] {
				number = c.number
			}
		}
		picks[s.name] = fmt.Sprintf("%s.v%d", s.pkg, number)
	}
	if m.contradicts(counted) {
		return nil, "ConstraintsNotSatisfiable"
	}
	return picks, ""
}

// hasSource reports whether the catalog of a subscription is seen and has bundles.
func (m *model) hasSource(s *modelSub) bool {
	return slices.ContainsFunc(m.sources, func(o modelSource) bool {
		return o.name == s.source && o.namespace == s.sourceNamespace && m.sees(o.namespace) && !m.emptySources[o.name]
	})
}

func (m *model) sees(namespace string) bool {
	return namespace == "ns" || namespace == m.global && !m.excluded
}

// counted returns the CSVs that count as installed; false where resolver WalkReplacementChain fails.
func (m *model) counted() ([]*modelCSV, bool) {
	var counted []*modelCSV
	for _, name := range slices.Sorted(maps.Keys(m.csvs)) {
		if m.failForward && m.replacement(name) != nil && m.csvs[name].phase != "Replacing" {
			return nil, false
		}
		if c := m.csvs[name]; !m.failForward || c.phase != "Replacing" || !m.endsInFailure(c) {
			counted = append(counted, c)
		}
	}
	return counted, true
}

// contradicts: what no subscription names is mandatory, and there can be one operator of a package.
func (m *model) contradicts(counted []*modelCSV) bool {
	for _, c := range counted {
		owned := slices.ContainsFunc(m.subs, func(s *modelSub) bool { return s.installed == c.name })
		wanted := slices.ContainsFunc(m.subs, func(s *modelSub) bool { return s.pkg == c.pkg })
		twice := slices.ContainsFunc(counted, func(o *modelCSV) bool {
			return o != c && o.pkg == c.pkg && !slices.ContainsFunc(m.subs, func(s *modelSub) bool { return s.installed == o.name })
		})
		if !owned && (wanted || twice) {
			return true
		}
	}
	return false
}

// endsInFailure is resolver isReplacementChainThatEndsInFailure.
func (m *model) endsInFailure(c *modelCSV) bool {
	for next := m.replacement(c.name); next != nil; next = m.replacement(c.name) {
		c = next
	}
	return c.phase == "Failed"
}

// step is catalog syncResolvingNamespace once the controllers have come to rest, and then the InstallPlan, approved: what is
// installed, by which plan; or why nothing is.
func (m *model) step() (said, end string) {
	if len(m.groups) != 1 {
		return "", "operator groups"
	}
	for i := 0; m.reconcile(); i++ {
		if i > 100 {
			return "", "no rest"
		}
	}
	idle := true
	for _, s := range m.subs {
		idle = m.pending(s) && idle
	}
	if idle {
		return m.run(nil, "dead plan")
	}
	picks, failure := m.solve()
	if failure != "" {
		return "", failure
	}
	updated, missing := map[string]string{}, false
	for _, s := range m.subs {
		if s.current != picks[s.name] {
			updated[s.name] = picks[s.name]
		}
		missing = missing || m.csvs[picks[s.name]] == nil
	}
	if len(updated) == 0 {
		end = "settled"
		if missing {
			end = "unplanned"
		}
		return m.run(nil, end)
	}
	return m.run(m.newPlan(picks, updated), "")
}

// newPlan is catalog createInstallPlan: a plan for what was picked, by which some subscriptions are updated.
func (m *model) newPlan(picks, updated map[string]string) *modelPlan {
	p := &modelPlan{name: "new", approved: true}
	for _, s := range m.subs {
		p.approved = p.approved && !s.manual
		if m.csvs[picks[s.name]] == nil {
			p.csvs = append(p.csvs, picks[s.name])
		}
		if updated[s.name] != "" {
			s.current = updated[s.name]
		}
	}
	return p
}

// waitingPlans are the plans that subscriptions wait for.
func (m *model) waitingPlans() []*modelPlan {
	var plans []*modelPlan
	for _, s := range m.subs {
		if p := m.plan(s.plan); p != nil && m.pending(s) && p.phase != "Failed" && p.phase != "Complete" && !slices.Contains(plans, p) {
			plans = append(plans, p)
		}
	}
	return plans
}

// appendPhases appends the phases of CSVs that do not succeed to their names.
func (m *model) appendPhases(created []string) {
	for i, name := range created {
		if c := m.csvs[name]; c != nil && c.phase != "Succeeded" && c.phase != "Replacing" {
			created[i] += " " + c.phase
			if m.misfit(c) != "" {
				created[i] += " " + c.reason
			}
		}
	}
}

// run is the InstallPlan controller: it creates the CSVs of a plan, or else of those that subscriptions wait for.
func (m *model) run(p *modelPlan, otherwise string) (said, end string) {
	plans := []*modelPlan{p}
	if p == nil {
		plans = m.waitingPlans()
	}
	if len(plans) == 0 {
		return "", otherwise
	}
	var created, words []string
	for _, p := range plans {
		word := p.name
		if !p.approved {
			word += " to approve"
		}
		words = append(words, word)
		for _, name := range p.csvs {
			if m.csvs[name] == nil {
				m.create(name)
				created = append(created, name)
			}
		}
		p.phase = "Complete"
	}
	for i := 0; m.reconcile() && i < 100; i++ {
		continue
	}
	m.appendPhases(created)
	slices.Sort(words)
	slices.Sort(created)
	for _, s := range m.subs {
		m.pending(s)
	}
	return strings.Join(words, " and ") + ": " + strings.Join(created, ", "), ""
}

func (m *model) create(name string) {
	c := &modelCSV{name: name}
	c.pkg, _, _ = strings.Cut(name, ".v")
	fmt.Sscan(name[len(c.pkg)+2:], &c.number)
	c.modes = m.modes[name]
	c.replaces = fmt.Sprintf("%s.v%d", c.pkg, c.number-1) // what its entry says
	for _, s := range m.subs {
		if s.current == name && m.csvs[s.installed] != nil {
			c.replaces = s.installed
		}
	}
	m.csvs[name] = c
}

// describe is for debugging.
func (m *model) describe() string {
	text := fmt.Sprintf("groups %q targets %q excluded %v failforward %v global %s sources %v conditions %+v heads %v modes %v\n",
		m.groups, m.targets, m.excluded, m.failForward, m.global, m.sources, m.conditions, m.heads, m.modes)
	for _, s := range m.subs {
		text += fmt.Sprintf("%+v\n", *s)
	}
	for _, name := range slices.Sorted(maps.Keys(m.csvs)) {
		text += fmt.Sprintf("%+v\n", *m.csvs[name])
	}
	for _, p := range m.plans {
		text += fmt.Sprintf("%+v\n", *p)
	}
	return text
}

// trace lets it run until it ends.
func (m *model) trace() []string {
	var all []string
	for range 12 {
		said, end := m.step()
		if end == "operator groups" {
			return append(all, end)
		}
		if end != "" {
			return append(append(all, end), m.state()...)
		}
		all = append(all, said)
	}
	return append(all, "endless")
}

// describeTrace is the same of what the package answers.
func describeTrace(c *Trace) []string {
	var all []string
	for _, step := range c.Steps {
		if step.Resolvable() {
			all = append(all, describeStep(step))
		}
	}
	end := describeEnd(c)
	if end == "operator groups" {
		return append(all, end)
	}
	var state []string
	for _, in := range c.Last.Installed {
		phase := in.Phase
		if phase == succeeded {
			phase = "Succeeded"
		}
		state = append(state, in.Name+" "+string(phase))
	}
	for _, s := range c.Last.Subscriptions {
		state = append(state, s.Name+" has "+s.InstalledCSV)
	}
	slices.Sort(state)
	return append(append(all, end), state...)
}

func describeStep(step *Resolution) string {
	var created, words []string
	for _, in := range step.Installs {
		word := in.Name
		if in.Wait != nil {
			word += " " + string(in.Wait.phase())
		}
		if in.Wait != nil && in.Wait.Kind == UnsupportedGroup {
			word += " " + in.Wait.Reason
		}
		created = append(created, word)
	}
	for _, name := range step.Plan.Names {
		if slices.Contains(step.Plan.Approve, name) {
			name += " to approve"
		}
		words = append(words, name)
	}
	switch {
	case len(words) == 0 && step.Plan.NeedsApproval():
		words = []string{"new to approve"}
	case len(words) == 0:
		words = []string{"new"}
	}
	slices.Sort(words)
	slices.Sort(created)
	return strings.Join(words, " and ") + ": " + strings.Join(created, ", ")
}

func describeEnd(c *Trace) string {
	switch {
	case c.End == fixedPoint && len(c.Final.Unplanned) > 0:
		return "unplanned"
	case c.End == fixedPoint:
		return "settled"
	case c.End != Unresolvable:
		return "endless"
	}
	switch faults := c.Steps[len(c.Steps)-1].Faults; {
	case len(faults) == 0 || faults[0].Kind.Stage() == unsatisfiable:
		return "ConstraintsNotSatisfiable"
	case faults[0].Kind == InvalidGroups:
		return "operator groups"
	case faults[0].Kind == EndedPlan:
		return "dead plan"
	}
	return "ErrorPreventedResolution"
}

// cluster collects objects as kubectl prints them.
type cluster struct{ all []any }

const v1alpha1 = "operators.coreos.com/v1alpha1"

func (c *cluster) add(version, kind string, metadata, spec, status object) {
	c.all = append(c.all, object{"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec, "status": status})
}

func meta(name, namespace string) object { return object{"name": name, "namespace": namespace} }

// objects is the cluster as kubectl prints it, with what does not count besides.
func (m *model) objects() []any {
	c := &cluster{}
	if m.openShift {
		c.add("config.openshift.io/v1", "ClusterVersion", object{"name": "version"}, object{}, object{})
	}
	for _, name := range m.groups {
		metadata := meta(name, "ns")
		metadata["annotations"] = object{excludeGlobal: fmt.Sprint(m.excluded)}
		spec := object{}
		if m.failForward {
			spec["upgradeStrategy"] = failForward
		}
		c.add("operators.coreos.com/v1", "OperatorGroup", metadata, spec, object{"namespaces": m.targets, "lastUpdated": "2026-01-01T00:00:00Z"})
	}
	c.add("operators.coreos.com/v1", "OperatorGroup", meta("other", "elsewhere"), object{}, object{})
	for _, s := range m.sources {
		status := object{}
		if s.state != "" {
			status["connectionState"] = object{"lastObservedState": s.state}
		}
		c.add(v1alpha1, "CatalogSource", meta(s.name, s.namespace), object{}, status)
	}
	for _, s := range m.subs {
		c.add(v1alpha1, "Subscription", meta(s.name, "ns"), s.spec(), s.status())
	}
	for _, name := range slices.Sorted(maps.Keys(m.csvs)) {
		c.addCSV(m.csvs[name])
	}
	c.add(v1alpha1, "ClusterServiceVersion", meta("other", "elsewhere"), object{}, object{})
	for i, name := range slices.Sorted(maps.Keys(m.conditions)) {
		c.addCondition([]string{"operators.coreos.com/v1", "operators.coreos.com/v2"}[i%2], name, m.conditions[name])
	}
	for _, p := range m.plans {
		var steps []any
		for _, name := range p.csvs {
			steps = append(steps, object{"resolving": name, "resource": object{"kind": "ClusterServiceVersion", "name": name, "manifest": m.manifest(name)}})
		}
		c.add(v1alpha1, "InstallPlan", meta(p.name, "ns"), object{"clusterServiceVersionNames": p.csvs, "approved": p.approved}, object{"phase": p.phase, "plan": steps})
	}
	c.add(v1alpha1, "InstallPlan", meta("other", "elsewhere"), object{}, object{"phase": "RequiresApproval"})
	return c.all
}

func (s *modelSub) spec() object {
	approval := "Automatic"
	if s.manual {
		approval = "Manual"
	}
	return object{"name": s.pkg, "channel": "stable", "source": s.source, "sourceNamespace": s.sourceNamespace, "installPlanApproval": approval}
}

func (s *modelSub) status() object {
	status := object{"installedCSV": s.installed, "currentCSV": s.current}
	if s.plan != "" {
		status["installPlanRef"] = object{"name": s.plan, "namespace": "ns"}
	}
	return status
}

// addCSV adds a CSV, and copies of it such as OLM marks them.
func (c *cluster) addCSV(csv *modelCSV) {
	metadata := meta(csv.name, "ns")
	metadata["annotations"] = object{snapshot.Properties: fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":%q,"version":"%d.0.0"}}]}`, csv.pkg, csv.number),
		"olm.operatorNamespace": "ns"}
	c.add(v1alpha1, "ClusterServiceVersion", metadata, object{"version": fmt.Sprintf("%d.0.0", csv.number), "replaces": csv.replaces,
		"installModes": modeObjects(csv.modes)}, object{"phase": csv.phase, "reason": csv.reason})
	for i, mark := range []object{{"labels": object{"olm.copiedFrom": ""}}, {"annotations": object{"olm.operatorNamespace": "elsewhere"}}, {}} {
		copied := meta(fmt.Sprintf("%s.copy%d", csv.name, i), "ns")
		maps.Copy(copied, mark)
		status := object{"phase": "Succeeded"}
		if len(mark) == 0 {
			status["reason"] = "Copied"
		}
		c.add(v1alpha1, "ClusterServiceVersion", copied, object{"version": "1.0.0"}, status)
	}
}

func (c *cluster) addCondition(version, name string, condition modelCondition) {
	metadata := meta(name, "ns")
	metadata["generation"] = condition.generation
	spec, status := object{}, object{}
	if condition.hasOverride {
		spec["overrides"] = []any{object{"type": "Other", "status": "False"}, object{"type": "Upgradeable", "status": condition.override}}
	}
	if condition.hasUpgrade {
		status["conditions"] = []any{object{"type": "Upgradeable", "status": condition.status, "observedGeneration": condition.observed}}
	}
	c.add(version, "OperatorCondition", metadata, spec, status)
}

// manifest is the CSV in a step of an InstallPlan.
func (m *model) manifest(name string) string {
	pkg, number, _ := strings.Cut(name, ".v")
	replaces := fmt.Sprintf("%s.v%d", pkg, number[0]-'0'-1)
	text, _ := json.Marshal(object{"kind": "ClusterServiceVersion", "spec": object{"version": number + ".0.0", "replaces": replaces, "installModes": modeObjects(m.modes[name])},
		"metadata": object{"name": name, "annotations": object{
			snapshot.Properties: fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":%q,"version":"%s.0.0"}}]}`, pkg, number)}}})
	return string(text)
}

func modeObjects(modes []string) []any {
	all := []any{}
	for _, mode := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
		all = append(all, object{"type": mode, "supported": slices.Contains(modes, mode)})
	}
	if slices.Contains(modes, twice) {
		all = append(all, all[0])
	}
	return all
}

// randomModel makes a cluster by chance.
func randomModel(r *rand.Rand) *model {
	one := func(in int) bool { return r.IntN(in) == 0 }
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	m := &model{global: "olm", openShift: one(4), groups: []string{"group"}, csvs: map[string]*modelCSV{}, conditions: map[string]modelCondition{},
		heads: map[string]int{}, modes: map[string][]string{}, emptySources: map[string]bool{"void": true}}
	if m.openShift {
		m.global = snapshot.OpenShiftCatalogs
	}
	switch r.IntN(12) {
	case 0:
		m.groups = nil
	case 1:
		m.groups = []string{"group", "second"}
	}
	m.targets = [][]string{{""}, {"ns"}, {"a"}, {"a", "b"}, {"a", "ns"}}[r.IntN(5)]
	if one(12) {
		m.targets = [][]string{{}, {"", "a"}}[r.IntN(2)]
	}
	m.excluded, m.failForward = one(8), one(4)
	for i, namespace := range []string{"ns", m.global, "far"} {
		if i == 0 && one(2) {
			continue
		}
		m.sources = append(m.sources, modelSource{pick("shop", "shop", "shop", "void"), namespace, "READY"})
		if one(8) {
			m.sources[len(m.sources)-1].state = pick("IDLE", "", "TRANSIENT_FAILURE", "CONNECTING", "SHUTDOWN")
		}
	}
	for _, pkg := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		m.randomPackage(r, pkg)
	}
	return m
}

// randomModes returns all install modes in most cases, else some, or one of them twice.
func randomModes(r *rand.Rand) []string {
	all := []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}
	modes := all
	if r.IntN(20) == 0 {
		modes = append(slices.Clone(all), twice)
	}
	if r.IntN(8) == 0 {
		some := r.IntN(1 << len(all))
		modes = nil
		for bit, mode := range all {
			if some>>bit&1 == 1 {
				modes = append(modes, mode)
			}
		}
	}
	return modes
}

// randomPackage adds a package, mostly with a subscription, whatever of it is installed, and what waits for it.
func (m *model) randomPackage(r *rand.Rand, pkg string) {
	one := func(in int) bool { return r.IntN(in) == 0 }
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	name := func(number int) string { return fmt.Sprintf("%s.v%d", pkg, number) }
	m.heads[pkg] = 2 + r.IntN(3)
	for i := 1; i <= m.heads[pkg]; i++ {
		m.modes[name(i)] = randomModes(r)
	}
	s := &modelSub{name: pkg, pkg: pkg, source: "shop", sourceNamespace: m.global, manual: one(3)}
	if one(8) {
		s.sourceNamespace = pick("far", "ns", "nowhere")
	}
	if !one(10) || pkg == "a" {
		m.subs = append(m.subs, s)
	}
	if one(4) {
		return
	}
	installed := 1 + r.IntN(m.heads[pkg])
	s.installed, s.current = name(installed), name(installed)
	m.csvs[s.installed] = &modelCSV{name: s.installed, replaces: name(installed - 1), phase: pick("Succeeded", "Succeeded", "Succeeded", "Succeeded", "Succeeded", "Failed", "Installing"),
		number: installed, pkg: pkg, modes: m.modes[s.installed]}
	if one(3) {
		m.conditions[s.installed] = modelCondition{override: pick("True", "False", "Unknown"), hasOverride: one(3), status: pick("True", "False", "Unknown"),
			hasUpgrade: !one(4), generation: 3, observed: 2 + r.IntN(2)}
	}
	switch next := name(installed + 1); {
	case installed == m.heads[pkg]:
		if one(5) { // its CSV was deleted by hand
			delete(m.csvs, s.installed)
			s.plan = fmt.Sprintf("old%d", len(m.plans))
			m.plans = append(m.plans, &modelPlan{name: s.plan, phase: "Complete", approved: true, csvs: []string{s.installed}})
		}
	case one(3): // an InstallPlan is there, and maybe for others as well
		s.current, s.plan = next, pick("plan1", "plan2")
		p := m.plan(s.plan)
		if p == nil {
			p = &modelPlan{name: s.plan, phase: pick("RequiresApproval", "RequiresApproval", "RequiresApproval", "Installing", "Failed"), approved: one(4)}
			p.approved = p.approved || p.phase != "RequiresApproval"
			m.plans = append(m.plans, p)
		}
		p.csvs = append(p.csvs, next)
	case one(4): // an upgrade is in progress
		m.csvs[s.installed].phase = "Replacing"
		m.csvs[next] = &modelCSV{name: next, replaces: s.installed, phase: pick("Pending", "Installing", "Succeeded", "Failed"), number: installed + 1, pkg: pkg, modes: m.modes[next]}
		if c := m.csvs[next]; c.phase == "Succeeded" && m.misfit(c) != "" { // else it is a race who looks first
			c.phase, c.reason = "Failed", m.misfit(c)
		}
		s.installed, s.current = next, next
	}
}

// namespaceOfModel reads the objects, and gives the sources their catalogs.
func namespaceOfModel(t testing.TB, m *model) Namespace {
	t.Helper()
	var catalog strings.Builder
	catalog.WriteString("catalog shop\n")
	for _, pkg := range slices.Sorted(maps.Keys(m.heads)) {
		fmt.Fprintf(&catalog, "package %s\n", pkg)
		for i := 1; i <= m.heads[pkg]; i++ {
			name := fmt.Sprintf("%s.v%d", pkg, i)
			modes, err := json.Marshal(object{"installModes": modeObjects(m.modes[name])})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&catalog, "%s replaces %s.v%d property olm.csv.metadata '%s'\n", name, pkg, i-1, modes)
		}
	}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": m.objects()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := readState(text, "ns", "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	shop := parseNamespace(t, catalog.String()).Sources[0].Catalog
	for i := range s.Sources {
		if s.Sources[i].Name == "shop" {
			s.Sources[i].Catalog = shop
		}
	}
	return s.Namespace
}

// TestClusters compares the results for random clusters with those of the model.
func TestClusters(t *testing.T) {
	count := map[string]int{}
	rounds := catalogtest.Rounds(1500)
	for seed := range uint64(rounds) {
		m := randomModel(rand.New(rand.NewPCG(seed, 3)))
		if len(m.subs) == 0 {
			continue
		}
		n := namespaceOfModel(t, m)
		text := m.describe()
		c, err := runToFixedPoint(t.Context(), n, 20)
		if err != nil {
			t.Fatal(err)
		}
		got, want := describeTrace(c), m.trace()
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n got %s\nwant %s\n%s", seed, strings.Join(got, "\n     "), strings.Join(want, "\n     "), text)
		}
		for _, word := range []string{"to approve", " Pending", " Failed", "NoTargetNamespaces", "InvalidInstallModes", "UnsupportedOperatorGroup", " and plan", "settled", "unplanned", "dead plan", "operator groups", "ErrorPreventedResolution", "ConstraintsNotSatisfiable"} {
			if slices.ContainsFunc(want, func(line string) bool { return strings.Contains(line, word) }) {
				count[word]++
			}
		}
	}
	for word, n := range count {
		if n < rounds/300 {
			t.Errorf("%q comes up %d times only", word, n)
		}
	}
	t.Log(count)
}
