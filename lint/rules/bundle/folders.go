package bundle

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

const bundleAnnotation = "operators.operatorframework.io.bundle."

// checkAnnotations checks metadata/annotations.yaml (operator-registry: pkg/lib/bundle validateAnnotations). A missing package or
// channel is manifest/annotations.
func checkAnnotations(c *contents.Contents) {
	folder := c.Folder
	if folder == nil || !folder.AnnotationsPos.IsKnown() {
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
	case ok && !slices.Contains(listed, value.Value) && isUnknownChannel(c, value.Value) && !isRejectedValue(c, value.Pos):
		if c.Pass.Catalog.Form == catalogs.BundleFolder { // other bundles of the package are not read
			c.ReportAt(value.Pos, "name one of its channels, unless another bundle is in that one", "has the default channel %q, but is not in that channel", value.Value).WithCause("defaultChannel", value.Value).Severity = lint.Info
			return
		}
		c.ReportAt(value.Pos, "name one of its channels", "has the default channel %q, which no bundle names", value.Value).WithCause("defaultChannel", value.Value)
	}
}

// isUnknownChannel reports whether the package has channels, but none of that name.
func isUnknownChannel(c *contents.Contents, channel string) bool {
	return len(c.Pass.Package.Channels) > 0 && c.Pass.Package.Channel(channel) == nil
}

// isRejectedValue reports whether manifest/rejected tells of a value.
func isRejectedValue(c *contents.Contents, at catalogs.Pos) bool {
	return slices.ContainsFunc(c.Pass.Catalog.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.RegistryRejected && p.Pos.File == at.File && p.Pos.Line == at.Line
	})
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
		f := c.ReportAt(catalogs.KnownPos(listed.Pos, byDefault.Pos), "name new channels candidate, fast or stable; keep published ones",
			"is in %s %s, which %s not begin with candidate, fast or stable: the community pipeline warns of it",
			words.Plural(len(others), "channel", "channels"), words.QuoteSome(others), words.Plural(len(others), "does", "do"))
		f.Cause, f.Faults = lint.OncePerPackage(), others
	}
}

func checkFolderName(c *contents.Contents) {
	folder := c.Folder
	if folder == nil || c.Pass.Catalog.Form != catalogs.Repository {
		return
	}
	version := c.CSV.Spec.Version
	if _, err := semver.Parse(version); err != nil || folder.Name == version { // version/semver says so
		return
	}
	named, _ := graph.VersionIn(c.Name.Value)
	if named.String() == folder.Name {
		c.Report("spec.version", fmt.Sprintf("write version: %s", folder.Name),
			"has the version %s, but its name and its folder have %s: the repository's pipeline rejects it since January 2026", version, folder.Name).WithCause(version, folder.Name)
	} else {
		c.ReportAt(folder.Pos, "rename the folder to "+version,
			"has the version %s, but is in the folder %q: the repository's pipeline rejects it since January 2026", version, folder.Name).WithCause(version, folder.Name)
	}
}

// namePrefix returns the part of a bundle name before the first dot.
func namePrefix(name string) string {
	prefix, _, _ := strings.Cut(name, ".")
	return prefix
}

// checkPrefix reports a bundle if all others have another prefix in common, or differ from each other: each one that is submitted, or the
// newest if there is no base.
func checkPrefix(p *lint.Pass) {
	bundles := contents.NewestFirst(p)
	judged := bundles[:min(1, len(bundles))]
	if p.BasePackage != nil {
		judged = contents.SubmittedBundles(p)
	}
	others := find.Distinct(slices.Concat(judged, bundles))[len(judged):]
	for _, b := range judged {
		if len(others) > 0 {
			checkForeignPrefix(p, append([]*catalogs.Bundle{b}, others...))
		}
	}
}

// checkForeignPrefix reports the first bundle if all others have another prefix in common, or differ from each other.
func checkForeignPrefix(p *lint.Pass, bundles []*catalogs.Bundle) {
	now, before := bundles[0].Name.Value, bundles[1].Name.Value
	want := namePrefix(before)
	other := func(b *catalogs.Bundle) bool { return namePrefix(b.Name.Value) != want }
	f := lint.Finding{Subject: lint.Subject{Bundle: now}, Pos: bundles[0].Pos}
	if i := slices.IndexFunc(bundles[1:], other); i >= 0 {
		reportMixed(p, f, bundles[1], bundles[1+i])
		return
	}
	if namePrefix(now) == want {
		return
	}
	f.Message = fmt.Sprintf("%q begins with %q, but the older bundles, as %q, with %q: the pipelines reject a new bundle of another name", now, namePrefix(now), before, want)
	f.Fix, f.Misplaced = fmt.Sprintf("name it %s.v… as the others", want), true
	f.Related = []lint.Related{{Pos: bundles[1].Pos, Message: fmt.Sprintf("%q", before)}}
	p.Report(f)
}

