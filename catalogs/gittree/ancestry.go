package gittree

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxCommits   = 2_000_000 // that are read to find a merge base
	maxAncestors = 100       // common ancestors that are compared with each other
)

// errCut is the error of a question that the history of a shallow clone cannot answer.
var errCut = errors.New("the history of this shallow clone is cut")

// commit is a commit of an ancestry.
type commit struct {
	hash    hash
	date    uint64 // of the committer, in seconds; of a hidden commit the latest date of the commits whose parent it is
	parents []*commit
	read    bool
	hidden  bool // the clone does not have it, but a commit whose parent it is
	marks   marks
	queued  int // how often it is in the queue
}

// marks are what is known of a commit while common ancestors are searched for.
type marks uint8

const (
	ofOne    marks = 1 << iota // it is the one commit, or an ancestor of it
	ofOthers                   // it is one of the others, or an ancestor of one
	stale                      // it is an ancestor of a common ancestor
	found                      // it is a common ancestor
)

const common = ofOne | ofOthers

// ancestry reads the commits of a repository. Unlike git it follows the parents of a commit at which a shallow clone ends, if they are there:
// git fetch --depth hides them as well.
type ancestry struct {
	repository *repository
	commits    map[hash]*commit
	touched    []*commit // those with marks
	queue      commitQueue
	pushed     int // into the queue, since it was empty
	live       int // commits in the queue that are not stale
}

func newAncestry(r *repository) *ancestry {
	return &ancestry{repository: r, commits: map[hash]*commit{}}
}

// commit returns the commit of a hash, which is read later.
func (h *ancestry) commit(of hash) *commit {
	c := h.commits[of]
	if c == nil {
		c = &commit{hash: of}
		h.commits[of] = c
	}
	return c
}

// read reads the date and the parents of a commit.
func (h *ancestry) read(c *commit) error {
	if c.read || c.hidden {
		return nil
	}
	text, err := h.repository.getType(c.hash, plumbing.CommitObject)
	switch {
	case errors.Is(err, errMissing) && len(h.repository.shallow) > 0:
		c.hidden = true
		return nil
	case err != nil:
		return fmt.Errorf("the commit %s: %w", abbreviate(c.hash), err)
	case len(h.commits) > maxCommits:
		return fmt.Errorf("the history has more than %d commits", maxCommits)
	}
	c.read, c.date = true, commitDate(text)
	for _, parent := range hashFields(text, "parent") {
		c.parents = append(c.parents, h.commit(parent))
	}
	return nil
}

// commitDate returns the date of a commit in seconds, 0 if it has none (git: commit.c parse_commit_date).
func commitDate(text []byte) uint64 {
	header, _, _ := strings.Cut(string(text), "\n\n")
	_, line, _ := strings.Cut(header, "\ncommitter ")
	_, after, _ := strings.Cut(line, "> ")
	seconds, _, _ := strings.Cut(after, " ")
	date, err := strconv.ParseUint(seconds, 10, 64)
	if err != nil {
		return 0
	}
	return date
}

// mergeBases returns the best common ancestors of two commits, those that are no ancestors of another one, in the order of git merge-base
// --all (git: commit-reach.c get_merge_bases_many_0). errCut says that the history that is there is too short to know them.
func (h *ancestry) mergeBases(ctx context.Context, a, b hash) ([]hash, error) {
	one, other := h.commit(a), h.commit(b)
	if one == other {
		return []hash{a}, nil
	}
	all, err := h.commonAncestors(ctx, one, other)
	if err != nil {
		return nil, err
	}
	for _, c := range []*commit{one, other} {
		if c.marks&common == common { // then the rest of the history does not matter
			return []hash{c.hash}, nil
		}
	}
	if h.isCut(len(all) > 0) {
		return nil, errCut
	}
	ends := slices.ContainsFunc(h.touched, func(c *commit) bool { return c.hidden })
	if len(all) > 1 {
		if all, err = h.independent(ctx, all); err == nil && ends && len(all) > 1 {
			err = errCut
		}
	}
	hashes := make([]hash, 0, len(all))
	for _, c := range all {
		hashes = append(hashes, c.hash)
	}
	return hashes, err
}

