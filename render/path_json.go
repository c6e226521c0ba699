package render

import (
	"io"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonPath is the JSON form of a path. Every field is always there but why, which only stands where there is no way.
type jsonPath struct {
	Version   int              `json:"version"`
	Tool      string           `json:"tool"`
	Package   string           `json:"package"`
	Channel   string           `json:"channel"`  // of the subscription; "" under OLM v1
	Channels  []string         `json:"channels"` // that the subscription or the ClusterExtension names
	OLM       string           `json:"olm"`
	From      jsonEntry        `json:"from"`
	Gone      bool             `json:"notInCatalog"` // the catalog does not have what is installed
	To        jsonEntry        `json:"to"`
	Automatic jsonAutomatic    `json:"automatic"`
	Ways      []jsonPathOption `json:"paths"`
	More      bool             `json:"more"` // there are, or may be, more ways
	Why       *jsonWhy         `json:"why,omitempty"`
}

type jsonEntry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Release string `json:"release,omitempty"`
}

// jsonAutomatic is what OLM does by itself.
type jsonAutomatic struct {
	End     jsonEntry    `json:"end"`
	Loop    bool         `json:"loop"` // it goes on for ever, in a circle that begins at the end
	Refused *jsonRefused `json:"rejected"`
	Steps   []jsonStep   `json:"steps"`
}