// reportMixed reports a package in which two of the older bundles have different prefixes. It does so only in a
// repository: the bundles of other catalogs are published. A package without channels has file-based catalogs.
func reportMixed(p *lint.Pass, f lint.Finding, newer, older *catalogs.Bundle) {
	if p.Catalog.Form != catalogs.Repository {
		return
	}
	f.WarningGates = lint.GateCertified | lint.GateMarketplace
	if len(p.Package.Channels) == 0 {
		f.WarningGates = lint.GatePipelines
	}
	f.Cause = []string{"mixed", namePrefix(newer.Name.Value), namePrefix(older.Name.Value)}
	f.Message = fmt.Sprintf("the bundles of the package have different prefixes, as %q and %q: the community pipeline rejects every new bundle, unless file-based catalogs are enabled in ci.yaml",
		newer.Name.Value, older.Name.Value)
	f.Fix = "use file-based catalogs, or ask for an exemption of check_operator_name_unique in config.yaml"
	p.Report(f)
}

func checkPackageName(c *contents.Contents) {
	annotation, _ := c.Folder.Annotation(bundleAnnotation + "package.v1")
	name := annotation.Value
	inRepository := c.Pass.Catalog.Form == catalogs.Repository
	if beside := c.Folder.Beside; len(beside) == 1 && beside[0] != name {
		checkOtherPackage(c, annotation, beside[0])
		return
	}
	severity, says := lint.Warning, "the pipelines warn of it"
	if inRepository && c.Folder.Alone {
		severity, says = lint.Error, "the pipelines reject the first bundle of an operator with another name"
	}
	report := func(at catalogs.Pos, fix, format string, args ...any) *lint.Finding {
		f := c.ReportAt(at, fix, format+": "+says, args...)
		f.Severity = severity
		return f
	}
	folder := operatorFolder(c.Folder)
	if prefix := namePrefix(c.Name.Value); prefix != name && isPrefixOfAnother(c) {
		at, fix := annotation.Pos, "name both the same, unless they are published"
		if inRepository && folder == name {
			at, fix = c.Name.Pos, fmt.Sprintf("name it %s.v…, unless it is published", name)
		}
		report(at, fix, "is of the package %q, but its name begins with %q", name, prefix).WithCause("prefix", prefix)
	}
	if inRepository && folder != "" && folder != name {
		report(annotation.Pos, "name the folder and the package the same, unless they are published", "is of the package %q, but is in the folder %q", name, folder).WithCause("folder", folder)
	}
}

// isPrefixOfAnother reports whether a bundle is the only one of its package, or another one has its prefix: else bundle/name-prefix tells of it.
func isPrefixOfAnother(c *contents.Contents) bool {
	all := c.Pass.Package.Bundles
	return len(all) == 1 || slices.ContainsFunc(all, func(b *catalogs.Bundle) bool {
		return b != c.Bundle && namePrefix(b.Name.Value) == namePrefix(c.Name.Value)
	})
}

// checkOtherPackage reports a bundle that is of another package than all others in the folder of the operator, unless opm registry add rejects
// it for that.
func checkOtherPackage(c *contents.Contents, annotation catalogs.Text, other string) {
	if slices.ContainsFunc(c.Pass.Catalog.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.RegistryRejected && p.Bundle == c.Name.Value && p.Pos.File == annotation.Pos.File
	}) {
		return
	}
	severity, says := lint.Warning, "the pipelines reject a new one"
	if c.Pass.IsSubmitted(c.Bundle) {
		severity, says = lint.Error, "the pipelines reject it"
	}
	f := c.ReportAt(annotation.Pos, "write "+other+", or put it into the folder of another operator",
		"is of the package %q, but the other bundles of its operator are of %q: %s", annotation.Value, other, says)
	f.Severity, f.Misplaced = severity, severity == lint.Error
	f.WithCause("beside", other)
}

// operatorFolder returns the name of the folder that contains the folder of a bundle, "" if it is not known.
func operatorFolder(f *catalogs.Folder) string {
	parent := path.Base(path.Dir(strings.ReplaceAll(filepath.ToSlash(f.Pos.File), ":", "/")))
	return strings.Trim(parent, "./")
}
