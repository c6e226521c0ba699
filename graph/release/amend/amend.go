// Package amend writes the plan of a release into the files of a catalog or a template. It changes nothing but the entries that the plan is
// about, and writes new ones like their neighbours.
package amend

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/graph/release"
)

// File is a file that a plan changes.
type File struct {
	Name     string // as in positions
	Old, New []byte
}

// Change is a plan and what it is written into.
type Change struct {
	Catalog *catalogs.Catalog
	Package *catalogs.Package
	Plan    *release.Plan
	Image   string   // of the release, which a template gets; "" if it is not known
	Streams []string // of a template of schema olm.semver that list the image: the edits are what opm makes of it
}

// job is an edit of the document at a position of a file.
type job struct {
	pos  catalogs.Pos
	what string
	do   func(text []byte, at catalogs.Pos) ([]byte, error)
}

// Files returns the files that a change changes, by name. An error says what cannot be written, where and why.
func (c *Change) Files() ([]File, error) {
	jobs := c.jobs()
	for _, j := range jobs {
		if !j.pos.IsKnown() {
			return nil, fmt.Errorf("%s: %w", j.what, edit.ErrChanged)
		}
	}
	if c.Catalog.Template == nil { // from the last one to the first, so that none moves the position of another one
		slices.SortStableFunc(jobs, func(a, b job) int {
			return cmp.Or(cmp.Compare(a.pos.File, b.pos.File), cmp.Compare(b.pos.Line, a.pos.Line), cmp.Compare(b.pos.Col, a.pos.Col))
		})
	}
	var files []File
	for _, j := range jobs {
		if len(files) == 0 || files[len(files)-1].Name != j.pos.File {
			if c.Catalog.Source.IsRestricted(j.pos.File) {
				return nil, fmt.Errorf("%s: it is outside the catalog", j.pos.File)
			}
			text, err := c.Catalog.ReadFile(j.pos.File)
			if err != nil {
				return nil, err
			}
			files = append(files, File{j.pos.File, text, text})
		}
		f := &files[len(files)-1]
		at := j.pos
		if c.Catalog.Template != nil { // all of it is in one document
			at = catalogs.Pos{File: at.File}
		}
		text, err := j.do(f.New, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %s cannot be written: %w", j.pos, j.what, err)
		}
		f.New = text
	}
	return files, nil
}

// jobs returns the edits of files.
func (c *Change) jobs() []job {
	if c.Catalog.Template != nil && c.Catalog.Template.IsGenerated() {
		return []job{{c.Catalog.Template.Pos, "the image", c.addToStreams}}
	}
	var jobs []job
	byChannel := map[string][]release.Edit{}
	var channels []string
	for i := range c.Plan.Edits {
		e := &c.Plan.Edits[i]
		if byChannel[e.Channel] == nil {
			channels = append(channels, e.Channel)
		}
		byChannel[e.Channel] = append(byChannel[e.Channel], *e)
	}
	for _, name := range channels {
		ch, what := c.Package.Channel(name), fmt.Sprintf("channel %q", name)
		if ch == nil {
			jobs = append(jobs, c.newChannel(name, byChannel[name], what))
			continue
		}
		jobs = append(jobs, job{ch.Pos, what, func(text []byte, at catalogs.Pos) ([]byte, error) { return c.channel(text, at, ch, byChannel[name]) }})
	}
	jobs = append(jobs, c.unusedJobs()...)
	if c.listsImage() {
		jobs = append(jobs, job{c.Catalog.Template.Pos, "the image", c.addImage})
	}
	return jobs
}

// channel writes the edits of one channel: what is added first, so that no list is empty in between.
func (c *Change) channel(text []byte, at catalogs.Pos, ch *catalogs.Channel, edits []release.Edit) ([]byte, error) {
	for _, change := range []func(*tree.Node, []release.Edit) error{c.add, remove} {
		var err error
		text, err = edit.Document(text, at, func(root *tree.Node) error {
			list, err := channelEntries(root, ch)
			if err != nil {
				return err
			}
			return change(list, edits)
		})
		if err != nil {
			return text, err
		}
	}
	return text, nil
}

