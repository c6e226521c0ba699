package gittree

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// maxTags bounds how many tags of tags are followed.
const maxTags = 100

// resolveTree returns the tree of a revision, as in gitrevisions(7). go-git's ResolveRevision prefers a short hash to a branch of that
// name, reads ^3 as ^2, and does not support trees.
func (r *repository) resolveTree(ctx context.Context, revision string) (hash, error) {
	h, err := r.resolve(ctx, revision)
	if err != nil {
		return hash{}, err
	}
	return r.peel(h, plumbing.TreeObject)
}

// resolve returns the object of a revision.
func (r *repository) resolve(ctx context.Context, revision string) (hash, error) {
	name, steps, err := splitRevision(revision)
	if err != nil {
		return hash{}, err
	}
	h, err := r.resolveName(name, len(steps) > 0)
	if err != nil {
		return hash{}, err
	}
	for _, s := range steps {
		if h, err = r.step(ctx, h, s); err != nil {
			return hash{}, err
		}
	}
	return h, nil
}

// step is a suffix of a revision.
type step struct {
	mark byte // '~': the nth generation of first parents; '^': the nth parent; '{': an object of a type
	n    int
	kind string
}

var stepText = regexp.MustCompile(`^(?:\^\{(commit|tree|tag|object|)\}|([~^])(\d*))`)

// splitRevision splits a revision into its name and its suffixes.
func splitRevision(text string) (name string, steps []step, err error) {
	end := len(text)
	if i := strings.IndexAny(text, "^~"); i >= 0 {
		end = i
	}
	name = text[:end]
	switch {
	case strings.Contains(text, "@{") || strings.HasPrefix(text, "/") || strings.Contains(text, "^{/"):
		return "", nil, fmt.Errorf("this kind of revision is not understood: give the hash that git rev-parse %q prints", text)
	case strings.Contains(text, ".."):
		return "", nil, errors.New("a range of revisions: want one of them")
	case name == "" || strings.HasPrefix(name, "-"):
		return "", nil, fmt.Errorf("%q is not a revision", text)
	case name == "@":
		name = "HEAD"
	}
	for rest := text[end:]; rest != ""; {
		m := stepText.FindStringSubmatch(rest)
		if m == nil {
			return "", nil, fmt.Errorf("%q is not a revision: %q in it is not understood", text, rest)
		}
		s := step{mark: '{', kind: m[1]}
		if m[2] != "" {
			s.mark, s.n = m[2][0], 1
		}
		if m[3] != "" {
			if s.n, err = strconv.Atoi(m[3]); err != nil {
				return "", nil, fmt.Errorf("%q is not a revision: %s is too large a number", text, m[3])
			}
		}
		steps, rest = append(steps, s), rest[len(m[0]):]
	}
	return name, steps, nil
}

// step applies a step to an object.
func (r *repository) step(ctx context.Context, h hash, s step) (hash, error) {
	if s.mark == '{' {
		want, err := plumbing.ParseObjectType(s.kind)
		switch {
		case s.kind == "object":
			return h, nil
		case err != nil: // ^{}
			want = plumbing.AnyObject
		}
		return r.peel(h, want)
	}
	h, err := r.peel(h, plumbing.CommitObject)
	if err != nil || s.n == 0 {
		return h, err
	}
	if s.mark == '^' {
		return r.parent(h, s.n, 1)
	}
	for up := range s.n {
		if err := ctx.Err(); err != nil {
			return hash{}, err
		}
		if h, err = r.parent(h, 1, s.n-up); err != nil {
			return hash{}, err
		}
	}
	return h, nil
}

// parent returns the nth parent of a commit; left is how many generations are still to go, for the message about a shallow clone.
func (r *repository) parent(h hash, n, left int) (hash, error) {
	text, err := r.getType(h, plumbing.CommitObject)
	if err != nil {
		return hash{}, err
	}
	parents := hashFields(text, "parent")
	if slices.Contains(r.shallow, h) {
		return hash{}, words.Advice{Err: fmt.Errorf("this clone is shallow, and what was before %s is not in it", abbreviate(h)), Command: fmt.Sprintf("git fetch --deepen=%d", left)}
	}
	if n > len(parents) {
		return hash{}, fmt.Errorf("no such revision: %s has %s", abbreviate(h), countOrNo(len(parents), "parent"))
	}
	return parents[n-1], nil
}

func abbreviate(h hash) string { return h.String()[:10] }

func countOrNo(n int, what string) string {
	if n == 0 {
		return "no " + what
	}
	return words.Count(n, what)
}

// peel follows tags, and a commit to its tree, to an object of a type; AnyObject is any type but a tag.
func (r *repository) peel(h hash, want plumbing.ObjectType) (hash, error) {
	for range maxTags {
		got, text, err := r.get(h)
		if err != nil {
			return hash{}, err
		}
		switch {
		case got == want || want == plumbing.AnyObject && got != plumbing.TagObject:
			return h, nil
		case got == plumbing.TagObject:
			h, err = hashField(h, text, "object")
		case got == plumbing.CommitObject && want == plumbing.TreeObject:
			h, err = hashField(h, text, "tree")
		default:
			err = fmt.Errorf("want a %s, but %s is a %s", want, abbreviate(h), got)
		}
		if err != nil {
			return hash{}, err
		}
	}
	return hash{}, fmt.Errorf("more than %d tags of tags", maxTags)
}

