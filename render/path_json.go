package render

import (
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// jsonPath is the JSON form of the upgrade path of a bundle.
type jsonPath struct {
	Package      string           `json:"package"`
	Channel      string           `json:"channel"`  // of the subscription; "" under OLM v1
	Channels     []string         `json:"channels"` // named by the Subscription or ClusterExtension
	OLM          string           `json:"olm" enum:"v0,v1"`
	From         jsonEntry        `json:"from"`
	NotInCatalog bool             `json:"notInCatalog"` // the installed bundle is not in the catalog
	To           jsonEntry        `json:"to"`
	Automatic    jsonAutomatic    `json:"automatic"`
	Paths        []jsonPathOption `json:"paths"`
	More         bool             `json:"more"`    // there are, or may be, more paths
	Why          *jsonWhy         `json:"why"`     // null if there is a path
	Judged       judged           `json:"judged"`  // what the outcomes of upgrades say
	Changes      *changes.Report  `json:"changes"` // of contents between from and to, with --changes; otherwise null
	// Versions are those of a path through several OpenShift versions, otherwise none. It has a path if the cluster gets to the last version, and has the
	// head of the channel there, or the wanted bundle.
	Versions []jsonPathVersion `json:"openshiftVersions"`
}

type jsonEntry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Release string `json:"release"` // of a bundle with one, which OLM v1 compares after the version
}

// jsonAutomatic is the sequence of automatic upgrades.
type jsonAutomatic struct {
	End      jsonEntry      `json:"end"`
	Loop     bool           `json:"loop"`     // upgrades repeat endlessly, in a cycle that begins at end
	Rejected *graph.Refusal `json:"rejected"` // chosen by OLM v1, and not installed
	Steps    []jsonStep     `json:"steps"`
}

type jsonPathOption struct {
	Hops      int        `json:"hops"`
	Switches  int        `json:"switches"`
	Automatic bool       `json:"automatic"`
	Steps     []jsonStep `json:"steps"`
}

type jsonStep struct {
	Kind      string    `json:"kind" enum:"replaces,skips,skipRange,same-version,switch"` // switch is a change of the channel
	Channel   string    `json:"channel"`
	From      jsonEntry `json:"from"`
	To        jsonEntry `json:"to"`
	Automatic bool      `json:"automatic"`
	Value     string    `json:"value"` // of the field that defines the edge
	catalogs.Pos
	Head            bool     `json:"head"`
	Downgrade       bool     `json:"downgrade"`
	MajorUpgrade    bool     `json:"majorUpgrade"`
	SkippedVersions string   `json:"skippedVersions"` // for example "minor version 1.3"
	Deprecated      bool     `json:"deprecated"`
	Deprecation     string   `json:"deprecation"` // the message
	MaxOpenShift    string   `json:"maxOpenShiftVersion"`
	Requires        []string `json:"requires"`
	// Outcome says what becomes of the upgrade on the cluster of --snapshot, or where from was installed and nothing else of the package: not-refused
	// means that the CRDs, other objects and Deployments are not.
	Outcome        string              `json:"outcome" enum:"not-refused,fails,unknown,not-reached,"` // "" of a switch
	Reasons        []jsonReason        `json:"reasons"`                                               // why it fails
	Warnings       []jsonReason        `json:"warnings"`
	StoredVersions map[string][]string `json:"storedVersions"` // status.storedVersions afterwards, of each CRD of the bundle
}

func outcomeJSON(o *judge.Outcome, failed bool) string {
	switch {
	case failed:
		return "not-reached"
	case len(o.Reasons) > 0:
		return "fails"
	case o.Known:
		return "not-refused"
	}
	return "unknown"
}

type jsonReason struct {
	CRD     string `json:"crd"`  // "" of another object
	Kind    string `json:"kind"` // of the object that is rejected
	Name    string `json:"name"`
	Message string `json:"message"`
	Rule    string `json:"rule"` // of lint, which reports it of the catalog
	// Where are the conditions under which it holds, as they follow "where"; none: it does on each cluster.
	Where []string `json:"where"`
}

func reasonsJSON(all []judge.Reason) []jsonReason {
	var out []jsonReason
	for _, r := range all {
		one := jsonReason{Kind: r.Kind, Name: r.Name, Message: r.Message, Rule: r.Row.ID, Where: words.Map(r.Where, judge.Condition.String)}
		if r.Kind == crd.Kind {
			one.CRD = r.Name
		}
		out = append(out, one)
	}
	return out
}

// jsonWhy says why there is no path.
type jsonWhy struct {
	Sentences   []string        `json:"sentences"`
	Ends        jsonEntry       `json:"ends"`        // of the automatic upgrades
	Nearest     jsonEntry       `json:"nearest"`     // the reachable bundle nearest to the target
	From        []string        `json:"from"`        // bundles from which the target can be reached
	Channels    []string        `json:"channels"`    // other channels that have a path
	AddSkips    *jsonSkipsEdit  `json:"addSkips"`    // the edge that would make the path, null if it is not known
	RemoveSkips []jsonSkipsEdit `json:"removeSkips"` // skips to remove instead, of entries that also replace these names
	// Rejected says why OLM v1 does not install the target, null if it does.
	Rejected *graph.Refusal `json:"rejected"`
}