// add adds entries, and what entries get.
func (c *Change) add(list *tree.Node, edits []release.Edit) error {
	for i := range edits {
		e := &edits[i]
		switch at := slices.Index(entryNames(list), e.Entry); {
		case e.Removed:
		case e.Added:
			list.Items = slices.Insert(list.Items, c.index(entryNames(list), e.Entry), entryNode(e.Entry, &e.After))
		case at < 0:
			return edit.ErrChanged
		default:
			setEdges(&list.Items[at], &e.Before, &e.After)
		}
	}
	return nil
}

// setEdges changes the fields of an entry, but for the skips that it loses while others stay.
func setEdges(entry *tree.Node, before, after *release.Edges) {
	if before.Replaces != after.Replaces {
		set(entry, "replaces", after.Replaces)
	}
	if before.SkipRange != after.SkipRange {
		set(entry, "skipRange", after.SkipRange)
	}
	more := slices.DeleteFunc(slices.Clone(after.Skips), func(name string) bool { return slices.Contains(before.Skips, name) })
	switch skips := listField(entry, "skips"); {
	case len(after.Skips) == 0 && len(before.Skips) == 0:
	case len(after.Skips) == 0:
		set(entry, "skips", "")
	case skips != nil:
		skips.Items = append(skips.Items, listNode(more).Items...)
	case len(more) > 0:
		entry.Fields = append(entry.Fields, field("skips", listNode(more)))
	}
}

// remove removes entries, and skips that entries lose.
func remove(list *tree.Node, edits []release.Edit) error {
	for i := range edits {
		e := &edits[i]
		if e.Removed {
			list.Items = slices.DeleteFunc(list.Items, func(n tree.Node) bool { return str(&n, "name") == e.Entry })
		}
		if at := slices.Index(entryNames(list), e.Entry); at >= 0 && !e.Added && len(e.After.Skips) > 0 {
			if skips := listField(&list.Items[at], "skips"); skips != nil {
				skips.Items = slices.DeleteFunc(skips.Items, func(n tree.Node) bool {
					return slices.Contains(e.Before.Skips, n.Text) && !slices.Contains(e.After.Skips, n.Text)
				})
			}
		}
	}
	return nil
}

// newChannel adds a channel after the last one of the package, and like it.
func (c *Change) newChannel(name string, edits []release.Edit, what string) job {
	var last *catalogs.Channel
	for _, ch := range c.Package.Channels {
		if last == nil || last.Pos.File != ch.Pos.File || ch.Pos.Line > last.Pos.Line {
			last = ch
		}
	}
	if last == nil {
		return job{what: what}
	}
	entries := tree.Node{Kind: tree.List}
	for i := range edits {
		entries.Items = append(entries.Items, entryNode(edits[i].Entry, &edits[i].After))
	}
	value := object(field("schema", catalogs.TextNode(catalogs.SchemaChannel)), field("package", catalogs.TextNode(c.Package.Name.Value)), field("name", catalogs.TextNode(name)), field("entries", entries))
	if c.Catalog.Template == nil {
		return job{last.Pos, what, func(text []byte, at catalogs.Pos) ([]byte, error) { return edit.AddDocument(text, at, value) }}
	}
	return job{last.Pos, what, func(text []byte, pos catalogs.Pos) ([]byte, error) {
		return edit.Document(text, pos, func(root *tree.Node) error {
			list := listField(root, "entries")
			if list == nil {
				return edit.ErrForm
			}
			at := 0
			for j := range list.Items {
				if isChannel(&list.Items[j], last) {
					at = j + 1
				}
			}
			list.Items = slices.Insert(list.Items, at, value)
			return nil
		})
	}}
}

// listsImage reports whether the image of the release is to be added to a basic template: the bundle is not there yet.
func (c *Change) listsImage() bool {
	t := c.Catalog.Template
	b := c.Package.Bundle(c.Plan.Name)
	return t != nil && t.Schema == template.Basic && c.Image != "" && (b == nil || b.Guessed)
}