// commonAncestors returns common ancestors of one commit and of any of the others, the latest first: the best ones and, where dates are out
// of order, maybe ancestors of them (git: commit-reach.c paint_down_to_common). It ends when all further commits are ancestors of those.
func (h *ancestry) commonAncestors(ctx context.Context, one *commit, others ...*commit) ([]*commit, error) {
	for _, c := range h.touched {
		c.marks, c.queued = 0, 0
	}
	h.touched, h.queue, h.pushed, h.live = h.touched[:0], h.queue[:0], 0, 0
	err := h.mark(one, ofOne)
	for _, c := range others {
		err = cmp.Or(err, h.mark(c, ofOthers))
	}
	var all []*commit
	for h.live > 0 && err == nil {
		c := h.pop()
		if c.marks&(common|stale) == common {
			if c.marks&found == 0 {
				all = append(all, c)
			}
			c.marks |= found
		}
		err = cmp.Or(h.markParents(c), ctx.Err())
	}
	all = slices.DeleteFunc(all, func(c *commit) bool { return c.marks&stale != 0 })
	slices.SortStableFunc(all, func(a, b *commit) int { return cmp.Compare(b.date, a.date) })
	return all, err
}

// markParents gives the parents of a commit its marks. The parents of a common ancestor are stale.
func (h *ancestry) markParents(c *commit) error {
	marks := c.marks & (common | stale)
	if marks&common == common {
		marks |= stale
	}
	for _, p := range c.parents {
		if p.marks&marks == marks {
			continue
		}
		if err := h.mark(p, marks); err != nil {
			return err
		}
		if p.hidden {
			p.date = max(p.date, c.date)
		}
	}
	return nil
}

// mark adds marks to a commit, and puts it into the queue unless it is hidden.
func (h *ancestry) mark(c *commit, more marks) error {
	if err := h.read(c); err != nil {
		return err
	}
	if c.marks == 0 {
		h.touched = append(h.touched, c)
	}
	if more&^c.marks&stale != 0 {
		h.live -= c.queued
	}
	c.marks |= more
	if c.hidden {
		return nil
	}
	c.queued++
	if c.marks&stale == 0 {
		h.live++
	}
	heap.Push(&h.queue, queued{c, h.pushed})
	h.pushed++
	return nil
}

// pop returns the latest commit in the queue, and of several the first.
func (h *ancestry) pop() *commit {
	c := heap.Pop(&h.queue).(queued).commit
	c.queued--
	if c.marks&stale == 0 {
		h.live--
	}
	return c
}

// isCut reports whether commits that a shallow clone lacks may be better common ancestors than those that it has, or the only ones. A commit
// that is there can be an ancestor of a hidden one only if it is no later.
func (h *ancestry) isCut(found bool) bool {
	var ends [common + 1]uint64 // the latest date of a commit whose parent is hidden, by marks
	var cut [common + 1]bool
	for _, c := range h.touched {
		if m := c.marks & common; c.hidden && c.marks&stale == 0 {
			ends[m], cut[m] = max(ends[m], c.date), true
		}
	}
	if cut[common] || !found && (cut[ofOne] || cut[ofOthers]) {
		return true
	}
	return slices.ContainsFunc(h.touched, func(c *commit) bool {
		other := common &^ c.marks & common // the marks that it lacks
		return !c.hidden && cut[other] && c.date <= ends[other]
	})
}

// independent returns those commits that are no ancestors of another one (git: commit-reach.c remove_redundant_no_gen).
func (h *ancestry) independent(ctx context.Context, all []*commit) ([]*commit, error) {
	if len(all) > maxAncestors {
		return nil, fmt.Errorf("more than %d common ancestors", maxAncestors)
	}
	redundant := map[*commit]bool{}
	for _, one := range all {
		if redundant[one] {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(all), func(c *commit) bool { return c == one || redundant[c] })
		if _, err := h.commonAncestors(ctx, one, others...); err != nil {
			return nil, err
		}
		redundant[one] = one.marks&ofOthers != 0
		for _, c := range others {
			redundant[c] = redundant[c] || c.marks&ofOne != 0
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c *commit) bool { return redundant[c] }), nil
}

// commitQueue is a heap of commits.
type commitQueue []queued

// queued is a commit and the number of commits that were put into the queue before it.
type queued struct {
	commit *commit
	number int
}

func (q commitQueue) Len() int { return len(q) }
func (q commitQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].commit.date, q[i].commit.date), cmp.Compare(q[i].number, q[j].number)) < 0
}
func (q commitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *commitQueue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *commitQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
