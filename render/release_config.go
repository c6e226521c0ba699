package render

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/render/text"
)

// releaseConfig is an item of catalog_templates.
type releaseConfig struct {
	template string
	channels []string
	edges    release.Edges
}

// releaseConfigs writes the release-config.yaml of a release for templates. The pipelines add one entry, with the same edges, to all
// channels of an item: there are as many as there are different edges (operator-pipelines: add_bundle_to_fbc).
func releaseConfigs(w io.Writer, all Releases) error {
	t := text.NewWriter(w, text.Style{Width: 100})
	var items []releaseConfig
	for i := range all.All {
		if r := &all.All[i]; r.Refusal != nil {
			t.Line(comment(fmt.Sprintf("%s: no entry can be written: %s. Required change: %s.", r.templateName(), r.Refusal.Constraint, r.Refusal.Change)))
			continue
		}
		for _, todo := range all.All[i].byHand() {
			t.Line(comment(todo))
		}
		items = append(items, all.All[i].configItems()...)
	}
	if len(items) == 0 {
		return t.Flush()
	}
	t.Line("---")
	t.Line("catalog_templates:")
	for i := range items {
		items[i].write(t)
	}
	return t.Flush()
}

// comment returns a sentence as a comment of YAML.
func comment(s string) string { return "# " + text.Safe(s) }

func (r *Release) templateName() string { return path.Base(r.Catalog.Template.Pos.File) }

// byHand says what of a plan the pipelines do not do.
func (r *Release) byHand() []string {
	var all []string
	for i := range r.Edits {
		switch e := &r.Edits[i]; {
		case e.Added, r.Streams != nil:
		case e.Removed:
			all = append(all, fmt.Sprintf("By hand, in %s: remove %s from channel %s.", r.templateName(), e.Entry, e.Channel))
		default:
			all = append(all, fmt.Sprintf("By hand, in %s: change %s in channel %s: %s.", r.templateName(), e.Entry, e.Channel, strings.Join(changedFields(e), ", ")))
		}
	}
	return all
}

// changedFields says what an entry has instead.
func changedFields(e *release.Edit) []string {
	var all []string
	if e.Before.Replaces != e.After.Replaces {
		all = append(all, "replaces "+text.Dash(e.After.Replaces))
	}
	if !slices.Equal(e.Before.Skips, e.After.Skips) {
		all = append(all, "skips "+text.Dash(words.And(e.After.Skips)))
	}
	if e.Before.SkipRange != e.After.SkipRange {
		all = append(all, "skipRange "+text.Dash(e.After.SkipRange))
	}
	return all
}

// configItems returns the items of the template of a release.
func (r *Release) configItems() []releaseConfig {
	if r.Streams != nil {
		item := releaseConfig{template: r.templateName()}
		for _, stream := range r.Streams {
			item.channels = append(item.channels, strings.ToUpper(stream[:1])+stream[1:])
		}
		return []releaseConfig{item}
	}
	var items []releaseConfig
	for i := range r.Edits {
		e := &r.Edits[i]
		if !e.Added {
			continue
		}
		at := slices.IndexFunc(items, func(item releaseConfig) bool {
			return item.edges.Replaces == e.After.Replaces && item.edges.SkipRange == e.After.SkipRange && slices.Equal(item.edges.Skips, e.After.Skips)
		})
		if at < 0 {
			at = len(items)
			items = append(items, releaseConfig{template: r.templateName(), edges: e.After})
		}
		items[at].channels = append(items[at].channels, e.Channel)
	}
	return items
}

func (c *releaseConfig) write(t *text.Writer) {
	t.Line("  - template_name: " + yamlName(c.template))
	list := func(key string, all []string) {
		if len(all) == 0 {
			return
		}
		t.Line("    " + key + ":")
		for _, one := range all {
			t.Line("      - " + yamlName(one))
		}
	}
	list("channels", c.channels)
	if c.edges.Replaces != "" {
		t.Line("    replaces: " + yamlName(c.edges.Replaces))
	}
	list("skips", c.edges.Skips)
	if c.edges.SkipRange != "" {
		t.Line("    skipRange: " + yamlString(c.edges.SkipRange))
	}
}
