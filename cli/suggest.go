package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/render/wording"
)

// suggestion is an error with the command line that was probably meant. Those of urfave/cli name a similar flag or command, and no line to run.
type suggestion struct {
	error
	args     []string // of the command, after olmgraph, which has them instead of was; nil: the given ones with now instead of was
	was      string
	now      []string
	withFlag bool // was is the value of a flag, which goes with it
}

func (s suggestion) Unwrap() error { return s.error }

// suggestCommand adds the command to an error, if there is one.
func suggestCommand(err error, args ...string) error {
	if args == nil {
		return err
	}
	return suggestion{error: err, args: args}
}

// suggestInstead adds to an error the given command line with other arguments instead of was.
func suggestInstead(err error, was string, now ...string) error {
	return suggestion{error: err, was: was, now: now}
}

// suggestName adds to an error the given command line with the most similar of the known names instead of name, if one is similar.
func suggestName(err error, name string, known []string) error {
	if near, ok := words.NearestVersioned(name, known); ok {
		return suggestInstead(err, name, near)
	}
	begin := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, name) })
	switch {
	case len(known) == 1:
		return suggestInstead(err, name, known[0])
	case len(begin) == 1 && len(name) > 1:
		return suggestInstead(err, name, begin[0])
	}
	return err
}

// writeHelp writes the command lines that help against an error, in the order in which they are to be run, and what the last leaves out of the given one.
func (s *session) writeHelp(ctx context.Context, err error) {
	var advice words.Advice
	if errors.As(err, &advice) {
		fmt.Fprintf(s.stderr, "  %s\n", advice.Command)
	}
	line := suggestedArgs(err, s.given)
	if line == nil {
		return
	}
	line, why := s.tried(ctx, line)
	if why != nil {
		s.logf("%s", why)
	}
	if line == nil {
		return
	}
	if advice.Command == "" && slices.Contains(line, "cluster.yaml") && !disk.Exists("cluster.yaml") {
		fmt.Fprintf(s.stderr, "  %s > cluster.yaml\n", wording.KubectlGet)
	}
	fmt.Fprintf(s.stderr, "  %s\n", commandLine(line...))
	if others := otherCatalogs(s.given, line); len(others) > 0 && !strings.Contains(err.Error(), others[0]) {
		s.logf("the package is in %s too", words.JoinSome(others, 5))
	}
	if isLookup := line[0] == listCommand().name && len(line) == 2 && line[0] != s.given[0] && slices.Contains(commandNames(), s.given[0]); why != nil || isLookup || slices.Contains(line, "--help") {
		return
	}
	var replaced suggestion
	errors.As(err, &replaced)
	given := slices.Clone(s.given)
	if at := slices.Index(given, replaced.was); replaced.withFlag && at > 0 {
		given = slices.Delete(given, at-1, at+1)
	}
	if without := slices.DeleteFunc(leftOut(given, line), func(w string) bool { return w == replaced.was || strings.Contains(err.Error(), w) }); len(without) > 0 {
		s.logf("this leaves out %s", words.JoinSome(words.Map(without, strconv.Quote), 5))
	}
}

// otherCatalogs returns the catalogs beside the one that was put into a suggested command line which have the same package.
func otherCatalogs(given, line []string) (others []string) {
	isGiven := func(w string) bool {
		return slices.ContainsFunc(given, func(g string) bool { return g == w || strings.HasSuffix(g, "="+w) || strings.HasPrefix(g, w+"/") })
	}
	i := slices.IndexFunc(line, func(w string) bool { return !isGiven(w) && !isListKind(w) && disk.IsFolder(w) })
	if at := slices.IndexFunc(line[i+1:], func(w string) bool { return !isListKind(w) }); i >= 0 && at >= 0 {
		others = words.Map(foldersOf(line[i+1+at]), filepath.Dir)
	}
	return slices.DeleteFunc(others, func(catalog string) bool {
		return catalog == line[i] || strings.HasPrefix(catalog, filepath.Clean(line[i])+string(filepath.Separator))
	})
}