// jsonRefused is a bundle that OLM v1 chooses and does not install.
type jsonRefused struct {
	Name     string `json:"name"`
	Property string `json:"property"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

func refusedJSON(r *graph.Refusal) *jsonRefused {
	if r == nil {
		return nil
	}
	return &jsonRefused{Name: r.Bundle, Property: r.Property, File: r.Pos.File, Line: r.Pos.Line, Column: r.Pos.Col}
}

type jsonPathOption struct {
	Hops      int        `json:"hops"`
	Switches  int        `json:"switches"`
	Automatic bool       `json:"automatic"`
	Steps     []jsonStep `json:"steps"`
}

type jsonStep struct {
	Kind         string    `json:"kind"` // replaces, skips, skipRange or switch
	Channel      string    `json:"channel"`
	From         jsonEntry `json:"from"`
	To           jsonEntry `json:"to"`
	Automatic    bool      `json:"automatic"`
	Value        string    `json:"value"` // of the field that makes the edge
	File         string    `json:"file"`
	Line         int       `json:"line"`
	Column       int       `json:"column"`
	Head         bool      `json:"head"`
	Downgrade    bool      `json:"downgrade"`
	NewMajor     bool      `json:"majorUpgrade"`
	PassesOver   string    `json:"skippedVersions"` // as "minor version 1.3"
	Deprecated   bool      `json:"deprecated"`
	Deprecation  string    `json:"deprecation"` // the message
	MaxOpenShift string    `json:"maxOpenShiftVersion"`
	Requires     []string  `json:"requires"`
}

// jsonWhy says why there is no way.
type jsonWhy struct {
	Sentences []string   `json:"sentences"`
	Ends      jsonEntry  `json:"ends"`        // of what happens by itself
	Nearest   jsonEntry  `json:"nearest"`     // to the wanted bundle, of those that can be reached
	From      []string   `json:"from"`        // names from which the wanted bundle can be reached
	Channels  []string   `json:"channels"`    // others, in which there is a way
	Cure      *jsonCure  `json:"addSkips"`    // the edge that would open it, null if that is not known
	TakeOut   []jsonCure `json:"removeSkips"` // skips to take out instead: their entries also replace these names
	// Refused is why OLM v1 does not install the wanted bundle, null if it does.
	Refused *jsonRefused `json:"rejected"`
}

// jsonCure is names to add to the skips of an entry, or to take out of them.
type jsonCure struct {
	Entry string   `json:"entry"`
	Skips []string `json:"skips"`
}

// pathJSON writes a path for programs.
func pathJSON(w io.Writer, p *Path) error {
	out := jsonPath{
		Version: text.JSONVersion, Tool: "olmgraph",
		Package: p.PackageGraph.Package.Name.Value, Channel: channelOf(p.Question), Channels: channelsOf(p.Question), OLM: p.OLM().String(),
		From: p.entry(p.From), Gone: !p.PackageGraph.Has(p.From), To: p.entry(p.To),
		Automatic: jsonAutomatic{End: p.end(), Loop: p.Loop, Refused: refusedJSON(p.LastChoice.Refusal), Steps: p.steps(p.Automatic)},
		Ways:      []jsonPathOption{}, More: p.MorePaths, Why: p.whyJSON(),
	}
	for _, way := range p.Paths {
		out.Ways = append(out.Ways, jsonPathOption{Hops: way.Hops(), Switches: way.Switches(), Automatic: automatic(way), Steps: p.steps(way)})
	}
	return text.JSON(w, out)
}

// channelOf is the channel of a subscription.
func channelOf(q graph.Question) string {
	if q.Channel == nil {
		return ""
	}
	return q.Channel.Channel.Name.Value
}

// channelsOf are the channels that a subscription or a ClusterExtension names.
func channelsOf(q graph.Question) []string {
	names := []string{}
	for _, g := range q.NamedChannels() {
		names = append(names, g.Channel.Name.Value)
	}
	return names
}

func (p *Path) entry(name string) jsonEntry { return entryOf(p.PackageGraph, name) }

func entryOf(a *graph.PackageGraph, name string) jsonEntry {
	e := jsonEntry{Name: name, Version: a.Version(name)}
	if b := a.Package.Bundle(name); b != nil {
		e.Release = b.Release.Value
	}
	return e
}

// endName is where OLM stays if nobody asks it for more.
func (p *Path) endName() string {
	if n := len(p.Automatic); n > 0 {
		return p.Automatic[n-1].To
	}
	return p.From
}

func (p *Path) end() jsonEntry { return p.entry(p.endName()) }

func (p *Path) steps(w graph.Path) []jsonStep {
	all := []jsonStep{}
	for i := range w {
		all = append(all, p.stepJSON(&w[i]))
	}
	return all
}

func (p *Path) stepJSON(s *graph.Step) jsonStep {
	out := jsonStep{Kind: "switch", From: p.entry(s.From), To: p.entry(s.To), Automatic: s.Automatic, Head: s.Graph.IsHead(s.To), Requires: []string{}}
	if s.Graph != nil {
		out.Channel = s.Graph.Channel.Name.Value
	}
	if d := p.PackageGraph.Package.Deprecation(catalogs.SchemaBundle, s.To); d != nil {
		out.Deprecated, out.Deprecation = true, d.Message.Value
	}
	if deps := p.Dependencies[s.To]; deps != nil {
		out.MaxOpenShift = deps.MaxOpenShift.Value
		for i := range deps.Requires {
			out.Requires = append(out.Requires, deps.Requires[i].String())
		}
	}
	if s.Switch() {
		return out
	}
	leap := p.PackageGraph.VersionJump(s.From, s.To)
	out.Downgrade, out.NewMajor, out.PassesOver = leap.Downgrade, leap.Major, leap.Skipped
	out.Kind, out.Value = s.Edge.Kind.String(), s.Edge.Where.Value
	out.File, out.Line, out.Column = s.Edge.Where.Pos.File, s.Edge.Where.Pos.Line, s.Edge.Where.Pos.Col
	return out
}

func (p *Path) whyJSON() *jsonWhy {
	o := p.Obstacle
	if o == nil {
		return nil
	}
	why := &jsonWhy{Sentences: p.why(), Ends: p.end(), Nearest: p.entry(o.Nearest), From: o.ReachableFrom, Channels: []string{}, Refused: refusedJSON(o.Refused)}
	if why.From == nil {
		why.From = []string{}
	}
	for _, g := range o.ChannelsWithPath {
		why.Channels = append(why.Channels, g.Channel.Name.Value)
	}
	why.TakeOut = []jsonCure{}
	switch s := o.Stuck; {
	case s == nil:
	case len(s.Unskip) > 0:
		for _, e := range s.Unskip {
			why.TakeOut = append(why.TakeOut, jsonCure{Entry: p.Channel.Name(e.To), Skips: []string{p.Channel.Name(e.From)}})
		}
	case s.FixEntry >= 0:
		why.Cure = &jsonCure{Entry: p.Channel.Name(s.FixEntry), Skips: []string{p.Channel.Name(s.Entry)}}
		for _, i := range s.AlsoSkip {
			why.Cure.Skips = append(why.Cure.Skips, p.Channel.Name(i))
		}
	}
	return why
}
