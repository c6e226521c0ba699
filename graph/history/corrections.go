package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
)

// Window is within how many days a later change corrects one.
const Window = 90

const day = 24 * 60 * 60

// Change is a change of a repository.
type Change struct {
	Date  int64  // in seconds
	Steps []Step // none if they are not known
}

// Correction is what a later change corrects of one.
type Correction struct {
	By    int // the index of the later change
	Steps []Corrected
}

// Corrected is a step and the later one that corrects it.
type Corrected struct {
	Step
	Later Step
}

// Corrections returns what later changes correct of each change, in the order of the changes, the oldest first.
func Corrections(changes []Change) [][]Correction {
	type last struct{ change, step int }
	known := map[Fact]last{}
	all := make([][]Correction, len(changes))
	for i, c := range changes {
		for j, s := range c.Steps {
			before, ok := known[s.Fact]
			known[s.Fact] = last{i, j}
			if !ok || before.change == i || c.Date-changes[before.change].Date > Window*day {
				continue
			}
			was := changes[before.change].Steps[before.step]
			if !s.corrects(was) {
				continue
			}
			found := &all[before.change]
			if n := len(*found); n == 0 || (*found)[n-1].By != i {
				*found = append(*found, Correction{By: i})
			}
			one := &(*found)[len(*found)-1]
			one.Steps = append(one.Steps, Corrected{was, s})
		}
	}
	return all
}

// corrects reports whether a step corrects the step of the same fact before it, with none between them.
func (s Step) corrects(before Step) bool {
	switch {
	case s.Evolution || before.Copied || before.Has != s.Had || before.Is != s.Was:
		return false
	case !s.Has:
		return !before.Had
	case !s.Had:
		return before.Had
	case s.Kind == Package:
		return before.Had && s.Is == before.Was
	}
	return true
}

// Kinds are what corrections are counted by, in the order in which they are told.
func Kinds() []string {
	return []string{"edges changed", "entry removed", "entry restored", "channel removed", "channel restored", "default channel set back", "package removed", "package restored",
		"bundle removed", "bundle restored", "images changed"}
}

// Kind returns which of Kinds a correction is.
func (c Corrected) Kind() string {
	what := [...]string{"package", "channel", "entry", "bundle"}[c.Later.Kind]
	switch {
	case !c.Later.Has:
		return what + " removed"
	case !c.Later.Had:
		return what + " restored"
	}
	return map[Kind]string{Package: "default channel set back", Entry: "edges changed", Bundle: "images changed"}[c.Later.Kind]
}

// String says what was corrected, without the catalog.
func (c Corrected) String() string {
	f := c.Later.Fact
	subject := map[Kind]string{Package: fmt.Sprintf("package %q", f.Package), Channel: fmt.Sprintf("channel %q", f.Channel),
		Entry: fmt.Sprintf("entry %q of channel %q", f.Name, f.Channel), Bundle: fmt.Sprintf("bundle %q", f.Name)}[f.Kind]
	switch kind := c.Kind(); {
	case strings.HasSuffix(kind, "removed"), strings.HasSuffix(kind, "restored"):
		return subject + " " + kind[strings.LastIndex(kind, " ")+1:]
	case f.Kind == Package:
		return fmt.Sprintf("default channel of %s set back from %q to %q", subject, c.Later.Was, c.Later.Is)
	default:
		return fmt.Sprintf("%s: %s, was %s", subject, cmp.Or(c.Later.Is, "no edges"), cmp.Or(c.Later.Was, "no edges"))
	}
}

// Said says what was corrected, the same in several catalogs once.
func (c *Correction) Said() []string {
	said := phrase.Of(c.Steps, Corrected.String)
	slices.Sort(said)
	return slices.Compact(said)
}