// leftOut returns the words of the given command line, but for its first, that a suggested one has neither as they are, nor corrected, nor as a part.
func leftOut(given, line []string) (left []string) {
	known := fillers()
	for _, cmd := range commands() {
		for s := range cmd.synonyms {
			known = append(known, strings.Fields(s)...)
		}
	}
	var has func(w string) bool
	has = func(w string) bool {
		if several := strings.Split(w, ","); len(several) > 1 {
			return !slices.ContainsFunc(several, func(one string) bool { return !has(one) })
		}
		if _, version, named := graph.SplitName(w); named && strings.Contains(w, ".v") && !strings.Contains(w, "/") { // another version is another bundle
			return slices.ContainsFunc(line, func(l string) bool { return l == version.String() || strings.Contains(l, w) })
		}
		return slices.Contains(known, w) || slices.ContainsFunc(line, func(l string) bool {
			parts := strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune("/=@,", r) })
			_, ok := words.NearestVersioned(w, append(parts, l))
			if ok || strings.Contains(l, strings.Trim(w, "./")) {
				return true
			} // or it is a name, a version or an element of a path in w
			return len(l) > 2 && !slices.Contains(commandNames(), l) && regexp.MustCompile(`(^|[./=@,:v])`+regexp.QuoteMeta(l)+`($|[./=@,:])`).MatchString(w)
		})
	}
	isFormat := func(w string) bool {
		return slices.ContainsFunc(line, func(l string) bool { return l == w || path.Ext(l) == "."+w || strings.HasPrefix(l, w+"=") })
	}
	for i, w := range given {
		flag, value, joined := strings.Cut(strings.TrimLeft(w, "-"), "=")
		if next := i + 1; !joined && next < len(given) && !strings.HasPrefix(given[next], "-") {
			value = given[next]
		}
		isKept := func(part string) bool {
			meant, _, _ := strings.Cut(flagSynonyms()[part], " ")
			return has("--"+part) || meant != "" && has(meant)
		}
		switch {
		case !isFlag(w) && (i == 0 || has(w)):
		case isFlag(w) && (value != "" && has(value) || isFormat(flag) || slices.ContainsFunc(append(strings.Split(flag, "-"), flag), isKept)):
		case !isFlag(w):
			left = append(left, slices.DeleteFunc(strings.Split(w, ","), has)...)
		default:
			left = append(left, w)
		}
	}
	return left
}

// suggestedArgs returns the command line that an error suggests, where args are the given ones; nil if it suggests none.
func suggestedArgs(err error, args []string) []string {
	var s suggestion
	var similar words.Similar
	switch isSuggestion := errors.As(err, &s); {
	case isSuggestion && s.args != nil:
		return s.args
	case !isSuggestion && errors.As(err, &similar):
		s.was, s.now = similar.Name, []string{similar.Meant}
	case !isSuggestion:
		return nil
	}
	return s.replaceArg(args)
}

// commandLine returns a command line of olmgraph, quoted for a shell.
func commandLine(args ...string) string {
	return "olmgraph " + strings.Join(words.Map(args, words.ShellWord), " ")
}

// replaceArg returns the given arguments with now instead of was: the last value of a flag, else the last argument. It is the whole argument,
// or stands after a =, or beside a comma or a slash in it. It returns nil if was is not among them.
func (s *suggestion) replaceArg(args []string) []string {
	word := regexp.MustCompile(`(?:^|[=,/])(` + regexp.QuoteMeta(s.was) + `)(?:$|[,/])`)
	for _, ofFlag := range []bool{true, false} {
		for i, arg := range slices.Backward(args) {
			isOfFlag := strings.HasPrefix(arg, "-") || i > 0 && strings.HasPrefix(args[i-1], "-")
			at := word.FindStringSubmatchIndex(arg)
			if at == nil || isOfFlag != ofFlag {
				continue
			}
			words := slices.Clone(s.now)
			switch {
			case s.withFlag && strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "="+s.was):
				return slices.Replace(slices.Clone(args), i, i+1, words...)
			case s.withFlag && ofFlag && !isFlag(arg):
				return slices.Replace(slices.Clone(args), i-1, i+1, words...)
			}
			if len(words) > 0 {
				words[0] = arg[:at[2]] + words[0]
				words[len(words)-1] += arg[at[3]:]
			}
			return slices.Replace(slices.Clone(args), i, i+1, words...)
		}
	}
	return nil
}

// flagSynonyms are flags that people try, with what they mean.
func flagSynonyms() map[string]string {
	return map[string]string{"strict": "--fail-on warning", "errors-only": "--min-severity error", "only-errors": "--min-severity error", "no-warnings": "--min-severity error", "severity": "--min-severity", "level": "--min-severity", "rule": "--only", "rules": "--only", "explain": "--details", "summary": "--stat", "new-only": "--new", "only-new": "--new",
		"format": "--output", "out": "--output", "outfile": "--output", "out-file": "--output", "output-file": "--output", "output-dir": "--output", "out-dir": "--output", "outdir": "--output", "d": "--output", "dir": "--output", "c": "--channel", "p": "--package", "dry-run": "--diff", "changed": "--base", "diff": "--base", "compare": "--base", "compare-to": "--base", "q": "--min-severity error", "quiet": "--min-severity error", "v": "--details", "verbose": "--details", "cluster": "--snapshot",
		"out-format": "--output", "new-from-rev": "--base", "since": "--base", "ignore": "--skip", "exclude": "--skip", "disable": "--skip", "pkg": "--package", "version": "--from", "source": "--from",
		"target": "--to", "to-version": "--to", "from-version": "--from", "min-version": "--from", "max-version": "--to", "min": "--from", "max": "--to", "openshift": "--ocp", "ocp-version": "--ocp", "no-color": "--color never", "exit-zero": "--fail-on none", "no-fail": "--fail-on none", "skip-tls-verify": "--insecure", "tls-verify": "--insecure"}
}

