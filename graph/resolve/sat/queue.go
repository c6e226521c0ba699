package sat

import "slices"

// queue orders the variables, those of recent conflicts first (variable move to front).
type queue struct {
	before, after []int // by variable; 0 where there is none
	stamps        []int // by variable: when it was moved to the front
	head, now     int
	from          int // no variable before it is open
}

func (q *queue) grow() {
	q.before, q.after, q.stamps = append(q.before, 0), append(q.after, 0), append(q.stamps, 0)
}

// add adds a new variable, which is open.
func (q *queue) add(v int) {
	q.moveToFront(v)
	q.from = v
}

func (q *queue) moveToFront(v int) {
	q.now++
	q.stamps[v], q.before[v], q.after[v] = q.now, 0, q.head
	q.before[q.head] = v
	q.head = v
}

// bump moves the variables of a clause to the front and keeps their order. None of them is open.
func (q *queue) bump(c clause) {
	variables := make([]int, len(c))
	for i, l := range c {
		variables[i] = l.variable()
	}
	slices.SortFunc(variables, func(a, b int) int { return q.stamps[a] - q.stamps[b] })
	for _, v := range variables {
		if v == q.head {
			continue
		}
		if v == q.from {
			q.from = q.after[v]
		}
		q.after[q.before[v]], q.before[q.after[v]] = q.after[v], q.before[v]
		q.moveToFront(v)
	}
}

// first returns the first open variable, or 0.
func (q *queue) first(open func(int) bool) int {
	for q.from != 0 && !open(q.from) {
		q.from = q.after[q.from]
	}
	return q.from
}

// reopen notes that a variable is open again.
func (q *queue) reopen(v int) {
	if q.stamps[v] > q.stamps[q.from] {
		q.from = v
	}
}
