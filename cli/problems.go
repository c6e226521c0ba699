package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/text"
)

// checkIsCatalog returns an error if no catalog of a reference has a package. It warns of what may be missing from an answer
// about package pkg, or about all packages if pkg is "".
func (l *logger) checkIsCatalog(ref string, cats []*catalogs.Catalog, pkg string) error {
	if found, none := firstForeign(cats); none {
		return notCatalog(ref, found)
	}
	found := pkg != "" && len(withPackage(cats, pkg)) > 0
	for _, c := range cats {
		if found && c.Template != nil && c.Package(pkg) == nil {
			continue // the template of another operator
		}
		l.warnOfProblems(c, pkg)
	}
	return nil
}

// firstForeign reports whether no catalog has a package, and what the first of them is instead.
func firstForeign(cats []*catalogs.Catalog) (first catalogs.Foreign, none bool) {
	for i, c := range cats {
		found, unchecked := c.NoPackage()
		if !unchecked {
			return first, false
		}
		if i == 0 {
			first = found
		}
	}
	return first, len(cats) > 0
}

// notCatalog returns the error of a reference that is not a catalog: what it is instead, and what to do.
func notCatalog(ref string, found catalogs.Foreign) error {
	what := found.Message()
	if found.Unread {
		what = found.What
	}
	return errors.New(cmp.Or(found.Pos.String(), ref) + ": " + what + words.Prefix("; ", found.Fix))
}

// otherFolder returns the newest catalog below the working directory that has a package, or the folder of its bundles; "" if there is none but ref.
func otherFolder(pkg, ref string) string {
	if at := foldersOf(pkg); len(at) > 0 {
		return filepath.Dir(at[len(at)-1])
	} else if at := filepath.Join("operators", pkg); len(glob(at, "*/manifests")) > 0 && filepath.Clean(ref) != at {
		return at
	}
	return ""
}

// ofAllVersions returns a command line with the folder instead of three or more catalogs for OpenShift versions in it, or of folders of one package in such;
// nil if it has none.
func ofAllVersions(given []string) []string {
	var parent, pkg string
	var folders []string
	for _, w := range given {
		at, name := filepath.Clean(w), ""
		if _, is := catalogVersion(filepath.Base(at)); !is {
			at, name = filepath.Dir(at), filepath.Base(at)
		}
		_, is := catalogVersion(filepath.Base(at))
		if is && disk.IsFolder(w) && !slices.Contains(folders, w) && (parent == "" || filepath.Dir(at) == parent && name == pkg) {
			parent, pkg, folders = filepath.Dir(at), name, append(folders, w)
		}
	}
	if len(folders) < 3 || len(folders) < len(glob(parent, path.Join("v4.*", pkg))) {
		return nil
	}
	line := slices.DeleteFunc(slices.Clone(given), func(w string) bool { return slices.Contains(folders[1:], w) })
	line[slices.Index(line, folders[0])] = parent
	if pkg != "" {
		line = slices.Insert(line, slices.Index(line, parent)+1, pkg)
	}
	return line
}

// otherCatalog returns the error of a command that takes one catalog, and has another one where a package should be. It is dropped, unless all of a folder
// are given.
func (o *opener) otherCatalog(ref, other string) error {
	if line := ofAllVersions(o.given); line != nil {
		return suggestCommand(misusef("%s takes one catalog, or the folder of several", o.command.name), line...)
	}
	err := misusef("%s takes one catalog, not also %s; diff compares two", o.command.name, other)
	if len(o.args) == 2 {
		return suggestCommand(err, "diff", ref, other)
	}
	return suggestInstead(err, other)
}

// noPackage returns the error that no catalog has a package. It is a misuse unless the package may be in a part that could not
// be read.
func (o *opener) noPackage(name, ref string, cats []*catalogs.Catalog) error {
	names := packageNames(cats)
	if strings.Contains(name, "/") && disk.IsFolder(name) {
		return o.otherCatalog(ref, name)
	}
	if why := o.command.needless[name]; why == noteSays {
		return suggestInstead(misusef("no package %q in %s: %s", name, ref, why), name, "bundles")
	}
	err := suggestCommand(misusef("no package %q in %s%s", name, ref, didYouMean(name, names)), listName, ref)
	having := withChannel(name, cats)
	if at := slices.IndexFunc(having, func(pkg string) bool { return slices.Contains(o.args, pkg) }); at >= 0 {
		having = having[at : at+1]
	}
	if len(having) == 1 {
		err = misusef("no package %q in %s: it is a channel of package %q", name, ref, having[0])
		switch o.command.takes.channel {
		case "":
			err = suggestInstead(err, name, having[0])
		case "/": // its package may stand before it
			line := slices.DeleteFunc(slices.Clone(o.given), func(w string) bool {
				return w != name && slices.Contains(o.args[1:], w) && slices.Equal(withPart(w, names), having)
			})
			if at := slices.Index(line, name); at >= 0 {
				line[at] = having[0] + "/" + name
				err = suggestCommand(err, line...)
			}
		default:
			err = suggestInstead(err, name, having[0], o.command.takes.channel, name)
		}
	} else if _, ok := words.NearestVersioned(name, names); ok {
		err = suggestName(errors.Unwrap(err), name, names)
	} else if o.command.takes.channel == "/" && isVersion(name) && len(o.args) > 2 {
		line := slices.DeleteFunc(slices.Clone(o.given), func(w string) bool { return w == name })
		err = suggestCommand(misusef("no package %q in %s; did you mean --from?", name, ref), append(line, "--from", name)...)
	} else if pkg, version, ok := strings.Cut(name, ".v"); ok && o.command.name == releaseName && slices.Contains(names, pkg) && isVersion(version) {
		err = suggestInstead(misusef("no package %q in %s; that is a bundle", name, ref), name, pkg, version)
	} else if elsewhere := otherFolder(name, ref); elsewhere != "" {
		err = suggestInstead(misusef("no package %q in %s; it is in %s", name, ref, elsewhere), ref, elsewhere)
	} else if having := withPart(name, names); len(having) == 1 {
		err = suggestInstead(misusef("no package %q in %s; did you mean %s?", name, ref, having[0]), name, having[0])
	} else if first, _, _ := strings.Cut(name, "-"); len(having) == 0 && len(withPart(first, names)) == 1 { // as red of red-operator
		having = withPart(first, names)
		err = suggestInstead(misusef("no package %q in %s; did you mean %s?", name, ref, having[0]), name, having[0])
	} else if having = append(having, withPart(first, names)...); len(having) > 0 {
		having = find.Distinct(having)
		err = suggestCommand(misusef("no package %q in %s; there are %s", name, ref, words.JoinSome(having, 12)), listName, ref)
	}
	if o.incomplete {
		return fmt.Errorf("%s", err)
	}
	return err
}

