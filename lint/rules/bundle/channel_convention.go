package bundle

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var channelConvention = lint.Rule{
	ID: "bundle/channel-convention", Severity: lint.Info, Gates: lint.GateCommunity,
	Doc: `a channel is not named by convention
By convention a channel is called candidate, fast or stable, with or without a version, so that users know how mature its versions are.
The pipeline of the community catalog warns of other names.
Name new channels so. A published channel must keep its name: its users follow it.`,
	Reference: "operator-framework/api good_practices.go validateHubChannels",
	Check:     contents.InHeads(contents.InFolder(checkChannelConvention)),
}

func checkChannelConvention(c *contents.Contents) {
	listed, _ := c.Folder.Annotation(bundleAnnotation + "channels.v1")
	byDefault, _ := c.Folder.Annotation(bundleAnnotation + "channel.default.v1")
	var others []string
	for name := range strings.SplitSeq(listed.Value+","+byDefault.Value, ",") {
		name = strings.TrimSpace(name)
		byConvention := name == "" || slices.ContainsFunc([]string{"candidate", "fast", "stable"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if !byConvention && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		f := c.ReportAt(words.FirstKnown(listed.Pos, byDefault.Pos), "name new channels candidate, fast or stable; keep published ones",
			"is in %s %s, which %s not begin with candidate, fast or stable: the community pipeline warns of it",
			words.Plural(len(others), "channel", "channels"), words.AllOf(others), words.Plural(len(others), "does", "do"))
		f.Cause, f.Faults = lint.OncePerPackage(), others
	}
}
