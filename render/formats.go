package render

import "github.com/olmgraph/olmgraph/graph/resolve"

// The formats of each answer, the one for people first.

// PathFormats returns the formats of a path.
func PathFormats() []Format[*Path] {
	return []Format[*Path]{
		{Name: "text", Write: PathText},
		{Name: "json", Write: unstyled(pathJSON)},
		{Name: "markdown", Write: unstyled(pathMarkdown)},
		{Name: "mermaid", Write: unstyled(pathMermaid)},
		{Name: "dot", Write: unstyled(pathDOT)},
	}
}

// ChannelTableFormats returns the formats of a table of what upgrades to what.
func ChannelTableFormats() []Format[*ChannelTable] {
	return []Format[*ChannelTable]{
		{Name: "text", Write: channelTableText},
		{Name: "json", Write: unstyled(channelTableJSON)},
		{Name: "markdown", Write: unstyled(channelTableMarkdown)},
	}
}

// ListFormats returns the formats of a list of packages, channels or bundles.
func ListFormats() []Format[Listing] {
	return []Format[Listing]{{Name: "text", Write: listText}, {Name: "json", Write: unstyled(listJSON)}}
}

// DiffFormats returns the formats of the differences between catalogs.
func DiffFormats() []Format[Differences] {
	return []Format[Differences]{
		{Name: "text", Write: diffText},
		{Name: "json", Write: unstyled(diffJSON)},
		{Name: "markdown", Write: unstyled(diffMarkdown)},
	}
}

// CRDFormats returns the formats of the CRDs of a channel.
func CRDFormats() []Format[CRDs] {
	return []Format[CRDs]{{Name: "text", Write: crdsText}, {Name: "json", Write: unstyled(crdsJSON)}}
}

// ForecastFormats returns the formats of what upgrades do to the CRDs of a cluster.
func ForecastFormats() []Format[[]Forecasts] {
	return []Format[[]Forecasts]{{Name: "text", Write: forecastsText}, {Name: "json", Write: unstyled(forecastsJSON)}}
}

// ResolveFormats returns the formats of what OLM v0 does in a namespace.
func ResolveFormats() []Format[*resolve.ResolveReport] {
	return []Format[*resolve.ResolveReport]{{Name: "text", Write: resolveText}, {Name: "json", Write: unstyled(resolveJSON)}}
}

// RuleFormats returns the formats of the list of rules.
func RuleFormats() []Format[[]Guide] {
	return []Format[[]Guide]{
		{Name: "text", Write: unstyled(ruleList)},
		{Name: "json", Write: unstyled(ruleJSON)},
		{Name: "markdown", Write: unstyled(RuleTable)},
	}
}
