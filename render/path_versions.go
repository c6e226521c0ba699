package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// VersionPath is the path of an installed operator through the catalogs of several OpenShift versions.
type VersionPath struct {
	*openshift.Path
	OtherChannels []string // see Path
	Partial       []string // see Path

	paths []*Path // of the stages
}

// AddStage adds the next stage, whose version of Kubernetes may be "", and returns its path.
func (v *VersionPath) AddStage(kubernetes string) *Path {
	s := &v.Stages[len(v.paths)]
	p := &Path{PackageGraph: s.Package, Kubernetes: kubernetes, Answer: &graph.Answer{Automatic: s.Upgrades, Paths: []graph.Path{s.Upgrades},
		Question: graph.Question{Channel: s.Graph, From: s.From.Name, To: s.At.Name}}}
	if s.Package == nil {
		p.PackageGraph = graph.NewPackageGraph(&catalogs.Package{}).WithRemoved(s.From)
	}
	v.paths = append(v.paths, p)
	return p
}

// Fails reports whether an upgrade on the path fails.
func (v *VersionPath) Fails() bool { return slices.ContainsFunc(v.paths, (*Path).Fails) }

// say says the upgrades before each update of OpenShift, or where they end and why.
func (v *VersionPath) say() *answer.Answer {
	first, last := &v.Stages[0], v.LastStage()
	a := answer.New(fmt.Sprintf("package %s, channel %q, OLM v0, OpenShift %s to %s", v.Package, v.Channel, v.All[0], v.All[len(v.All)-1]))
	for _, taken := range v.Partial {
		a.Say(taken)
	}
	if known := func(p *Path) bool { return p.PackageGraph.Has(p.From) && p.From == first.From.Name }; !slices.ContainsFunc(v.paths, known) {
		a.Say(v.paths[0].notInCatalog("these catalogs"))
	}
	if len(v.OtherChannels) > 0 {
		a.Say(v.version(first.From), " is also in channel ", words.And(v.OtherChannels), ": see --channel.")
	}
	path := fmt.Sprintf("%s and %s", words.Count(v.upgrades(), "upgrade"), words.CountPlural(len(v.Stages)-1, "update of OpenShift", "updates of OpenShift"))
	if end := v.EndStage(); end != nil {
		a.Section(text.Styled(fmt.Sprintf("The path from %s ends at OpenShift %s, with %s.", v.version(first.From), v.StageVersion(end), v.version(end.At)), text.Error))
		a.List(v.explainEnd())
		a.Section("Automatically: ", path, v.failingSuffix())
	} else {
		head := ", the head"
		if v.To != "" {
			head = ""
		}
		a.Section(fmt.Sprintf("%s at OpenShift %s to %s%s, at %s: %s", v.version(first.From), v.StageVersion(first), v.version(last.At), head, v.StageVersion(last), path), v.failingSuffix())
	}
	a.Table(v.table())
	if unknown := v.unknown(); unknown > 0 {
		a.Section()
		a.Say(successUnknown(unknown))
	}
	return a
}

// unknown counts the upgrades of which it is not known whether they succeed.
func (v *VersionPath) unknown() (n int) {
	for _, p := range v.paths {
		n += p.Unknown()
	}
	return n
}

func (v *VersionPath) upgrades() (n int) {
	for i := range v.Stages {
		n += len(v.Stages[i].Upgrades)
	}
	return n
}

// failingSuffix says that an upgrade of the path fails.
func (v *VersionPath) failingSuffix() string {
	if v.Fails() {
		return "; one fails"
	}
	return ""
}

func (v *VersionPath) version(in graph.InstalledBundle) string {
	if in.Version == "" {
		return in.Name
	}
	return in.Version
}

// table has the upgrades, and the updates of OpenShift between them: those to versions at which the same is to be said in one row.
func (v *VersionPath) table() *answer.Table {
	t := &answer.Table{Columns: []string{"", "step", "via", "defined in"}, Right: []int{0}, Steps: true}
	number := 1
	for i := 0; i < len(v.Stages); i++ {
		s := &v.Stages[i]
		note, file := v.note(s), commonFile(s.Upgrades)
		if i == 0 {
			t.Add("", fmt.Sprintf("at OpenShift %s", v.StageVersion(s)), "", text.Styled(file, text.Faint))
		} else {
			to := []string{v.StageVersion(s).String()}
			for ; i+1 < len(v.Stages) && len(s.Upgrades)+len(v.Stages[i+1].Upgrades) == 0 && v.note(&v.Stages[i+1]) == note; i++ {
				to = append(to, v.StageVersion(&v.Stages[i+1]).String())
			}
			if len(to) > 2 {
				to = []string{to[0] + " … " + to[len(to)-1]}
			}
			t.Add(number, "update OpenShift to "+words.And(to), "", text.Styled(file, text.Faint))
			number++
		}
		v.paths[i].addSteps(t, s.Upgrades, number, file)
		number += len(s.Upgrades)
		if note != "" {
			t.Note(note)
		}
	}
	return t
}

// note says what becomes of what is installed at a version, unless it was upgraded to the head.
func (v *VersionPath) note(s *openshift.Stage) string {
	switch at := v.version(s.At); {
	case s.Loop:
		return "the upgrades repeat endlessly"
	case s.Limit != "":
		return v.limit(s)
	case s.End != nil:
		return at + " is not upgraded: " + v.endReason(s)
	case s.At.Name == v.To && s.Graph == nil:
		gone := openshift.End{Kind: openshift.ChannelGone, Channel: v.Channel}
		if s.Package == nil {
			gone.Kind = openshift.PackageGone
		}
		return at + " is kept: " + endText(&gone, nil) + ", and OLM v0 resolves nothing in the namespace"
	case s.At.Name == v.To:
		return at + " is kept"
	case len(s.Upgrades) == 0:
		return at + " is the head"
	}
	return ""
}