// noCommand returns the error of a first argument that is neither a command nor a catalog.
func noCommand(ctx context.Context, args []string) error {
	name, rest := args[0], args[1:]
	known := commandNames()
	if _, _, n := findSynonym(args); n < 2 && len(rest) > 0 && (name == "alpha" || slices.Contains(known, rest[0]) && !disk.Exists(rest[0]) && !meansRevision(ctx, rest[0])) { // alpha is of opm
		args = rest
	}
	if slices.Contains(known, args[0]) {
		if line := findCommand(args[0]).arrange(ctx, args); line != nil {
			return suggestCommand(misusef("no command %q; did you mean this?", name), line...)
		}
		args = append([]string{name}, rest[1:]...)
	}
	cmd, meant, n := findSynonym(args)
	if near, ok := words.NearestWord(name, known); ok && n == 0 {
		if line, _ := findCommand(near).arrangeFlags(ctx, rest); line != nil {
			rest = line[1:]
		}
		return suggestCommand(misusef("no command %q; did you mean %s?", name, near), append([]string{near}, rest...)...)
	} else if meant != "" {
		return noSynonym(ctx, cmd, meant, n, name, args)
	}
	if len(rest) == 1 && isReference(rest[0]) && disk.Exists(filepath.Join(rest[0], name)) {
		return suggestCommand(misusef("no command %q: a catalog comes before the package", name), rest[0], name)
	}
	if at := slices.Concat(glob("catalogs", name), glob("catalogs", "*/"+name)); len(at) > 0 && len(foldersOf(name)) == 0 { // of a package with another name
		return suggestCommand(misusef("no command and no catalog %q; there is %s", name, words.JoinSome(at, 5)), append([]string{at[len(at)-1]}, rest...)...)
	}
	if at := foldersOf(name); len(at) > 0 {
		return suggestCommand(misusef("no command and no catalog %q; package %[1]s is in %s", name, words.JoinSome(at, 5)), append([]string{at[len(at)-1]}, rest...)...)
	}
	if slices.ContainsFunc(rest, disk.Exists) && !isReference(name) {
		about, overview := "did you mean this?", overviewCommand()
		found := forFormat(ctx, forWords(ctx, overview, rest), rest)
		if found.name == overview.name {
			about = "for an overview of the catalog:"
		}
		if line, _ := found.arrangeFlags(ctx, rest); line != nil {
			return suggestCommand(misusef("no command %q; %s", name, about), line...)
		}
	}
	if path := forWords(ctx, pathCommand(), rest); slices.ContainsFunc(rest, isVersion) && slices.ContainsFunc(rest, disk.Exists) {
		if line := path.arrange(ctx, rest); line != nil {
			return suggestCommand(misusef("no command %q; did you mean this?", name), line...)
		}
	}
	if line := ofSentence(ctx, pathCommand(), append([]string{name}, rest...)); line != nil {
		return suggestCommand(misusef("no command %q; did you mean this?", name), line...)
	}
	if near, ok := similarFile(name); ok {
		return suggestCommand(misusef("no command and no catalog %q; did you mean %s?", name, near), append([]string{near}, rest...)...)
	}
	return suggestCommand(misusef("no command and no catalog %q%s", name, didYouMean("", known)), "--help")
}

// ofSentence returns the command line that is meant by a question, as in what should I write for PACKAGE VERSION: the command is the first word that is one
// or a synonym, behind the first, or else the one that is given, if there is a version for it; and its arguments are the flags, files, versions and
// packages. It returns nil if there is no command, or no argument.
func ofSentence(ctx context.Context, otherwise command, sentence []string) []string {
	var cmd command
	var typed []string
	for _, w := range sentence[1:] {
		named, synonym, n := findSynonym([]string{w})
		switch {
		case isFlag(w) || disk.Exists(w) || isVersion(w) || otherFolder(w, "") != "":
			typed = append(typed, w)
		case cmd.name != "":
		case slices.Contains(commandNames(), w):
			cmd = findCommand(w)
		case n > 0:
			cmd, typed = named, append(strings.Fields(named.synonyms[synonym]), typed...)
		}
	}
	switch isOther := func(w string) bool { return !openShiftVersion.MatchString(w) }; {
	case len(typed) == 0 || cmd.name == "" && (otherwise.name == "" || len(typed) == 1 && !bundleName.MatchString(typed[0]) || !slices.ContainsFunc(typed, func(w string) bool { return isVersion(w) && isOther(w) })):
		return nil
	case cmd.name == "":
		cmd = otherwise
	case !slices.ContainsFunc(typed, isOther): // of OpenShift
		cmd = planCommand()
	}
	return cmd.arrange(ctx, typed)
}

