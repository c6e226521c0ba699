// Package render writes the answers of the commands to an io.Writer. It computes no answers and does not read the environment.
// Findings are written by render/report, pictures by render/diagram, and the page by render/page.
package render

import (
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// The first format of each answer is text.

// PathFormats returns the formats of a path.
func PathFormats() []text.Format[*Path] {
	return answer.Formats((*Path).say, (*Path).json,
		text.Format[*Path]{Name: "mermaid", Write: text.Unstyled(pathMermaid)},
		text.Format[*Path]{Name: "dot", Write: text.Unstyled(pathDOT)})
}

// VersionPathFormats returns the formats of a path through the catalogs of several OpenShift versions.
func VersionPathFormats() []text.Format[*VersionPath] {
	return answer.Formats((*VersionPath).say, (*VersionPath).json)
}

// ChannelTableFormats returns the formats of a table of automatic upgrades.
func ChannelTableFormats() []text.Format[*ChannelTable] {
	return answer.Formats((*ChannelTable).say, (*ChannelTable).json)
}

// ListFormats returns the formats of a list of packages, channels or bundles.
func ListFormats() []text.Format[Listing] { return answer.Formats(Listing.say, Listing.json) }

// DiffFormats returns the formats of the differences between catalogs.
func DiffFormats() []text.Format[Differences] {
	return []text.Format[Differences]{answer.Text(Differences.say), answer.JSON(Differences.json), answer.Markdown(Differences.comment)}
}

// CRDFormats returns the formats of the CRDs of a channel.
func CRDFormats() []text.Format[CRDs] { return answer.Formats(CRDs.say, answer.Itself) }

// ReleaseFormats returns the formats of what a release needs.
func ReleaseFormats() []text.Format[Releases] {
	return answer.Formats(Releases.say, Releases.json, text.Format[Releases]{Name: "release-config", Write: text.Unstyled(releaseConfigs)})
}

// HistoryFormats returns the formats of what lint says of past changes.
func HistoryFormats() []text.Format[*History] {
	return answer.Formats((*History).say, answer.Itself)
}

// ReadinessFormats returns the formats of what OLM v1 installs.
func ReadinessFormats() []text.Format[*Readiness] {
	return answer.Formats((*Readiness).say, (*Readiness).json, text.Format[*Readiness]{Name: "yaml", Write: text.Unstyled(readinessYAML)})
}