func (v *VersionPath) limit(s *openshift.Stage) string {
	return fmt.Sprintf("%s allows OpenShift %s at most (olm.maxOpenShiftVersion), which blocks the update to %s", v.version(s.At), s.Limit, v.All[s.Version+1])
}

// endReason says why what is installed is not upgraded in the catalog of a version.
func (v *VersionPath) endReason(s *openshift.Stage) string { return endText(s.End, s.Package) }

// endText says why an entry is not upgraded in the newer catalog, of which it gets the package.
func endText(e *openshift.End, now *graph.PackageGraph) string {
	if now != nil && now.Graph(e.Channel) != nil {
		if _, err := now.Graph(e.Channel).Order(); err != nil {
			return fmt.Sprintf("OLM v0 cannot order the channel there (%s), and resolves nothing in a namespace subscribed to it", err)
		}
	}
	head := "not known"
	if e.NewHead != "" {
		head = wording.Version(now, e.NewHead)
	}
	switch e.Kind {
	case openshift.PackageGone:
		return "the catalog does not have the package"
	case openshift.ChannelGone:
		return fmt.Sprintf("the catalog does not have channel %q", e.Channel)
	case openshift.HeadLower:
		return fmt.Sprintf("the head of the channel is lower, %s", head)
	case openshift.Stuck:
		return fmt.Sprintf("it is stuck in the channel, whose head is %s", head)
	default:
		return fmt.Sprintf("nothing in the channel, whose head is %s, replaces, skips or covers it", head)
	}
}

// explainEnd says why the path ends, and what helps.
func (v *VersionPath) explainEnd() (all []string) {
	s := v.EndStage()
	if s.Limit != "" {
		all = append(all, v.limit(s)+".")
	}
	switch at := v.version(s.At); {
	case s.Loop:
		all = append(all, "Its upgrades repeat endlessly.")
	case s.End != nil:
		all = append(all, fmt.Sprintf("At OpenShift %s %s is not upgraded: %s.", v.StageVersion(s), at, v.endReason(s)))
		if s.Graph == nil {
			all = append(all, "OLM v0 resolves nothing in the namespace of the subscription then, other operators included.")
		}
	case s.Limit == "":
		all = append(all, fmt.Sprintf("It is the head of channel %q there, and %s is not on the path.", v.Channel, v.To))
	}
	if len(s.Others) > 0 {
		all = append(all, fmt.Sprintf("To continue, switch the subscription to channel %s, which upgrades it or has it as its head.", words.Or(words.Quote(s.Others))))
	}
	if len(s.OthersBefore) > 0 {
		all = append(all, fmt.Sprintf("Before the update to %s, switch the subscription to channel %s, which upgrades it.", v.StageVersion(s), words.Or(words.Quote(s.OthersBefore))))
	}
	return all
}

// jsonPathVersion is what OLM v0 does at an OpenShift version.
type jsonPathVersion struct {
	OpenShift string     `json:"openshift"`
	Catalog   string     `json:"catalog"`
	From      jsonEntry  `json:"from"`  // before the upgrades
	At        jsonEntry  `json:"at"`    // after them
	Steps     []jsonStep `json:"steps"` // the upgrades
	Loop      bool       `json:"loop"`  // they repeat endlessly
	// Ends says why the entry at is not upgraded: package-gone and channel-gone, nothing in the namespace is; head-lower, the head of the channel is
	// lower; no-edge, nothing upgrades it; stuck, it is in the channel, but not its head. "" if it is the head, or the wanted bundle.
	Ends          string   `json:"ends" enum:"package-gone,channel-gone,head-lower,no-edge,stuck,"`
	Head          string   `json:"head"`          // of the channel, where it ends; else ""
	OtherChannels []string `json:"otherChannels"` // that upgrade it, or have it as their head, where it ends
	MaxOpenShift  string   `json:"blockedByMaxOpenShiftVersion"`
}

// json is the JSON of a path: its automatic upgrades are those at all versions.
func (v *VersionPath) json() jsonPath {
	first, last := v.paths[0], v.paths[len(v.paths)-1]
	out := jsonPath{Package: v.Package, Channel: v.Channel, Channels: []string{v.Channel}, OLM: graph.V0.String(),
		From: first.entry(first.From), NotInCatalog: !first.PackageGraph.Has(first.From), To: last.entry(cmp.Or(v.To, last.To)), Judged: last.judgement(v.unknown())}
	for i, p := range v.paths {
		s := &v.Stages[i]
		one := jsonPathVersion{OpenShift: v.StageVersion(s).String(), Catalog: v.All[s.Version].Catalog.Name, From: p.entry(p.From), At: p.entry(p.To),
			Steps: p.stepsJSON(s.Upgrades), Loop: s.Loop, OtherChannels: s.Others, MaxOpenShift: s.Limit}
		if s.End != nil {
			one.Ends, one.Head = s.End.Kind.String(), s.End.NewHead
		}
		out.Versions = append(out.Versions, one)
		out.Automatic = jsonAutomatic{End: one.At, Loop: s.Loop, Steps: append(out.Automatic.Steps, one.Steps...)}
	}
	if end := v.EndStage(); end != nil {
		out.Why = &jsonWhy{Sentences: v.explainEnd(), Ends: v.paths[end.Version-v.Stages[0].Version].entry(end.At.Name), Nearest: out.Automatic.End, Channels: end.Others}
	} else {
		out.Paths = []jsonPathOption{{Hops: len(out.Automatic.Steps), Automatic: true, Steps: out.Automatic.Steps}}
	}
	return out
}