// maxWarnings is the number of problems of a catalog that are listed before an answer.
const maxWarnings = 10

// warnOfProblems lists what could not be read of a catalog and may be missing from an answer, and the files that are not part
// of it. What several catalogs of a repository have in common is told once.
func (l *logger) warnOfProblems(c *catalogs.Catalog, pkg string) {
	n := 0
	var lines []string
	for i := range c.Problems {
		problem := &c.Problems[i]
		if !problem.LosesData() || pkg != "" && problem.Package != "" && problem.Package != pkg {
			continue
		}
		n++
		line := fmt.Sprintf("%s: %s%s", cmp.Or(problem.Pos.String(), c.Name), problem.Message, words.Prefix("; ", problem.Fix))
		if l.warned[line] {
			continue
		}
		l.warned[line] = true
		lines = append(lines, line)
	}
	l.logFirst(maxWarnings, lines)
	l.noteFormLimitation(c)
	found, unchecked := c.NoPackage()
	if unchecked && n == 0 && !found.Unread { // otherwise the problem is in another package
		n++
		l.logf("%s", notCatalog(c.Name, found))
	}
	if n > 0 && !l.incomplete {
		l.incomplete = true
		l.logf("parts that could not be read may be missing in the answer; see olmgraph lint")
	}
	if !unchecked {
		l.noteForeignFiles(c)
	}
}

// noteFormLimitation reports what the form of a catalog cannot express.
func (l *logger) noteFormLimitation(c *catalogs.Catalog) {
	if pos, silent := c.FormLimitation(); silent != "" && !l.warned[silent] {
		l.warned[silent] = true // of a base it is the same
		l.logf("%s: %s", pos, silent)
	}
}

// requireEdges returns an error if the form of a catalog has no upgrade edges.
func requireEdges(ref string, cats ...*catalogs.Catalog) error {
	if slices.ContainsFunc(cats, (*catalogs.Catalog).Edgeless) {
		return fmt.Errorf("%s: the package manifests of a cluster have no edges, so this cannot be answered", ref)
	}
	return nil
}

// noteForeignFiles lists files in the folder of a catalog that are not part of it.
func (l *logger) noteForeignFiles(c *catalogs.Catalog) {
	var lines []string
	for i := range c.Foreign {
		if f := &c.Foreign[i]; !f.Config() {
			lines = append(lines, fmt.Sprintf("%s: %s, which is not part of the catalog", f.Pos, f.What))
		}
	}
	l.logFirst(maxWarnings, lines)
}

// logFirst reports the first of some lines, and how many more there are.
func (l *logger) logFirst(most int, lines []string) {
	for _, line := range lines[:min(len(lines), most)] {
		l.logf("%s", line)
	}
	if n := len(lines) - most; n > 0 {
		l.logf("and %d more", n)
	}
}

// wantsJSON reports whether a command line asks for JSON on standard output, whether or not it can be parsed.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--" {
			return false
		}
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		format, file, toFile := strings.Cut(value, "=")
		if slices.Contains([]string{"-o", "-output", "--output", "-format", "--format"}, name) && format == "json" && (!toFile || isStdout(file)) {
			return true
		}
	}
	return false
}

// writeFailure writes why a command has no answer to standard output, as JSON. Standard error has it in words.
func writeFailure(ctx context.Context, s *session, status int, err error) error {
	out := text.Failure{Kind: "failure", Status: status}
	switch status {
	case statusMisuse:
		out.Kind = "misuse"
	case statusCancelled:
		out.Kind = "interrupted"
		return text.WriteFailure(s.stdout, out)
	}
	var words []string
	for _, one := range eachError(err) {
		words = append(words, strings.TrimPrefix(one.Error(), "olmgraph: "))
		if line := suggestedArgs(one, s.given); line != nil && out.Hint == "" {
			if better, _ := s.tried(ctx, line); better != nil {
				out.Hint = commandLine(better...)
			}
		}
	}
	out.Message = strings.Join(words, "\n")
	return text.WriteFailure(s.stdout, out)
}