// jsonSkipsEdit are names to add to the skips of an entry, or to remove from them.
type jsonSkipsEdit struct {
	Entry string   `json:"entry"`
	Skips []string `json:"skips"`
}

func (p *Path) json() jsonPath {
	out := jsonPath{
		Package:      p.PackageGraph.Package.Name.Value,
		Channel:      questionChannel(p.Question),
		Channels:     channelNames(p.Question.NamedChannels()),
		OLM:          p.OLM().String(),
		From:         p.entry(p.From),
		NotInCatalog: !p.PackageGraph.Has(p.From),
		To:           p.entry(p.To),
		Automatic:    jsonAutomatic{p.entry(p.endName()), p.Loop, p.LastChoice.Refusal, p.stepsJSON(p.Automatic)},
		More:         p.MorePaths,
		Why:          p.whyJSON(),
		Judged:       p.judgement(p.Unknown()),
		Changes:      p.Changes,
	}
	out.Paths = words.Map(p.Paths, func(path graph.Path) jsonPathOption {
		return jsonPathOption{path.Hops(), path.Switches(), automatic(path), p.stepsJSON(path)}
	})
	return out
}

// questionChannel returns the channel of a subscription, or "" under OLM v1.
func questionChannel(q graph.Question) string {
	if q.Channel == nil {
		return ""
	}
	return q.Channel.Channel.Name.Value
}

func channelNames(graphs []*graph.Graph) []string {
	return words.Map(graphs, func(g *graph.Graph) string { return g.Channel.Name.Value })
}

func (p *Path) entry(name string) jsonEntry { return newJSONEntry(p.PackageGraph, name) }

func newJSONEntry(pg *graph.PackageGraph, name string) jsonEntry {
	e := jsonEntry{Name: name, Version: pg.Version(name)}
	if b := pg.Package.Bundle(name); b != nil {
		e.Release = b.Release.Value
	}
	return e
}

// endName returns the bundle at which automatic upgrades end.
func (p *Path) endName() string {
	if n := len(p.Automatic); n > 0 {
		return p.Automatic[n-1].To
	}
	return p.From
}

func (p *Path) stepsJSON(path graph.Path) []jsonStep {
	var all []jsonStep
	outcomes, failed := p.outcomes(path), false
	for i := range path {
		step := p.stepJSON(&path[i])
		if !path[i].Switch() {
			o := &outcomes[0]
			step.Outcome, step.Reasons, step.Warnings = outcomeJSON(o, failed), reasonsJSON(o.Reasons), reasonsJSON(o.Warnings)
			for _, s := range o.Stored {
				step.StoredVersions[s.CRD] = s.Versions
			}
			failed = failed || len(step.Reasons) > 0
			outcomes = outcomes[1:]
		}
		all = append(all, step)
	}
	return all
}

func (p *Path) stepJSON(s *graph.Step) jsonStep {
	out := jsonStep{Kind: "switch", From: p.entry(s.From), To: p.entry(s.To), Automatic: s.Automatic, Head: s.Graph.IsHead(s.To), StoredVersions: map[string][]string{}}
	if s.Graph != nil {
		out.Channel = s.Graph.Channel.Name.Value
	}
	if d := p.PackageGraph.Package.Deprecation(catalogs.SchemaBundle, s.To); d != nil {
		out.Deprecated, out.Deprecation = true, d.Message.Value
	}
	if deps := p.Dependencies[s.To]; deps != nil {
		out.MaxOpenShift = deps.MaxOpenShift.Value
		out.Requires = words.Map(deps.Requires, func(r catalogs.Requirement) string { return r.String() })
	}
	if s.Switch() {
		return out
	}
	jump := p.PackageGraph.VersionJump(s.From, s.To)
	out.Downgrade, out.MajorUpgrade, out.SkippedVersions = jump.Downgrade, jump.Major, jump.Skipped
	out.Kind, out.Value = edgeKind(s.Edge), s.Edge.Where.Value
	out.Pos = s.Edge.Where.Pos
	return out
}

// edgeKind returns the kind of an edge as a word for programs.
func edgeKind(e graph.Edge) string { return strings.ReplaceAll(e.Kind.String(), " ", "-") }

func (p *Path) whyJSON() *jsonWhy {
	o := p.Obstacle
	if o == nil {
		return nil
	}
	why := &jsonWhy{Sentences: p.whyNoPath(), Ends: p.entry(p.endName()), Nearest: p.entry(o.Nearest), From: o.ReachableFrom,
		Channels: channelNames(o.ChannelsWithPath), Rejected: o.Refused}
	switch s := o.Stuck; {
	case s == nil:
	case len(s.Unskip) > 0:
		why.RemoveSkips = words.Map(s.Unskip, func(e graph.Edge) jsonSkipsEdit {
			return jsonSkipsEdit{Entry: p.Channel.Name(e.To), Skips: []string{p.Channel.Name(e.From)}}
		})
	case s.FixEntry >= 0:
		why.AddSkips = &jsonSkipsEdit{Entry: p.Channel.Name(s.FixEntry), Skips: p.Channel.Names(append([]int{s.Entry}, s.AlsoSkip...))}
	}
	return why
}