// noSynonym returns the error of a command for which a synonym was typed: the first n of the arguments, or what is like the first one if n is 0. name is
// what stood before them, or the first one.
func noSynonym(ctx context.Context, cmd command, synonym string, n int, name string, args []string) error {
	rest := splitPaths(args[max(n, 1):])
	if synonym == "imageset" && !slices.ContainsFunc(rest, isImageSet) && len(rest) > 0 { // one is to be written
		cmd, synonym = pathCommand(), "imageset create"
	}
	if isOther := func(w string) bool { return isVersion(w) && !openShiftVersion.MatchString(w) && !disk.Exists(w) }; synonym == "changes" && slices.ContainsFunc(rest, isOther) {
		cmd, synonym = pathCommand(), "changelog" // of two versions
	}
	typed := rest
	if !slices.ContainsFunc(rest, isPictureFile) {
		typed = withOutput(strings.Fields(cmd.synonyms[synonym]), rest)
	}
	typed = ofOneVersion(synonym, typed)
	if at := slices.IndexFunc(rest, func(w string) bool { return w == "-o" || w == "--output" }); synonym == "baseline" && at >= 0 && at+1 < len(rest) { // the file
		typed = append([]string{"--write-baseline", "--baseline", rest[at+1]}, slices.Delete(slices.Clone(rest), at, at+2)...)
	}
	other, because := cmd, cmd.why(synonym)
	if because == opmMakes && slices.ContainsFunc(rest, isTemplate) {
		cmd, other, because = templateCommand(), templateCommand(), ""
	}
	if because != onePath {
		other = forFormat(ctx, forWords(ctx, cmd, typed), typed)
	}
	if other.name != cmd.name { // which does not have the flags of a synonym
		typed = rest
	}
	line, _ := other.arrangeFlags(ctx, typed)
	if line == nil {
		line = ofSentence(ctx, command{}, args)
	}
	if line == nil && cmd.name == crdsName { // path shows them of two versions
		line = pathCommand().arrange(ctx, crdChanges(rest))
	} else if line == nil {
		line, _ = other.arrangeFlags(ctx, slices.DeleteFunc(slices.Clone(typed), isVersion))
	}
	if line == nil || because == opmMakes && !slices.ContainsFunc(rest, isVersion) {
		line = []string{cmd.name, "--help"}
	}
	if synonym == "why" {
		line = subscribedOnCluster(ctx, rest, line)
	}
	if n > 0 {
		name = strings.TrimPrefix(name+" ", args[0]+" ") + strings.Join(args[:n], " ")
	}
	switch {
	case because != "":
		return suggestCommand(misusef("no command %q: %s", name, because), line...)
	case line[len(line)-1] == "--help":
		return suggestCommand(misusef("no command %q; did you mean %s?", name, cmd.name), line...)
	}
	return suggestCommand(misusef("no command %q; did you mean this?", name), line...)
}

// subscribedOnCluster returns the command line for cluster.yaml if it has a Subscription of the only package that was typed, of its namespace if there is
// one, or else another one.
func subscribedOnCluster(ctx context.Context, typed, otherwise []string) []string {
	var namespaces []string
	typed = slices.DeleteFunc(slices.Clone(typed), func(w string) bool { return slices.Contains(fillers(), w) })
	for _, s := range (&arranger{ctx: ctx}).snapshots() {
		for namespace, subs := range s.Subscriptions {
			if len(typed) == 1 && slices.ContainsFunc(subs, func(sub snapshot.Subscription) bool { return sub.Spec.Package == typed[0] }) {
				namespaces = append(namespaces, namespace)
			}
		}
	}
	line := []string{clusterCommand().name, "--snapshot", "cluster.yaml"}
	switch len(namespaces) {
	case 0:
		return otherwise
	case 1:
		return append(line, "-n", namespaces[0])
	}
	return line
}

