package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var annotations = lint.Rule{
	ID: "bundle/annotations", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `the annotations of a bundle are incomplete
The annotations in metadata/annotations.yaml state the content of a bundle and its package. opm alpha bundle validate, which every
pipeline runs, rejects a bundle without them. A channel with a space in its name is a warning: users cannot name it.
Add the missing annotations.`,
	Reference: "operator-registry pkg/lib/bundle validateAnnotations",
	Check:     contents.InHeads(checkAnnotations),
}

const bundleAnnotation = "operators.operatorframework.io.bundle."

// checkAnnotations checks metadata/annotations.yaml (operator-registry: pkg/lib/bundle validateAnnotations). A missing package or
// channel is manifest/annotations.
func checkAnnotations(c *contents.Contents) {
	folder := c.Folder
	if folder == nil || !folder.AnnotationsPos.Known() {
		return
	}
	for _, a := range []struct{ name, want string }{{"mediatype.v1", "registry+v1"}, {"manifests.v1", "manifests/"},
		{"metadata.v1", "metadata/"}} {
		key := bundleAnnotation + a.name
		value, ok := folder.Annotation(key)
		switch {
		case !ok:
			c.ReportAt(folder.AnnotationsPos, fmt.Sprintf("add %s: %s", key, a.want),
				"lacks the annotation %s: opm alpha bundle validate rejects it", key).WithCause(key)
		case a.name == "mediatype.v1" && value.Value != a.want:
			c.ReportAt(value.Pos, "write "+a.want,
				"has the media type %q, but a ClusterServiceVersion: opm alpha bundle validate rejects it", value.Value).WithCause(key)
		}
	}
	checkChannelNames(c, folder)
}

// checkChannelNames checks the annotations with the names of channels.
func checkChannelNames(c *contents.Contents, folder *catalogs.Folder) {
	channels, _ := folder.Annotation(bundleAnnotation + "channels.v1")
	listed := strings.Split(channels.Value, ",")
	for _, name := range listed {
		if channels.Value != "" && strings.TrimSpace(name) != name || channels.Value != "" && name == "" {
			c.ReportAt(channels.Pos, "separate the names by commas only",
				"has the channel %q in its annotation, with spaces or without a name: users cannot name it", name).WithCause("channels", name).Severity = lint.Warning
		}
	}
	value, ok := folder.Annotation(bundleAnnotation + "channel.default.v1")
	switch {
	case ok && value.Value == "":
		c.ReportAt(value.Pos, "name a channel, or remove the annotation",
			"has an empty default channel: opm alpha bundle validate rejects it").WithCause("defaultChannel", "")
	case ok && !slices.Contains(listed, value.Value) && isUnknownChannel(c, value.Value) && !rejectedAt(c, value.Pos):
		c.ReportAt(value.Pos, "name one of its channels", "has the default channel %q, which no bundle names", value.Value).WithCause("defaultChannel", value.Value)
	}
}

// isUnknownChannel reports whether the package has channels, but none of that name.
func isUnknownChannel(c *contents.Contents, channel string) bool {
	return len(c.Pass.Package.Channels) > 0 && c.Pass.Package.Channel(channel) == nil
}

// rejectedAt reports whether manifest/rejected tells of a value.
func rejectedAt(c *contents.Contents, at catalogs.Pos) bool {
	return slices.ContainsFunc(c.Pass.Catalog.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.RegistryRejected && p.Pos.File == at.File && p.Pos.Line == at.Line
	})
}
