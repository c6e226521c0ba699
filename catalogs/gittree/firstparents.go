package gittree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Commit is a commit and its first parent.
type Commit struct {
	Hash, Parent string
	Date         int64  // of the committer, in seconds
	Subject      string // the first line of its message
}

// FirstParents returns up to n commits with their first parents, from a revision on, the newest first. They end before the first commit, and where a
// clone ends that is shallow or lacks commits.
func FirstParents(ctx context.Context, dir, revision string, n int, o Options) ([]Commit, error) {
	r, err := openRepository(dir, o)
	if err != nil {
		return nil, err
	}
	at, err := r.resolveCommit(ctx, revision)
	if err == nil && at.IsZero() {
		err = fmt.Errorf("%s is not a commit", revision)
	}
	var all []Commit
	for err == nil && len(all) < n {
		var text []byte
		if text, err = r.getType(at, plumbing.CommitObject); err != nil {
			break
		}
		parents := hashFields(text, "parent")
		if len(parents) == 0 {
			break
		}
		if _, _, missing := r.get(parents[0]); missing != nil {
			break
		}
		_, message, _ := strings.Cut(string(text), "\n\n")
		subject, _, _ := strings.Cut(message, "\n")
		all = append(all, Commit{Hash: at.String(), Parent: parents[0].String(), Date: int64(commitDate(text)), Subject: subject})
		at, err = parents[0], ctx.Err()
	}
	if errors.Is(err, errMissing) && len(all) > 0 {
		err = nil
	}
	return all, err
}
