package history

// Fate is what became of a change.
type Fate string

const (
	Mistake  Fate = "mistake"
	Innocent Fate = "innocent"
	TooEarly Fate = "too early"
)

// FateOf returns what became of a change, in a history up to the date of its newest change.
func FateOf(date, newest int64, corrected []Correction) Fate {
	switch {
	case len(corrected) > 0:
		return Mistake
	case newest-date >= Window*day:
		return Innocent
	}
	return TooEarly
}