// ofOneVersion returns what was typed for the images of one version as path has it: from that version to itself.
func ofOneVersion(synonym string, typed []string) []string {
	var versions []int // that are no values of flags
	for i, w := range typed {
		if isVersion(w) && !disk.Exists(w) && (i == 0 || !isFlag(typed[i-1]) || typed[i-1] == "--images") {
			versions = append(versions, i)
		}
	}
	if synonym != "images" || len(versions) != 1 || isHead(typed[versions[0]]) {
		return typed
	}
	return slices.Insert(slices.Clone(typed), versions[0], typed[versions[0]])
}

// splitPaths returns words with both paths of each A..B.
func splitPaths(typed []string) (all []string) {
	for _, w := range typed {
		if a, b, ok := strings.Cut(w, ".."); ok && a != "" && disk.Exists(a) && disk.Exists(b) {
			all = append(all, a, b)
		} else {
			all = append(all, w)
		}
	}
	return all
}

// withOutput returns the flags of a synonym and the words after it, which may name the file for its format.
func withOutput(flags, rest []string) []string {
	at := slices.Index(rest, "-o") + 1
	if len(flags) != 2 || flags[0] != "-o" || at == 0 || at == len(rest) || path.Ext(rest[at]) == "" || strings.Contains(rest[at], "=") {
		return append(flags, rest...)
	}
	rest = slices.Clone(rest)
	rest[at] = flags[1] + "=" + rest[at]
	return rest
}

const noSizes = "how many bytes images have is not known without a network; mirror counts the images"

const onePath = "mirror reads an image set; path --imageset writes one for an upgrade or a version"

const opmMakes = "opm makes catalogs; release says what to write in one"

// why says what there is for a synonym that no command does; "" if the command does it.
func (cmd command) why(synonym string) string {
	deprecated := "olm.deprecations in the catalog says it, and list has it in the column NOTE"
	return cmp.Or(map[string]string{
		"approve": "olmgraph changes no cluster; cluster says what waits for approval, and what comes before it",
		"init":    "olmgraph makes no package; olmgraph config init writes the settings of a repository",
		"fmt":     "no files are formatted; lint --fix writes the fixes that are unambiguous",
		"size":    noSizes,
		"blame":   "history judges the merged changes of a catalog; git blame says who wrote a line",
		"stuck":   "lint checks for users that no upgrade reaches, and list counts them as STUCK",
		"shrink":  cutCatalog, "deprecate": deprecated, "deprecations": deprecated,
		"lifecycle":  andListed,
		"add bundle": opmMakes, "index add": opmMakes, "index": opmMakes, "convert": opmMakes, "generate": opmMakes, "create": opmMakes,
	}[synonym], whyFlag(cmd.name+" "+cmd.synonyms[synonym]))
}

const cutCatalog = "an image set names what is left of a catalog, and mirror writes that"

// whyFlag says what a suggested flag of a command does, where it is not all that was asked; "" if it is.
func whyFlag(flag string) string {
	return map[string]string{"mirror -o catalog": cutCatalog, "path --images": "path --images lists those of an upgrade or a version", "path --imageset": onePath}[flag]
}

// findSynonym returns the command for the first words, which other tools or people call it by, with the synonym and the number of words that are exactly it:
// 0 if it is only similar; "" if there is none.
func findSynonym(args []string) (cmd command, synonym string, n int) {
	known := map[string]command{}
	for _, cmd := range commands() {
		for synonym := range cmd.synonyms {
			known[synonym] = cmd
		}
	}
	for n := min(len(args), 3); n > 0; n-- {
		if name := strings.Join(args[:n], " "); known[name].name != "" {
			return known[name], name, n
		}
	}
	if len(args[0]) > 4 {
		synonym, _ = words.NearestWord(args[0], slices.Sorted(maps.Keys(known)))
	}
	if synonym == "" {
		synonym = partOf(args[0], func(part string) bool { return known[part].name != "" })
	}
	return known[synonym], synonym, 0
}

// partOf returns the first part of a word of several, between hyphens, that is known; "" if there is none.
func partOf(word string, isKnown func(string) bool) string {
	parts := strings.Split(word, "-")
	if i := slices.IndexFunc(parts, isKnown); i >= 0 && len(parts) > 1 {
		return parts[i]
	}
	return ""
}

