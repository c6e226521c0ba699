package render

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
)

// Release is the plan of a release.
type Release struct {
	Catalog *catalogs.Catalog
	Package *catalogs.Package
	*release.Plan
	Image string // of the release, "" if it is not given
	// Streams are those of a template of schema olm.semver that list the image. Then the edits are what opm makes of it.
	Streams []string
	// Failing are upgrades of OLM v0 to the release that fail on the cluster, if its bundle is known.
	Failing []judge.Failing

	Files      []FileChange // that the plan changes; none if they cannot be changed
	NotWritten string       // why not, "" if that is for the form of the catalog
	Write      bool         // the files are written
}

// FileChange is a unified diff of a file.
type FileChange struct {
	File string `json:"file"`
	Diff string `json:"diff"`
}

// sayPlan says what is to be written into the catalog, and what there is to know of it.
func (r Release) sayPlan(a *answer.Answer) {
	if r.Refusal != nil {
		r.sayRefusal(a)
		return
	}
	if r.Streams != nil {
		a.Say(r.listingText(), ", and this is made of it by opm ", r.Catalog.Template.Version(), ":")
		a.Section()
	}
	r.sayEdits(a)
	a.Section()
	a.Table(r.users())
	r.sayNotes(a)
}

func (r Release) sayRefusal(a *answer.Answer) {
	where := "No entry can be written:"
	if r.Refusal.Channel != "" {
		where = fmt.Sprintf("No entry can be written for channel %q:", r.Refusal.Channel)
	}
	a.Say(text.Styled(where, text.Error), " ", r.Refusal.Constraint, ".")
	a.Say("Required change: ", r.Refusal.Change, ".")
}