// addImage lists the image in a basic template.
func (c *Change) addImage(text []byte, pos catalogs.Pos) ([]byte, error) {
	byImage := map[string]string{}
	for _, b := range c.Package.Bundles {
		byImage[b.Image.Value] = b.Name.Value
	}
	return edit.Document(text, pos, func(root *tree.Node) error {
		list := listField(root, "entries")
		if list == nil {
			return edit.ErrForm
		}
		value := object(field("schema", catalogs.TextNode(catalogs.SchemaBundle)), field("image", catalogs.TextNode(c.Image)))
		index := len(list.Items)
		var names []string
		var at []int
		for j := range list.Items {
			n := &list.Items[j]
			if str(n, "schema") != catalogs.SchemaBundle {
				continue
			}
			if str(n, "image") == c.Image {
				return nil
			}
			names, at, index = append(names, byImage[str(n, "image")]), append(at, j), j+1
		}
		if len(at) > 0 && writtenKey(&list.Items[index-1], "name") != "" {
			value.Fields = append(value.Fields, field("name", catalogs.TextNode(c.Plan.Name)))
		}
		if k := c.index(names, c.Plan.Name); k < len(at) {
			index = at[k]
		}
		list.Items = slices.Insert(list.Items, index, value)
		return nil
	})
}

// unusedJobs removes the bundles that no channel has any more, and what deprecates them.
func (c *Change) unusedJobs() []job {
	var jobs []job
	files := map[string]bool{}
	for _, name := range c.Plan.Unused {
		b := c.Package.Bundle(name)
		if b == nil || b.Guessed || files[b.Pos.File] {
			continue
		}
		files[b.Pos.File] = true
		at := catalogs.Pos{File: b.Pos.File, Line: 1, Col: 1} // after all others of the file: it looks for names
		if c.Catalog.Template != nil {
			at = c.Catalog.Template.Pos
		}
		jobs = append(jobs, job{at, "the removal of bundles", c.removeUnused})
	}
	for _, d := range c.Package.Deprecations {
		if j, ok := c.undeprecate(d, c.Plan.Unused); ok {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// removeUnused removes the bundles of a file that no channel has any more.
func (c *Change) removeUnused(text []byte, pos catalogs.Pos) ([]byte, error) {
	gone, images := map[string]bool{}, map[string]bool{}
	for _, name := range c.Plan.Unused {
		gone[name] = true
		if b := c.Package.Bundle(name); b != nil {
			images[b.Image.Value] = true
		}
	}
	if c.Catalog.Template == nil {
		return edit.RemoveDocuments(text, func(n *tree.Node) bool {
			return str(n, "schema") == catalogs.SchemaBundle && str(n, "package") == c.Package.Name.Value && gone[str(n, "name")]
		}), nil
	}
	return edit.Document(text, pos, func(root *tree.Node) error {
		if list := listField(root, "entries"); list != nil {
			list.Items = slices.DeleteFunc(list.Items, func(n tree.Node) bool {
				return str(&n, "schema") == catalogs.SchemaBundle && images[str(&n, "image")]
			})
		}
		return nil
	})
}

// undeprecate removes what deprecates some bundles.
func (c *Change) undeprecate(d *catalogs.Deprecations, gone []string) (job, bool) {
	left, about := 0, func(schema, name string) bool { return schema == catalogs.SchemaBundle && slices.Contains(gone, name) }
	for _, e := range d.Entries {
		if !about(e.Schema.Value, e.Name.Value) {
			left++
		}
	}
	isOf := func(n *tree.Node) bool {
		return str(n, "schema") == catalogs.SchemaDeprecations && str(n, "package") == c.Package.Name.Value
	}
	what := "the removal of deprecations"
	switch {
	case left == len(d.Entries):
		return job{}, false
	case left == 0 && c.Catalog.Template == nil:
		return job{d.Pos, what, func(text []byte, _ catalogs.Pos) ([]byte, error) { return edit.RemoveDocuments(text, isOf), nil }}, true
	}
	return job{d.Pos, what, func(text []byte, at catalogs.Pos) ([]byte, error) {
		return edit.Document(text, at, func(root *tree.Node) error {
			n := find(root, isOf)
			if n == nil {
				return edit.ErrChanged
			}
			list, isGone := listField(n, "entries"), func(n tree.Node) bool {
				of := value(&n, "reference")
				return of != nil && about(str(of, "schema"), str(of, "name"))
			}
			if left == 0 {
				list, isGone = listField(root, "entries"), func(n tree.Node) bool { return isOf(&n) }
			}
			list.Items = slices.DeleteFunc(list.Items, isGone)
			return nil
		})
	}}, true
}