// forWords returns the command that is meant if one is given what another one takes: an image set, a patch, or, instead of a catalog, the objects of a
// cluster.
func forWords(ctx context.Context, cmd command, typed []string) command {
	isRange := func(w string) bool {
		_, _, ok := cutRange(ctx, w)
		return ok && !disk.Exists(w)
	}
	isCatalog := func(w string) bool { return isReference(w) && !isSnapshot(w) }
	isBundle := func(w string) bool { return disk.IsFolder(filepath.Join(w, "manifests")) }
	ofOpenShift := func(w string) bool {
		return openShiftVersion.MatchString(strings.TrimPrefix(w, "v")) && !disk.Exists(w)
	}
	ofPackage := func(w string) bool { return !isFlag(w) && !ofOpenShift(w) && !isReference(w) }
	takesSnapshot := flagNamed(cmd.forCLI().Flags, "snapshot") != nil
	folders := 0 // that are no values of flags
	for i, w := range typed {
		if disk.IsFolder(w) && filepath.Base(w) != w && (i == 0 || !isFlag(typed[i-1]) || !takesValue(cmd.forCLI(), typed[i-1])) {
			folders++
		}
	}
	switch {
	case cmd.name == overviewName && slices.ContainsFunc(typed, func(w string) bool { return isVersion(w) && !ofOpenShift(w) && !disk.Exists(w) }):
		cmd = pathCommand() // of a bundle
	case strings.Contains(cmd.args, " FROM ") && slices.Contains(typed, "--to") && slices.ContainsFunc(typed, func(w string) bool { name, ref := cutName(w); return name != "" && disk.Exists(ref) }):
		cmd = planCommand() // the catalog of a CatalogSource
	case strings.Contains(cmd.args, " FROM ") && slices.Contains(typed, "--snapshot") && !slices.ContainsFunc(typed, isVersion):
		cmd = clusterCommand()
	case slices.ContainsFunc(typed, isImageSet) && !strings.Contains(cmd.args, "IMAGESET") && !slices.Contains(typed, "--imageset"):
		cmd = mirrorCommand()
	case cmd.name == releaseName && slices.ContainsFunc(typed, isBundle):
	case (strings.HasPrefix(cmd.args, "[flags] CATALOG [") || cmd.name == overviewName) && folders == 2:
		cmd = diffCommand() // of two catalogs
	case slices.ContainsFunc(typed, isPatch), !cmd.takes.base && slices.ContainsFunc(typed, isRange):
		cmd = diffCommand()
	case strings.Contains(cmd.args, " FROM ") && slices.ContainsFunc(typed, ofOpenShift) && !slices.ContainsFunc(typed, ofPackage):
		cmd = planCommand()
	case !slices.ContainsFunc(typed, isSnapshot), strings.Contains(cmd.args, "IMAGESET"), cmd.name == readinessName, slices.Contains(typed, "--snapshot") && takesSnapshot, strings.Contains(cmd.args, "--snapshot"):
	case slices.ContainsFunc(typed, openShiftVersion.MatchString), slices.Contains(typed, "--to") && !slices.ContainsFunc(typed, isCatalog):
		cmd = planCommand()
	case !slices.ContainsFunc(typed, isCatalog), !takesSnapshot:
		cmd = clusterCommand()
	}
	return cmd
}

// forFormat returns the command that has the formats and flags which were typed, if one that answers for a whole catalog has not: lint for a report, render
// for a picture.
func forFormat(ctx context.Context, cmd command, typed []string) command {
	lint, render := lintCommand(), renderCommand()
	if cmd.name != overviewName && cmd.name != lint.name {
		return cmd
	}
	if len(typed) > 0 && typed[0] == cmd.name {
		typed = typed[1:]
	}
	isFormat := func(word string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		return isFlag(word) && (takesFormat(name) || name == "format" || render.formats.isFormat(name))
	}
	for _, other := range []command{cmd, lint, render} {
		if (cmd.name == overviewName || other.name == cmd.name || slices.ContainsFunc(typed, isFormat)) && other.arrange(ctx, typed) != nil {
			return other
		}
	}
	return cmd
}

// instead returns the command line that is meant with references that are no catalogs; nil if there is none.
func (cmd command) instead(ctx context.Context, given []string) []string {
	a := &arranger{cmd: &cmd}
	other := forWords(ctx, cmd, given)
	if other.name == cmd.name && !(cmd.name == readinessName && slices.ContainsFunc(given, isSnapshot)) && !slices.ContainsFunc(given, func(w string) bool { return !slices.Equal(a.meantBy(w), []string{w}) }) {
		return nil
	}
	if len(given) > 0 && given[0] == cmd.name {
		given = given[1:]
	}
	line, _ := other.arrangeFlags(ctx, given)
	return line
}

// openShiftVersion matches a version of OpenShift 4.
var openShiftVersion = regexp.MustCompile(`^4\.\d+$`)