// sayEdits says what is to be done in each channel, with the entries or, where they are known, the differences of files.
func (r Release) sayEdits(a *answer.Answer) {
	files := r.showsFiles()
	for i := range r.Edits {
		e := &r.Edits[i]
		if i == 0 || r.Edits[i-1].Channel != e.Channel {
			if i > 0 && (!files || r.Streams != nil) {
				a.Section()
			}
			a.Say(text.Styled(fmt.Sprintf("channel %q:", e.Channel), text.Heading), " ", r.summary(e))
		}
		if (!files || r.Streams != nil) && !e.Removed {
			a.Code("yaml", entryYAML(e))
		}
	}
	if !files {
		return
	}
	a.Section()
	var diff strings.Builder
	for _, f := range r.Files {
		for line := range shortenDiff(f.Diff) {
			diff.WriteString(strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	a.Code("diff", diff.String())
}

// users returns what happens to installed bundles, a row for each class.
func (r Release) users() *answer.Table {
	table := &answer.Table{Columns: []string{"channel", "installed", "OLM v0", "OLM v1"}, Groups: 1, Fit: true}
	for i := range r.Classes {
		c := &r.Classes[i]
		installed := text.Plain(r.installedIn(c))
		if slices.Contains(c.From, r.Name) {
			installed.Role = text.Heading
		}
		table.Add(text.Styled(c.Channel, text.Name), installed, r.describeFate(c, c.V0), r.describeFate(c, c.V1))
	}
	if r.sameForBoth() {
		table.Drop(3)
		table.Columns[2] = "OLM v0 and v1"
	}
	return table
}

// sayNotes says what else there is to know.
func (r Release) sayNotes(a *answer.Answer) {
	for _, note := range r.remarks() {
		a.Section()
		a.Say(note)
	}
	for _, note := range r.warnings() {
		a.Section()
		a.Say(text.Styled("Note:", text.Warning), " ", note)
	}
}

func sayNext(a *answer.Answer, todo []step) {
	if len(todo) > 0 {
		a.Section("Next:")
	}
	for _, one := range todo {
		command := text.Styled(one.command, text.Command)
		if strings.HasPrefix(one.command, "opm ") {
			a.Item(one.say)
			a.Detail(command) // in one line, to be copied
			continue
		}
		a.Item(one.say, " ", command)
	}
}

// listingText says where the image of a template of schema olm.semver is listed.
func (r Release) listingText() string {
	return fmt.Sprintf("List the image of %s in %s", r.Name, words.And(r.Streams))
}

// longLine is from how many bytes on the lines of a file are not shown.
const longLine = 2000

// showsFiles reports whether the differences of files are shown: they are known, and not those of a file in one long line.
func (r Release) showsFiles() bool {
	for _, f := range r.Files {
		for line := range strings.Lines(f.Diff) {
			if len(line) > longLine {
				return false
			}
		}
	}
	return len(r.Files) > 0
}

// manyRemoved is from how many removed lines on, one after the other, most are not shown: a bundle has thousands.
const manyRemoved = 40

// shortenDiff yields the lines of a unified diff. Of many removed ones it yields the first few and then how many more there are.
func shortenDiff(diff string) iter.Seq[string] {
	const shown = 6
	lines := strings.SplitAfter(diff, "\n")
	removed := func(i int) bool { return i < len(lines) && strings.HasPrefix(lines[i], "-") }
	return func(yield func(string) bool) {
		for i := 0; i < len(lines); {
			end := i
			for removed(end) {
				end++
			}
			stop := max(end, i+1)
			if end-i >= manyRemoved {
				stop = i + shown
			}
			for ; i < stop; i++ {
				if lines[i] != "" && !yield(lines[i]) {
					return
				}
			}
			if i < end && !yield(fmt.Sprintf("-… %d more lines\n", end-i)) {
				return
			}
			i = max(i, end)
		}
	}
}

// summary says what is to be done in the channel of an edit, and what its head is then.
func (r Release) summary(first *release.Edit) string {
	var changed, removed []string
	added := ""
	for i := range r.Edits {
		switch e := &r.Edits[i]; {
		case e.Channel != first.Channel:
		case e.Added:
			added = e.Entry
		case e.Removed:
			removed = append(removed, e.Entry)
		default:
			changed = append(changed, e.Entry)
		}
	}
	g := r.After.Graph(first.Channel)
	head, ok := g.Head()
	is := ok && g.Name(head) == added
	var todo []string
	switch {
	case first.NewChannel:
		todo = append(todo, "add the channel, which is new, with "+added)
	case added != "" && is:
		todo = append(todo, fmt.Sprintf("add %s, the new head", added))
	case added != "":
		todo = append(todo, "add "+added)
	}
	if len(changed) > 0 {
		todo = append(todo, "change "+words.And(changed))
		if !slices.Contains(r.Channels, first.Channel) {
			todo[len(todo)-1] += ", so that users who switch to this channel are upgraded"
		}
	}
	if n := len(removed); n > 0 {
		todo = append(todo, fmt.Sprintf("remove %s: %s", words.CountPlural(n, "entry", "entries"), someNames(removed, 6)))
	}
	if ok && !is {
		todo = append(todo, "the head is still "+g.Name(head))
	}
	return strings.Join(todo, "; ")
}

// plainYAML is what YAML reads as a string without quotes, but for some words.
var plainYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)

// yamlName returns a name as it is written in YAML.
func yamlName(s string) string {
	words := []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
	if plainYAML.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return yamlString(s)
}

// entryYAML returns an entry in YAML, with a comment on what changes.
func entryYAML(e *release.Edit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- name: %s", yamlName(e.Entry))
	if e.After.Replaces != "" {
		fmt.Fprintf(&b, "\n  replaces: %s", yamlName(e.After.Replaces))
		if !e.Added && e.After.Replaces != e.Before.Replaces {
			b.WriteString(" # was " + text.Safe(text.Dash(e.Before.Replaces)))
		}
	}
	if !e.Added && e.Before.Replaces != "" && e.After.Replaces == "" {
		b.WriteString(" # no longer replaces " + text.Safe(e.Before.Replaces))
	}
	if !e.Added && len(e.Before.Skips) > 0 && len(e.After.Skips) == 0 {
		b.WriteString(" # no longer skips anything")
	}
	if len(e.After.Skips) > 0 {
		b.WriteString("\n  skips:")
	}
	for _, skip := range e.After.Skips {
		fmt.Fprintf(&b, "\n  - %s", yamlName(skip))
		if !e.Added && !slices.Contains(e.Before.Skips, skip) {
			b.WriteString(" # added")
		}
	}
	if e.After.SkipRange != "" {
		fmt.Fprintf(&b, "\n  skipRange: %s", yamlString(e.After.SkipRange))
	}
	return b.String()
}

// sameForBoth reports whether OLM v0 and v1 upgrade all users alike.
func (r Release) sameForBoth() bool {
	return !slices.ContainsFunc(r.Classes, func(c release.Class) bool { return r.describeFate(&c, c.V0) != r.describeFate(&c, c.V1) })
}

// manyVersions is from how many versions of a class on only some are named.
const manyVersions = 12

// installedIn names the versions of a class.
func (r Release) installedIn(c *release.Class) string {
	if slices.Contains(c.From, r.Name) {
		return r.shortName(r.Name)
	}
	from := words.Map(c.From, r.shortName)
	if n := len(from); n > manyVersions {
		return fmt.Sprintf("%s, %s to %s", words.Count(n, "version"), from[0], from[n-1])
	}
	return words.And(from)
}

// remarks says what changes besides, and why no difference of files is shown.
func (r Release) remarks() []string {
	all := append(r.customs(), r.hiddenEntries()...)
	if n := len(r.Unused); n > 0 {
		all = append(all, fmt.Sprintf("No channel has %s: opm accepts no bundle without a channel, so %s removed as well.", someNames(r.Unused, 6), words.Plural(n, "it is", "they are")))
	}
	if len(r.Files) > 0 && !r.showsFiles() {
		all = append(all, "The diff of the files is not shown, because their lines are very long. The entries above are in YAML.")
	}
	return all
}

// customs says how the answer follows what the entries of its channels are like, and what more skips would free.
func (r Release) customs() []string {
	var as, all []string
	for _, c := range r.Customs {
		if c.Against == "" {
			as = append(as, fmt.Sprintf("%q", c.Channel))
		} else {
			all = append(all, fmt.Sprintf("It is unlike the other entries of channel %q: %s.", c.Channel, c.Against))
		}
	}
	if len(as) > 0 {
		all = append(all, fmt.Sprintf("It follows the form of the other entries of %s %s.", words.Plural(len(as), "channel", "channels"), words.And(as)))
	}
	if names := freedNames(r.Freed); len(names) > 0 {
		was := words.Plural(len(names), "which was published and is stuck today", "which were published and are stuck today")
		all = append(all, fmt.Sprintf("It skips %s, %s.", someNames(names, 6), was))
	}
	if names := freedNames(r.Frees); len(names) > 0 {
		all = append(all, fmt.Sprintf("If it also skips %s, %s upgraded to it; today %s stuck.", someNames(names, 6), words.Plural(len(names), "that is", "these are"), words.Plural(len(names), "it is", "they are")))
	}
	return all
}

func freedNames(all []release.Freed) []string {
	return find.Distinct(words.Map(all, func(f release.Freed) string { return f.Name }))
}

// warnings says what restricts the answer.
func (r Release) warnings() []string {
	var all []string
	for _, d := range r.Failing {
		all = append(all, fmt.Sprintf("in channel %q the upgrade from %s to %s fails on the cluster: %s.", d.Channel, someNames(d.From, 6), d.To, d.Reason))
	}
	if refused := r.NotInstalled; refused != nil {
		why := fmt.Sprintf("OLM v1 does not install %s, which has the property %s.", refused.Bundle, refused.Property)
		if refused.Bundle != r.Name {
			why += fmt.Sprintf(" It is assumed that %s has it too.", r.Name)
		}
		all = append(all, why)
	}
	if r.NotWritten != "" {
		all = append(all, "olmgraph cannot write it: "+r.NotWritten+".")
	}
	return all
}

// step is something left to do: a sentence, and what to type, or "".
type step struct{ say, command string }

// nextSteps says what is left to do.
func (r Release) nextSteps() []step {
	var all []step
	b := r.Package.Bundle(r.Name)
	t := r.Catalog.Template
	switch {
	case r.Streams != nil && r.Image == "":
		all = append(all, step{"Give the image to see the change of the template:", "--image IMAGE"})
	case r.Streams != nil, b != nil && !b.Guessed:
	case t != nil && t.Schema == template.Basic && r.Image == "":
		all = append(all, step{fmt.Sprintf("List the image of %s in the template: opm rejects an entry without its bundle. To write both:", r.Name), "--image IMAGE"})
	case t != nil && t.Schema == template.Basic:
	case len(r.Files) > 0:
		all = append(all, step{"Add the bundle, which the catalog does not have: opm rejects an entry without its bundle.", r.renderCommand()})
	case r.Catalog.Form == catalogs.BundleFolder || r.Catalog.Form == catalogs.Repository:
		all = append(all, step{fmt.Sprintf("Write replaces and skips into spec of the ClusterServiceVersion of %s, from which the pipelines make the entry. With updateGraph: semver-mode they need neither.", r.Name), ""})
	default:
		all = append(all, step{fmt.Sprintf("Add the bundle %s, which the catalog does not have: opm rejects an entry without its bundle.", r.Name), ""})
	}
	if len(r.Files) > 0 && !r.Write {
		all = append(all, step{"To write it, run the same command with", "--write"})
	}
	if t != nil && len(r.Files) > 0 {
		all = append(all, step{"Generate the catalogs of the template with the Makefile of the operator or, in a catalog repository that has the folders of all its bundles, with", "olmgraph lint --fix"})
	}
	return all
}

// renderCommand returns the command that adds the bundle to the file of the newest one, with the same properties.
func (r Release) renderCommand() string {
	command := []string{"opm", "render", words.ShellWord(cmp.Or(r.Image, "IMAGE"))}
	to := r.Files[0].File
	if n := len(r.Package.Bundles); n > 0 {
		last := r.Package.Bundles[n-1]
		to = cmp.Or(last.Pos.File, to)
		if last.PropertyIndex(catalogs.TypeCSVMetadata) >= 0 && last.PropertyIndex(catalogs.TypeBundleObject) < 0 {
			command = append(command, "--migrate-level", "bundle-object-to-csv-metadata")
		}
	}
	return strings.Join(append(command, "-o", fileFormat(to), ">>", words.ShellWord(to)), " ")
}

// fileFormat returns the format of a file of a catalog.
func fileFormat(file string) string {
	if strings.HasSuffix(file, ".json") {
		return "json"
	}
	return "yaml"
}

// shortName returns the version of a bundle, or its name if that is not known.
func (r Release) shortName(name string) string {
	if in := graph.ParseBundleName(name); r.After.Version(name) == "" && in.Version != "" {
		return in.Version
	}
	return cmp.Or(r.After.Version(name), name)
}

// describeFate says what happens to a class.
func (r Release) describeFate(c *release.Class, f release.Fate) string {
	then := ""
	if f.After != r.Name {
		then = ", then to " + r.shortName(f.After) + r.inSteps(c, f, []string{r.Name})
	}
	switch {
	case f.Meets == release.Directly:
		return "upgrades to " + r.shortName(r.Name) + then
	case f.Meets == release.Later:
		return "upgrades to " + r.shortName(r.Name) + " in several steps" + then
	case f.After == "" && slices.Contains(c.From, r.Name):
		return "no further upgrade"
	case f.After == "":
		return "no upgrade" + r.asBefore(f)
	}
	return "upgrades to " + r.shortName(f.After) + r.inSteps(c, f, c.From) + r.asBefore(f)
}

// inSteps says that OLM v0 gets from entries to the end of the fate of a class over others.
func (r Release) inSteps(c *release.Class, f release.Fate, from []string) string {
	g := r.After.Graph(c.Channel)
	if g == nil || f != c.V0 {
		return ""
	}
	indirect := slices.DeleteFunc(slices.Clone(from), func(name string) bool {
		i, has := g.Index(name)
		if !has {
			return true
		}
		next, ok := g.Next(i)
		return !ok || g.Name(next.To) == f.After
	})
	switch len(indirect) {
	case 0:
		return ""
	case len(from):
		return " in several steps"
	}
	return ", some in several steps"
}

func (r Release) asBefore(f release.Fate) string {
	switch f.Before {
	case f.After:
		return ", as before"
	case "":
		return ""
	}
	return "; before, to " + r.shortName(f.Before)
}

// hiddenEntries says for each channel which entries OLM v0 no longer offers.
func (r Release) hiddenEntries() []string {
	var all []string
	was := graph.NewPackageGraph(r.Package)
	for i := range r.Edits {
		e := &r.Edits[i]
		g, before := r.After.Graph(e.Channel), was.Graph(e.Channel)
		names := slices.DeleteFunc(slices.Clone(e.After.Skips), func(name string) bool {
			_, has := g.Index(name)
			return !has || slices.Contains(e.Before.Skips, name) || before != nil && before.IsSkipped(name)
		})
		if len(names) > 0 {
			all = append(all, fmt.Sprintf("In channel %q OLM v0 no longer offers %s to new installations.", e.Channel, someNames(names, 6)))
		}
	}
	return all
}