var (
	fullHash     = regexp.MustCompile(`^[0-9a-fA-F]{40}$`)
	shortHash    = regexp.MustCompile(`^[0-9a-fA-F]{4,39}$`)
	describeName = regexp.MustCompile(`-g([0-9a-fA-F]{4,40})$`)
	// rootName matches a reference outside of refs/, as HEAD or FETCH_HEAD (git: refs.c is_root_ref_syntax).
	rootName = regexp.MustCompile(`^[A-Z_-]+$`)
)

// resolveName returns the object of a name, in git's order: a full hash, a reference, the output of git describe, a short hash. Of several
// objects with a short hash it is the only one that is or has a tree, or with commits a commit.
func (r *repository) resolveName(name string, commits bool) (hash, error) {
	if fullHash.MatchString(name) {
		h := plumbing.NewHash(name)
		if _, _, err := r.get(h); errors.Is(err, errMissing) {
			return hash{}, r.noSuchRevision(name)
		}
		return h, nil
	}
	if h, found := r.reference(name); found {
		return h, nil
	}
	if m := describeName.FindStringSubmatch(name); m != nil {
		name, commits = m[1], true
	}
	if !shortHash.MatchString(name) {
		return hash{}, r.noSuchRevision(name)
	}
	switch all, err := r.withPrefix(strings.ToLower(name), commits); {
	case err != nil:
		return hash{}, err
	case len(all) == 0:
		return hash{}, r.noSuchRevision(name)
	case len(all) > 1:
		return hash{}, fmt.Errorf("the short hash %s is that of %d objects: give more of it", name, len(all))
	default:
		return all[0], nil
	}
}

// reference resolves a reference by its name (git: refs.c ref_rev_parse_rules).
func (r *repository) reference(name string) (hash, bool) {
	for _, rule := range plumbing.RefRevParseRules {
		full := plumbing.ReferenceName(fmt.Sprintf(rule, name))
		if !strings.HasPrefix(string(full), "refs/") && !rootName.MatchString(name) {
			continue // go-git would read any file there
		}
		if ref, err := storer.ResolveReference(r.storage, full); err == nil && !ref.Hash().IsZero() {
			return ref.Hash(), true
		}
	}
	return hash{}, false
}

// withPrefix returns the objects with a short hash.
func (r *repository) withPrefix(name string, commits bool) ([]hash, error) {
	prefix, err := hex.DecodeString(name[:len(name)&^1])
	if err != nil {
		return nil, err
	}
	all, err := r.objects.withPrefix(prefix)
	if err != nil {
		return nil, err
	}
	var found []hash
	for h := range all {
		if strings.HasPrefix(h.String(), name) && r.hasType(h, commits) {
			found = append(found, h)
		}
	}
	return found, nil
}

// hasType reports whether an object is or has a tree, or with commit a commit.
func (r *repository) hasType(h hash, commit bool) bool {
	want := plumbing.TreeObject
	if commit {
		want = plumbing.CommitObject
	}
	_, err := r.peel(h, want)
	return err == nil
}

// noSuchRevision returns the error for a revision that does not exist, and how to get it.
func (r *repository) noSuchRevision(name string) error {
	if r.reftable {
		return fmt.Errorf("the references of this repository are in a format that cannot be read (reftable): "+
			"give the hash that git rev-parse %s prints", name)
	}
	depth := ""
	switch {
	case len(r.shallow) > 0 && r.history:
		depth = "--unshallow "
	case len(r.shallow) > 0:
		depth = "--depth=1 "
	}
	if remote, branch, ok := strings.Cut(name, "/"); ok && slices.Contains(r.remotes, remote) {
		return words.Advice{Err: fmt.Errorf("%s is not in this clone", name), Command: fmt.Sprintf("git fetch %s%s %s", depth, words.ShellWord(remote), words.ShellWord("+refs/heads/"+branch+":refs/remotes/"+name))}
	}
	similar := func(meant string) error {
		return words.Similar{Err: fmt.Errorf("there is no revision %s: did you mean %s?", name, meant), Name: name, Meant: meant}
	}
	for _, remote := range r.remotes {
		if _, found := r.reference(remote + "/" + name); found {
			return similar(remote + "/" + name)
		}
	}
	other := map[string]string{"main": "master", "master": "main"}[name]
	if _, found := r.reference(other); found && other != "" {
		return similar(other)
	}
	_, branch, _ := strings.Cut(name, "/")
	if _, found := r.reference(branch); found && branch != "" {
		return similar(branch)
	}
	if name == "HEAD" {
		return errors.New("there is no commit in the repository yet")
	}
	if remote := r.remote(); remote != "" {
		return words.Advice{Err: fmt.Errorf("there is no revision %s: if %s has it, fetch it, and give %s", name, remote, refAfterFetch(name)), Command: fmt.Sprintf("git fetch %s%s %s", depth, words.ShellWord(remote), words.ShellWord(name))}
	}
	return fmt.Errorf("there is no revision %s in the repository", name)
}

// refAfterFetch returns how to name a revision after a git fetch of it.
func refAfterFetch(name string) string {
	if fullHash.MatchString(name) {
		return "it again"
	}
	return "FETCH_HEAD for it"
}