// similarFile returns the path of a file or folder that is like one that does not exist, or of v4.18 the only one of that name in a folder beside it.
func similarFile(name string) (string, bool) {
	folder, base := filepath.Split(filepath.Clean(strings.TrimRight(name, `/\`)))
	entries, err := disk.Folder(filepath.Clean(folder)).ReadDir(".")
	if err != nil {
		return "", false
	}
	names := words.Map(entries, fs.DirEntry.Name)
	near, ok := words.NearestVersioned(base, names)
	digits := strings.NewReplacer("O", "0", "o", "0", "l", "1")
	if at := slices.IndexFunc(names, func(n string) bool { return n != base && (stem(n) == stem(base) || n == digits.Replace(base)) }); at >= 0 {
		near, ok = names[at], true
	}
	if alike := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return path.Ext(n) == "" || path.Ext(n) != path.Ext(base) }); !ok && len(alike) == 1 && folder != "" {
		near, ok = alike[0], true // the only file of its kind
	}
	if version, isVersion := catalogVersion(name); !ok && isVersion {
		below := slices.DeleteFunc(slices.Concat(glob(".", "*/"+version), glob(".", "*/v"+version)), func(at string) bool { return strings.HasPrefix(at, ".") })
		near, ok = strings.Join(below, ""), len(below) == 1
	}
	return asPath(filepath.Join(folder, near)), ok
}

// catalogVersion returns the version of OpenShift that a word names a catalog after, as 4.18 or v4.18.
func catalogVersion(word string) (string, bool) {
	version := strings.TrimPrefix(word, "v")
	return version, openShiftVersion.MatchString(version)
}

// asPath returns the name of a file that is taken for no flag.
func asPath(name string) string {
	if isFlag(name) {
		return "./" + name
	}
	return name
}

// stem returns the name of a file without its ending, unless that is part of a version, as in v4.18.
func stem(name string) string {
	if ext := path.Ext(name); strings.Trim(ext, ".0123456789") != "" {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// noSuchCatalog adds to the error of a reference that does not exist the command with a later argument that does, as in path PACKAGE CATALOG, or
// with a file of a similar name.
func (o *opener) noSuchCatalog(ctx context.Context, ref string, err error) error {
	if _, missing := disk.Lstat(ref); !errors.Is(missing, os.ErrNotExist) || !open.IsPath(ref) {
		return err
	}
	if said := foreignReference(ref, err); said != nil {
		return said
	}
	if o.command.takes.base && len(o.args) == 3 && o.args[0] == ref && disk.Exists(o.args[1]) && disk.Exists(o.args[2]) {
		line := slices.DeleteFunc(slices.Clone(o.given), func(w string) bool { return w == ref })
		return suggestCommand(fmt.Errorf("%w: the package comes last", err), append(line, ref)...)
	}
	if o.command.takes.base && o.args[0] != ref {
		line := o.command.arrange(ctx, o.given)
		if line != nil && !slices.ContainsFunc(line, placeholder.MatchString) && !slices.Equal(line, o.given) {
			return suggestCommand(fmt.Errorf("%w; did you mean this?", err), line...)
		}
	}
	if o.command.takes.base && len(o.args) > 1 && isVersion(o.args[1]) {
		return suggestCommand(fmt.Errorf("%w: diff compares two catalogs", err), o.insteadOfDiff(ctx, o.args)...)
	}
	if line := slices.Clone(o.given); atRevisions(ctx, line) {
		return suggestCommand(fmt.Errorf("%w: git:REVISION:PATH is a path at a git revision", err), line...)
	}
	if near, ok := similarFile(ref); ok && !isPictureFile(near) {
		return suggestInstead(fmt.Errorf("%w; did you mean %s?", err, near), ref, near)
	}
	if meantAsRevision.MatchString(ref) && mayBeRevision(ref) && !gittree.IsRevision(ctx, ".", ref, gittree.Options{}) {
		return fmt.Errorf("%w, and no revision of this clone", err)
	}
	if others := otherVersions(ref); others != "" {
		return fmt.Errorf("%w%s", err, others)
	}
	if meansRevision(ctx, ref) {
		return suggestInstead(fmt.Errorf("%w: it is a git revision", err), ref, "git:"+ref+":")
	}
	if found, _ := fs.Glob(disk.Folder("."), filepath.ToSlash(filepath.Clean(ref))); len(found) > 0 {
		return suggestInstead(fmt.Errorf("%w: without the quotes, the shell finds what it matches", err), ref, words.Map(found, asPath)...)
	}
	switch isWord := !strings.ContainsAny(ref, `/\`); {
	case o.command.takes.catalog && isWord && o.args[0] == ref:
		if line := o.command.arrange(ctx, o.given); line != nil && !slices.Equal(line, o.given) {
			return suggestCommand(fmt.Errorf("%w: the catalog comes first", err), line...)
		}
	case o.command.takes.named && len(o.args) > 1 && o.args[0] != ref && isWord:
		return suggestInstead(fmt.Errorf("%w; did you mean a package?", err), ref, "--package", ref)
	}
	if folders := foldersOf(ref); len(folders) > 0 {
		a := &arranger{ctx: ctx, cmd: o.command, typed: o.given}
		return suggestInstead(fmt.Errorf("%w; package %s is in %s", err, ref, words.JoinSome(folders, 5)), ref, a.newestWithVersions(folders))
	}
	return err
}

var olmSchema = regexp.MustCompile(`"?schema"?: *"?olm\.(package|channel|bundle|template)`)

// noFlag returns the error of a flag that a command does not have.
func noFlag(ctx context.Context, given []string, command *cli.Command, name string) error {
	typed, reason := "--"+name, didYouMean("--"+name, visibleFlags(command))
	for _, arg := range given {
		if was, _, _ := strings.Cut(arg, "="); isFlag(arg) && strings.TrimLeft(was, "-") == name {
			typed = was
		}
	}
	cmd := forFormat(ctx, findCommand(command.Name), given)
	line, foreign := cmd.arrangeFlags(ctx, given)
	if cmd.name != command.Name {
		reason = "; " + cmd.name + " has it"
	} else if cmd.name == configName { // init would write what the flag may forbid
		line, reason = nil, ": init writes a new .olmgraph.yaml, and nothing else"
	}
	for _, f := range foreign {
		switch {
		case f.typed != typed:
		case !f.isDropped():
			reason = f.reason
		default:
			if other := ofOther(ctx, cmd, given, f.typed); other != nil {
				line, reason = other, "; did you mean this?"
				if has := findCommand(other[0]); flagNamed(has.forCLI().Flags, name) != nil {
					reason = cmp.Or(words.Prefix(": ", whyFlag(other[0]+" --"+name)), "; "+other[0]+" has it")
				}
			} else if line != nil && !cmd.takes.pulls {
				reason = "; without it:"
			} else {
				line = nil
			}
		}
	}
	other, synonym, n := findSynonym(given)
	if n > 1 { // of another command, as in oc-mirror list
		line, _ = other.arrangeFlags(ctx, append(strings.Fields(other.synonyms[synonym]), given[n:]...))
		reason = words.Prefix(": ", other.why(synonym))
	} else if name == rulesName && (line == nil || slices.Contains(line, "ONLY")) {
		line, reason = []string{rulesName}, ""
	} else if i := slices.IndexFunc(given[1:], func(w string) bool { _, err := askedRules([]string{w}); return !isFlag(w) && err == nil }); i >= 0 && command.Name == rulesName {
		line, reason = []string{"explain", given[1+i]}, ": explain takes a rule or a family of rules"
	} else if line == nil {
		line = []string{cmd.name, "--help"}
	}
	return suggestCommand(misusef("no flag %s%s", typed, reason), line...)
}

// ofOther returns the command line of the command that has a flag which cmd does not have, or that is called as the flag is, as in list --versions; nil if
// there is none for all that was typed.
func ofOther(ctx context.Context, cmd command, given []string, flag string) []string {
	name := strings.TrimLeft(flag, "-")
	typed := slices.Clone(given)
	if given[0] == cmd.name {
		typed = typed[1:]
	}
	if base := slices.IndexFunc(typed, isReference); strings.Contains(cmd.args, "BASE") && base >= 0 { // others have a flag for it
		typed = slices.Insert(typed, base, "--base")
	}
	if cmd.name == crdsName { // path shows CRDs so
		typed = crdChanges(typed)
	}
	rest := slices.DeleteFunc(slices.Clone(typed), func(w string) bool { return w == flag })
	complete := func(line []string) bool {
		return line != nil && len(leftOut(append([]string{line[0]}, rest...), line)) == 0
	}
	asked, synonym, n := findSynonym([]string{cmd.name, name}) // as mirror --generate
	if n < 2 {
		asked, synonym, n = findSynonym([]string{name})
	}
	if n > 0 && asked.answer == nil { // as lint --list-rules
		return []string{asked.name}
	} else if n > 0 && asked.why(synonym) == "" {
		if line := asked.arrange(ctx, append(strings.Fields(asked.synonyms[synonym]), rest...)); complete(line) {
			return line
		}
	}
	if other := forWords(ctx, cmd, given); other.name != cmd.name {
		if line := other.arrange(ctx, rest); complete(line) {
			return line
		}
	}
	ofCluster := func(c command) bool { return strings.Contains(c.args, "--snapshot") }
	alike := slices.DeleteFunc(commands(), func(c command) bool { return ofCluster(c) != ofCluster(cmd) })
	for _, other := range append(alike, commands()...) {
		if has := flagNamed(other.forCLI().Flags, name); has == nil || other.answer == nil {
			continue
		}
		if line := other.arrange(ctx, typed); complete(line) {
			return line
		}
	}
	return nil
}
