package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// window is within how long a later change corrects one, in seconds.
const window = 90 * 24 * 60 * 60

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

// Corrected is a fact of which a later change corrects the value. A value that was not there, or is not known, is empty.
type Corrected struct {
	Fact
	How    string `json:"how" enum:"removed,restored,changed"` // by the later change
	Before string `json:"before"`                              // the value before the change
	Wrong  string `json:"wrong"`                               // what the change made of it
	Now    string `json:"now"`                                 // what the later change made of it
}

// String says what was corrected, without the catalog.
func (c Corrected) String() string {
	said := fmt.Sprintf("%s %q", c.Kind, cmp.Or(c.Name, c.Channel, c.Package))
	if c.Kind == entry {
		said += fmt.Sprintf(" of channel %q", c.Channel)
	}
	if c.How != "changed" {
		return said + " " + c.How
	}
	now, wrong := c.Now, c.Wrong
	if c.Kind == bundle {
		now, wrong = onlyHere(now, wrong), onlyHere(wrong, now)
	}
	return fmt.Sprintf("%s: %s, was %s", said, cmp.Or(now, "no edges"), cmp.Or(wrong, "no edges"))
}

// onlyHere returns the images of a list that another one does not have, the first few.
func onlyHere(images, other string) string {
	known := strings.Fields(other)
	return words.JoinSome(slices.DeleteFunc(strings.Fields(images), func(image string) bool { return slices.Contains(known, image) }), 2)
}

// Corrections returns what later changes correct of each change, in the order of the changes, the oldest first.
func Corrections(changes []Change) [][]Correction {
	type last struct {
		change int
		step   Step
	}
	known, all := map[Fact]last{}, make([][]Correction, len(changes))
	for i, c := range changes {
		for _, s := range c.Steps {
			before, ok := known[s.Fact]
			known[s.Fact] = last{i, s}
			if !ok || before.change == i || c.Date-changes[before.change].Date > window || !s.corrects(before.step) {
				continue
			}
			found := &all[before.change]
			if n := len(*found); n == 0 || (*found)[n-1].By != i {
				*found = append(*found, Correction{By: i})
			}
			one := &(*found)[len(*found)-1]
			one.Steps = append(one.Steps, Corrected{s.Fact, s.verb(), before.step.Was, s.Was, s.Is})
		}
	}
	return all
}

func (s Step) verb() string {
	switch {
	case !s.Has:
		return "removed"
	case !s.Had:
		return "restored"
	}
	return "changed"
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
	}
	return s.Kind != pkg || before.Had && s.Is == before.Was
}

// ChangeOutcome returns what became of a change, in a history up to the date of its newest one.
func ChangeOutcome(date, newest int64, corrected []Correction) string {
	switch {
	case len(corrected) > 0:
		return "mistake"
	case newest-date >= window:
		return "innocent"
	}
	return "too early"
}
