package cli

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/open"
)

// atRevision returns the reference that somebody means who gives a git revision for a base: the path of the catalogs at that revision. Any other text
// is returned as it is. A name that is both a file and a revision is an error: a change could add the file.
func atRevision(ctx context.Context, text string, of []string) (string, error) {
	if !meansRevision(ctx, text) {
		return text, nil
	}
	ref := "git:" + text + ":" + revisionPath(of)
	return ref, rejectFile(text, ref)
}

// rejectFile returns an error if a revision, or a range of them, is a file too: a change could add one and be compared with it.
func rejectFile(text string, refs ...string) error {
	if !disk.Exists(text) {
		return nil
	}
	return suggestInstead(misusef("%s is both a file or folder and a git revision: write ./%[1]s for the file", text), text, refs...)
}

// mayBeRevision reports whether a text is no scheme, no standard input and no path that says that it is one.
func mayBeRevision(text string) bool {
	_, _, isScheme := open.CutScheme(text)
	return !isScheme && text != "" && text != "-" && text != "." && text != ".." && !filepath.IsAbs(text) && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") &&
		!strings.ContainsAny(text, ": ")
}

// revisionPath returns the path of catalogs for git:REVISION:PATH, from the root of the repository: that of one, or the nearest folder that has all of
// several. "" is the root.
func revisionPath(of []string) string {
	common, met := "", false
	for _, ref := range of {
		s, rest, isScheme := open.CutScheme(ref)
		if isScheme && s.Prefix == "git:" {
			_, at, _ := strings.Cut(rest, ":")
			return at
		}
		abs, err := filepath.Abs(ref)
		if isScheme || err != nil || !open.IsPath(ref) {
			continue
		}
		at, inside := gittree.WorkTreePath(".", abs)
		if !inside || at == "." {
			return ""
		}
		if !met {
			common, met = at, true
		}
		for common != "" && common != at && !strings.HasPrefix(at, common+"/") {
			common = strings.TrimSuffix(path.Dir(common), ".")
		}
	}
	return common
}

// narrowed returns a base at a git revision and a path on disk, as one path of the repository: that of what is inside the other. Any others are returned as
// they are.
func narrowed(base, ref string) (string, string) {
	s, rest, isScheme := open.CutScheme(base)
	if _, _, isOther := open.CutScheme(ref); !isScheme || isOther || s.Prefix != "git:" || !disk.Exists(ref) {
		return base, ref
	}
	revision, at, _ := strings.Cut(rest, ":")
	of := revisionPath([]string{ref})
	below := func(part, whole string) bool {
		return part != whole && (whole == "" || strings.HasPrefix(part, whole+"/"))
	}
	switch at = strings.Trim(at, "/"); {
	case below(of, at):
		return "git:" + revision + ":" + of, ref
	case below(at, of):
		if inside := filepath.Join(ref, filepath.FromSlash(strings.TrimPrefix(at, of))); disk.Exists(inside) {
			return base, inside
		}
	}
	return base, ref
}

// cutRange returns the two revisions of A..B, or A...B, if they are some.
func cutRange(ctx context.Context, text string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(text, "..")
	to = strings.TrimPrefix(to, ".")
	return from, to, ok && meansRevision(ctx, from) && meansRevision(ctx, to)
}

// atRevisions makes git:REVISION:PATH of the arguments that are REVISION:PATH or PATH@REVISION, and reports whether there are some.
func atRevisions(ctx context.Context, args []string) (found bool) {
	for i, arg := range args {
		if at, revision, ok := strings.Cut(arg, "@"); ok && !disk.Exists(arg) && disk.Exists(at) && meansRevision(ctx, revision) {
			args[i], found = "git:"+revision+":"+revisionPath([]string{at}), true
		} else if revision, _, ok := strings.Cut(arg, ":"); ok && !disk.Exists(arg) && meansRevision(ctx, revision) {
			args[i], found = "git:"+arg, true
		}
	}
	return found
}

// meansRevision reports whether a text is a revision of the repository around the working directory, or can only be meant as one, of which the error is then
// what git says: a shallow clone lacks it.
func meansRevision(ctx context.Context, text string) bool {
	return mayBeRevision(text) && (gittree.IsRevision(ctx, ".", text, gittree.Options{}) || meantAsRevision.MatchString(text) && !disk.Exists(text))
}

// meantAsRevision matches what people give as a revision, and hardly as a file.
var meantAsRevision = regexp.MustCompile(`^(HEAD|main|master)$|^(HEAD|(origin|upstream|refs)/)[\w./-]*|^[\w./-]+(~\d*|\^\d*|@\{.*\})+$|^[0-9a-f]{40}$`)

// comparedArguments returns the two catalogs that diff compares, where arguments name revisions: A..B, A..B PATH, REVISION, REVISION PATH, or two revisions;
// and the arguments after them.
func comparedArguments(ctx context.Context, args []string) ([]string, error) {
	if from, to, ok := cutRange(ctx, args[0]); ok {
		at, rest := "", args[1:]
		if len(rest) > 0 {
			at, rest = revisionPath(rest[:1]), rest[1:]
		}
		refs := []string{"git:" + from + ":" + at, "git:" + to + ":" + at}
		return append(refs, rest...), rejectFile(args[0], refs...)
	}
	if from, to, ok := strings.Cut(args[0], ".."); ok && open.IsPath(args[0]) && !disk.Exists(args[0]) {
		to = strings.TrimPrefix(to, ".")
		if disk.Exists(from) && disk.Exists(to) {
			return nil, suggestInstead(misusef("two catalogs are two arguments"), args[0], from, to)
		}
		for _, end := range []string{from, to} {
			if mayBeRevision(end) && !meansRevision(ctx, end) && !strings.HasPrefix(args[0], ".") {
				return nil, misusef("no git revision %q", end)
			}
		}
	}
	of := []string{"."}
	if len(args) > 1 {
		of = args[1:2]
	}
	isSecond := len(args) > 1 && !disk.Exists(args[1]) && meansRevision(ctx, args[1])
	if isSecond {
		of = nil
	}
	base, err := atRevision(ctx, args[0], of)
	switch {
	case err != nil:
		return nil, err
	case base == args[0] && len(args) > 1:
		base, ref := narrowed(base, args[1])
		return append([]string{base, ref}, args[2:]...), nil
	case base == args[0]:
		return args, nil
	case len(args) == 1:
		return []string{base, "."}, nil
	case isSecond && len(args) > 2 && disk.Exists(args[2]):
		at := revisionPath(args[2:3])
		return append([]string{base + at, "git:" + args[1] + ":" + at}, args[3:]...), nil
	case isSecond:
		return append([]string{base, "git:" + args[1] + ":"}, args[2:]...), nil
	}
	return append([]string{base}, args[1:]...), nil
}
