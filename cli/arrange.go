package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/mirror/imageset"
)

// arranger puts the words that somebody typed for a command where the command takes them, in two steps: split says of each word what it is, wherever it
// stands, and of each flag what it means; place fills the usage of the command with the words of the kinds that it names, and with placeholders. It corrects
// no names: the session tries the line, and follows what that suggests (see tried).
type arranger struct {
	ctx     context.Context
	cmd     *command
	cli     *cli.Command
	typed   []string
	before  []string // flags that stood before the first argument
	after   []string
	words   []argument
	ref     string          // the first catalog
	channel string          // of a flag, where the command takes PACKAGE/CHANNEL
	has     map[string]bool // flags of the command
	alone   bool            // the base is a revision, so that no catalog need follow
	named   bool            // the name of the command was typed
	piped   bool            // standard input has a file, and no word stands for it
	empty   bool            // nothing was typed
	foreign []foreignFlag
}

// foreignFlag is a flag that the command does not have, and how its error goes on: "" if nothing is known that it may mean.
type foreignFlag struct{ typed, reason string }

func (f foreignFlag) isDropped() bool { return f.reason == "" }

// arrange returns the command line of a command for the words that somebody typed for it, behind its name or without it, with placeholders
// for what is missing; nil if a word has no place in it, or a flag is not known.
func (cmd command) arrange(ctx context.Context, typed []string) []string {
	line, foreign := cmd.arrangeFlags(ctx, typed)
	if slices.ContainsFunc(foreign, foreignFlag.isDropped) {
		return nil
	}
	return line
}

// arrangeOrHelp is arrange, but for nil the command of the help.
func (cmd command) arrangeOrHelp(ctx context.Context, typed []string) []string {
	if line := cmd.arrange(ctx, typed); line != nil {
		return line
	}
	return []string{cmd.name, "--help"}
}

// arrangeFlags is arrange, but drops the flags that are not known. It returns those that the command does not have.
func (cmd command) arrangeFlags(ctx context.Context, typed []string) ([]string, []foreignFlag) {
	named := len(typed) > 0 && typed[0] == cmd.name
	if named {
		typed = typed[1:]
	}
	if len(typed) > 1 && cmd.answer != nil && slices.Contains(commandNames(), typed[0]) && !disk.Exists(typed[0]) {
		other := findCommand(typed[0])
		one, foreign := cmd.arrangeFlags(ctx, typed[1:])
		another := other.arrange(ctx, typed[1:])
		if another == nil || one != nil && len(leftOut(typed, one)) <= len(leftOut(typed, another)) {
			return one, foreign
		}
		return another, nil
	}
	if slices.ContainsFunc(typed, func(w string) bool { return w == "--help" || w == "-h" }) {
		return []string{cmd.name, "--help"}, nil
	}
	a := &arranger{ctx: ctx, cmd: &cmd, cli: cmd.forCLI(), typed: typed, has: map[string]bool{}, named: named, piped: isPiped(ctx) && !slices.Contains(typed, "-")}
	switch {
	case cmd.takes.nothing || cmd.args == "[-o FORMAT]":
		isFormat := func(w string) bool { return slices.Contains(commandFormats(a.cli), strings.TrimLeft(w, "-")) }
		if i := slices.IndexFunc(typed, isFormat); i >= 0 { // as json or --json
			return []string{cmd.name, "-o", strings.TrimLeft(typed[i], "-")}, nil
		}
		return []string{cmd.name}, nil
	case !slices.ContainsFunc([]string{"CATALOG", "REF", "TEMPLATE", "PATH"}, a.slot):
		return append([]string{cmd.name}, typed[:min(len(typed), 1)]...), nil
	}
	a.split()
	a.empty = len(a.words) == 0
	if pkg := a.first(nameWord); a.slot("IMAGESET") && !a.has["output"] && !slices.ContainsFunc(typed, isImageSet) && pkg != "" && len(foldersOf(pkg)) > 0 { // one is to be written
		typed = slices.DeleteFunc(slices.Clone(typed), func(w string) bool { return len(glob(w, "v4.*")) > 0 }) // of several versions
		line, _ := pathCommand().arrangeFlags(ctx, append([]string{"--imageset"}, typed...))
		return line, a.foreign
	}
	line := a.place()
	if len(a.words) > 0 {
		return nil, a.foreign
	}
	return line, a.foreign
}

// split sorts what was typed into flags and arguments.
func (a *arranger) split() {
	for i := 0; i < len(a.typed); i++ {
		word := a.typed[i]
		if word == "--" || word == "" {
			continue
		} else if !isFlag(word) {
			a.addWord(word)
			continue
		}
		f := typedFlag{}
		f.name, f.value, f.joined = strings.Cut(strings.TrimLeft(word, "-"), "=")
		f.typed = strings.TrimSuffix(word, "="+f.value)
		if !f.joined && i+1 < len(a.typed) && !isFlag(a.typed[i+1]) {
			f.value = a.typed[i+1]
		}
		if used := a.addFlag(f); used && !f.joined && f.value != "" {
			i++
		}
	}
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") && word != "-" }

// addWord adds an argument, or several for the folder of a bundle that is to be released. A picture that does not exist yet is an output.
func (a *arranger) addWord(word string) {
	if one := []string{word}; atRevisions(a.ctx, one) {
		word = one[0]
	}
	switch name, version, isBundle := a.releasedBundle(word); {
	case slices.Contains(fillers(), word) && !(a.slot("packages|channels|bundles") && isListKind(word)) && !disk.Exists(word) && a.cmd.answer != nil:
	case a.isNewPicture(word):
		a.after = append(a.after, "-o", word)
	case isBundle:
		a.words = append(a.words, argument{name, nameWord}, argument{version, versionWord})
	case ocMirrorOutput.MatchString(word) && a.slot("IMAGESET"), word == "-" && len(a.words) > 0 && a.slot("FROM"): // as in 1.0.0 -> 1.2.0, of which the shell takes the rest
	default:
		for _, word := range a.meantBy(word) {
			kind := a.kind(word)
			if kind == listWord {
				if word, _ = listKind(word); slices.ContainsFunc(a.typed, func(w string) bool { return strings.HasPrefix(w, "--channel") }) {
					word = "bundles" // as oc-mirror lists the versions of a channel
				}
			}
			a.words = append(a.words, argument{word, kind})
			if kind == catalogWord {
				a.ref = cmp.Or(a.ref, word)
			}
		}
	}
}

// slot reports whether the usage of the command has a word.
func (a *arranger) slot(name string) bool { return strings.Contains(a.cmd.args, name) }

// keep adds words of a flag that the command has.
func (a *arranger) keep(typed ...string) {
	name, _, _ := strings.Cut(strings.TrimLeft(longName(a.cli, typed[0]), "-"), "=")
	a.has[name] = true
	if len(a.words) == 0 {
		a.before = append(a.before, typed...)
	} else {
		a.after = append(a.after, typed...)
	}
}

// typedFlag is a flag as it was typed, with its name, and with what is behind a = in it, or else the next word, which may be its value.
type typedFlag struct {
	typed, name, value string
	joined             bool // by a =
}

// addFlag adds a flag, or notes one that the command does not have, and returns whether its value is used.
func (a *arranger) addFlag(f typedFlag) (used bool) {
	if flagNamed(a.cli.Flags, f.name) != nil {
		return a.addOwnFlag(f)
	}
	if f.name == "channels" && a.slot("packages|channels|bundles") && (f.value == "" || isReference(f.value) || len(foldersOf(f.value)) > 0) { // its value is an argument as well
		a.replaceFlag(f, ": what is listed is an argument")
		a.words = append(a.words, argument{f.name, listWord})
		return false
	}
	known := append(slices.Sorted(maps.Keys(flagSynonyms())), "package", "channel")
	_, isOwn := words.Nearest("--"+f.name, visibleFlags(a.cli))
	if near, ok := words.Nearest(f.name, known); ok && !isOwn && len(f.name) > 3 {
		f.name = near
	}
	meant := a.synonym(f.name)
	if meant == "--catalog" && a.slot("CATALOG") { // which is for templates
		meant = ""
	}
	switch {
	case f.value != "" && a.addArgument(f):
		return true
	case a.cmd.needless[f.name] != "":
		if a.cmd.needless[f.name] == noteSays {
			a.listBundles()
		}
		a.replaceFlag(f, ": "+a.cmd.needless[f.name])
		return !isReference(f.value) || f.name == "kubeconfig"
	case meant == "" && !a.slot("VERSION") && !a.slot("IMAGESET") && !a.cmd.takes.pulls && slices.Contains([]string{"all", "A", "all-packages", "all-channels", "recursive", "R"}, f.name):
		a.replaceFlag(f, ": the answer is of all")
		return false
	case meant == "" && slices.Contains([]string{"q", "quiet", "s", "silent"}, f.name):
		a.replaceFlag(f, ": the exit status says it")
		return false
	case meant == "":
		a.foreign = append(a.foreign, foreignFlag{typed: f.typed})
		return !disk.Exists(f.value)
	}
	return a.addSynonym(f, meant)
}

// listBundles lets list list bundles, unless something else was typed.
func (a *arranger) listBundles() {
	if a.slot("packages|channels|bundles") && !slices.ContainsFunc(a.typed, isListKind) {
		a.words = append(a.words, argument{"bundles", listWord})
	}
}

// replaceFlag notes a flag that the command does not have, with the reason, and keeps other words for it.
func (a *arranger) replaceFlag(f typedFlag, reason string, now ...string) {
	a.foreign = append(a.foreign, foreignFlag{f.typed, reason})
	if len(now) > 0 {
		a.keep(now...)
	}
}

// addArgument adds the value of a flag that the command does not have, and takes as an argument. It returns whether that is so.
func (a *arranger) addArgument(f typedFlag) bool {
	isChannel := slices.Contains([]string{"channel", "c"}, f.name) && a.slot("PACKAGE") && !disk.Exists(f.value)
	switch {
	case f.name == "template" && isTemplate(f.value) && a.slot("CATALOG"):
		a.replaceFlag(f, ": a template is given as the catalog")
		a.take(true, catalogWord)
		a.addWord(f.value)
	case a.slot("BASE") && (f.name == "from" || f.name == "base" || flagSynonyms()[f.name] == "--base"):
		a.replaceFlag(f, ": the base is the first argument")
		a.words = slices.Insert(a.words, 0, argument{f.value, catalogWord})
	case f.name == "to" && a.slot("CATALOG") && (a.slot("BASE") || disk.Exists(f.value)):
		a.replaceFlag(f, ": a catalog is an argument")
		a.addWord(f.value)
	case (f.name == "to" || f.name == "version") && a.slot("VERSION") && !a.slot("--to") && !a.slot("@VERSION"):
		a.replaceFlag(f, ": the version is the last argument")
		a.words = append(a.words, argument{f.value, versionWord})
	case slices.Contains([]string{"packages", "package", "pkg", "p"}, f.name) && a.slot("IMAGESET") && !slices.ContainsFunc(a.typed, isImageSet):
		a.replaceFlag(f, ": "+onePath)
		for pkg := range strings.SplitSeq(f.value, ",") {
			a.words = append(a.words, argument{pkg, nameWord})
		}
	case slices.Contains([]string{"package", "pkg", "p"}, f.name) && a.slot("PACKAGE"), f.name == "n" && a.cmd.name == listName && len(foldersOf(f.value))+len(glob("catalogs", "*/"+f.value)) > 0:
		a.replaceFlag(f, ": the package follows the catalog")
		a.words = append(a.words, argument{f.value, nameWord})
	case isChannel && a.cmd.takes.channel == "/":
		a.replaceFlag(f, ": a channel is given as PACKAGE/CHANNEL")
		a.channel = f.value
	case isChannel && a.cmd.takes.channel == "":
		a.replaceFlag(f, ": the answer is of all channels")
		a.listBundles()
	case (isFileFlag(f.name) || f.name == "t" || f.name == "type") && (slices.Contains(commandFormats(a.cli), f.value) || a.isNewPicture(f.value)):
		a.replaceFlag(f, "; did you mean --output?", "--output", f.value)
	case isFileFlag(f.name) && (f.name != "c" || isReference(f.value)) && (a.kind(f.value) != imageSetWord || a.slot("IMAGESET")):
		reason := ": files are arguments"
		if kind := a.kind(f.value); kind == snapshotWord || kind == stdinWord && !a.slot("CATALOG") {
			reason = "; did you mean --snapshot?"
		} else if meant := a.meantBy(f.value); len(meant) == 0 { // as lifecycles.yaml and config.yaml
			reason = ": olmgraph reads this file as a part of the catalog or repository"
		} else if kind == catalogWord {
			reason = ": a catalog is an argument, and comes first"
			if a.slot("IMAGESET") {
				reason = ": a catalog is an argument, after the image set"
			}
		}
		a.replaceFlag(f, reason)
		a.addWord(f.value)
	default:
		return false
	}
	return true
}

// addSynonym adds the flag that is meant by one, which may have its value.
func (a *arranger) addSynonym(f typedFlag, meant string) (used bool) {
	reason := "; did you mean " + meant + "?"
	flag, value, fixed := strings.Cut(meant, " ")
	if flag == "--output" && (strings.HasSuffix(f.name, "dir") || f.name == "d") && f.value != "" {
		f.value = strings.TrimRight(f.value, "/") + "/"
	}
	switch isFile := path.Ext(f.value) != "" || strings.HasSuffix(f.value, "/"); {
	case flag == "--output" && isFile && a.has["output"]: // the other one is its format
		a.replaceFlag(f, reason)
		for _, flags := range [][]string{a.before, a.after} {
			if at := slices.IndexFunc(flags, func(w string) bool { return isFlag(w) && takesFormat(strings.TrimLeft(w, "-")) }); at >= 0 && at+1 < len(flags) {
				if strings.HasSuffix(f.value, "/") && flags[at+1] != "svg" {
					f.value = flags[at+1] + "=" + f.value
				}
				flags[at+1] = f.value
			}
		}
		return true
	case flag == "--output" && slices.ContainsFunc(a.typed, func(w string) bool { return isFlag(w) && takesFormat(strings.TrimLeft(w, "-")) }): // its name says the format
		a.replaceFlag(f, reason)
		return f.value != ""
	case flag == "-o" && f.value != "" && (f.joined || isFile && !disk.Exists(f.value)):
		if value != "html" || !strings.HasSuffix(f.value, "/") { // the page is one file
			value += "=" + f.value
		}
		a.replaceFlag(f, reason, flag, value)
		return true
	case fixed || !takesValue(a.cli, flag):
		a.replaceFlag(f, reason, strings.Fields(meant)...)
		return false
	case !f.joined && flag == "--base" && a.kind(f.value) == catalogWord && a.lacksCatalog(f.value):
		f.value = ""
	case !f.joined && slices.Contains([]string{"--only", "--skip", "--min-severity"}, flag) && disk.Exists(f.value): // an argument, as behind --skip-deprecated
		f.value = ""
	}
	a.replaceFlag(f, reason, flag, cmp.Or(f.value, a.valueOf(flag)))
	return f.value != ""
}

// valueOf returns what a flag has without a value that was typed: for a base that of the repository, else a placeholder.
func (a *arranger) valueOf(flag string) string {
	if base, ok := repositoryBase(a.ctx); ok && flag == "--base" {
		return base
	}
	return strings.ToUpper(flag[2:])
}

// lacksCatalog reports whether no other word that was typed is a catalog.
func (a *arranger) lacksCatalog(word string) bool {
	return !slices.ContainsFunc(a.typed, func(w string) bool { return w != word && !isFlag(w) && a.kind(w) == catalogWord })
}

// addOwnFlag adds a flag that the command has: --catalog is for templates alone, and --diff, which needs --fix, is taken for --base.
func (a *arranger) addOwnFlag(f typedFlag) (used bool) {
	switch {
	case f.name == "catalog" && (a.slot("CATALOG") || a.slot("REF")):
		a.addWord(f.value)
		return true
	case takesFormat(f.name) && a.cmd.needless[f.value] != "":
		a.replaceFlag(f, ": "+a.cmd.needless[f.value])
		return true
	case takesFormat(f.name) && a.lacksFormat(f.value):
		a.foreign = append(a.foreign, foreignFlag{typed: f.typed})
		return true
	case f.name == "diff" && meansRevision(a.ctx, f.value):
		a.keep("--base", f.value)
		return true
	case f.joined:
		a.keep(f.typed + "=" + f.value)
		return true
	}
	a.keep(f.typed)
	used = takesValue(a.cli, f.typed)
	if used && f.value != "" {
		a.keep(f.value)
	}
	return used
}

// lacksFormat reports whether a value of --output is of another command; a misspelt one is not.
func (a *arranger) lacksFormat(value string) bool {
	formats := formatList{commandFormats(a.cli), a.cmd.formats.folders}
	switch {
	case a.slot("IMAGESET") && strings.Contains(filepath.Base(value), "imageset"): // mirror writes none
		return true
	case value == "" || a.has["imageset"] || len(formats.names) == 0:
		return false
	}
	_, err := formats.output(value)
	var meant suggestion
	return err != nil && (errors.As(err, &unknownName{}) || !(errors.As(err, &meant) && meant.args == nil))
}

func takesFormat(flag string) bool { return flag == "o" || flag == "output" }

func isFileFlag(name string) bool {
	return slices.Contains([]string{"f", "file", "filename", "c", "config", "catalogs", "index", "bundle", "from-index", "imageset"}, name) || strings.HasSuffix(name, "catalog")
}

// synonym returns the flag that a name probably means, with its value if that is known; "" if there is none.
func (a *arranger) synonym(name string) string {
	flags, formats := visibleFlags(a.cli), commandFormats(a.cli)
	near, isNear := words.Nearest("--"+name, flags)
	var meant []string // by its parts
	for _, part := range find.Distinct(append([]string{name}, strings.Split(name, "-")...)) {
		for _, now := range []string{"--" + part, flagSynonyms()[part]} {
			if flag, _, _ := strings.Cut(now, " "); slices.Contains(flags, flag) {
				meant = append(meant, now)
			}
		}
	}
	_, _, n := findSynonym([]string{name})
	switch meant = find.Distinct(meant); {
	case slices.Contains(formats, name):
		return "-o " + name
	case strings.HasPrefix(name, "o") && slices.Contains(formats, name[1:]):
		return "-o " + name[1:]
	case len(meant) > 0 && flagSynonyms()[name] == meant[0]:
		return meant[0]
	case isNear:
		return near
	case len(meant) > 0 && n == 0 && (len(meant) == 1 || slices.Contains(flags, meant[len(meant)-1])): // of several the last, as in --diff-base
		return meant[len(meant)-1]
	}
	return ""
}

// place returns the command line, and leaves the words that have no place in it.
func (a *arranger) place() []string {
	if a.cmd.name == listName { // which takes those of several versions by their folder
		all := a.take(true, catalogWord)
		if dirs := find.Distinct(words.Map(all, filepath.Dir)); len(all) > 1 && len(dirs) == 1 {
			all = dirs
		}
		a.words = append(words.Map(all, func(w string) argument { return argument{w, catalogWord} }), a.words...)
	}
	var args, named []string // named are of flags that the usage names
	slots := strings.Fields(strings.TrimPrefix(a.cmd.args, "[flags] "))
	for i, slot := range slots {
		switch {
		case slot == "--snapshot":
			named = append(named, a.placeSnapshots()...)
		case slot == "--to":
			named = append(named, a.placeTo()...)
		case i == 0 || !isFlag(slots[i-1]): // the others are values
			args = append(args, a.placeSlot(slot)...)
		}
	}
	named = append(named, a.placeRest()...)
	if a.channel != "" {
		pkg := a.solePackage()
		if len(args) > 1 {
			pkg = args[1]
		}
		args = args[:min(1, len(args))]
		for _, channel := range strings.Split(a.channel, ",") {
			args = append(args, pkg+"/"+channel)
		}
	}
	line := slices.Concat(named, a.before, args, a.after)
	if a.cmd.formats.folders && !a.named {
		line = toFile(line, len(args) == 2 || a.solePackage() != somePackage)
	}
	if a.cmd.hidden {
		return line
	}
	return append([]string{a.cmd.name}, line...)
}

// first returns the first word of a kind; "" if there is none.
func (a *arranger) first(kind wordKind) string {
	i := slices.IndexFunc(a.words, func(w argument) bool { return w.kind == kind })
	if i < 0 {
		return ""
	}
	return a.words[i].text
}

// take removes the words of some kinds, or only the first of them.
func (a *arranger) take(all bool, kinds ...wordKind) (taken []string) {
	a.words = slices.DeleteFunc(a.words, func(w argument) bool {
		is := slices.Contains(kinds, w.kind) && (all || len(taken) == 0)
		if is {
			taken = append(taken, w.text)
		}
		return is
	})
	return taken
}

// placeTo returns --to with the version of OpenShift; of two versions the first is that of the cluster.
func (a *arranger) placeTo() []string {
	if a.has["to"] {
		return nil
	}
	minors := slices.DeleteFunc(a.take(true, versionWord), func(v string) bool { return !openShiftVersion.MatchString(v) })
	switch {
	case len(minors) == 0:
		return []string{"--to", "VERSION"}
	case len(minors) > 1 && !a.has["from"]:
		return []string{"--from", minors[0], "--to", minors[1]}
	}
	return []string{"--to", minors[0]}
}

// placeSnapshots returns --snapshot with each file, which has a name if there are several clusters.
func (a *arranger) placeSnapshots() (line []string) {
	if a.has["snapshot"] {
		return nil
	}
	files := a.take(true, snapshotWord, stdinWord)
	clusters := len(files) - len(slices.DeleteFunc(slices.Clone(files), func(file string) bool { return subscription.Match(head(file, 1<<20)) }))
	for _, file := range files {
		if clusters > 1 && a.slot("[NAME=]FILE") {
			file = stem(filepath.Base(file)) + "=" + file
		}
		line = append(line, "--snapshot", file)
	}
	switch {
	case len(line) > 0:
		return line
	case a.piped:
		a.piped = false
		return []string{"--snapshot", "-"}
	}
	return []string{"--snapshot", a.likelySnapshot()}
}

// likelySnapshot returns the only snapshot of the working directory, or the only one that has the namespace which was typed, or the name that ours have if
// there is such a one, or none; a placeholder for several.
func (a *arranger) likelySnapshot() string {
	all := filesIn(".", func(name string) bool { return isSnapshot(name) && subscription.Match(head(name, 1<<20)) })
	if at := slices.Index(a.after, "-n") + 1; at > 0 && at < len(a.after) {
		of := regexp.MustCompile(`"?namespace"?: *"?` + regexp.QuoteMeta(a.after[at]) + `\b`)
		if having := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !of.Match(head(name, 16<<20)) }); len(having) == 1 {
			return asPath(having[0])
		}
	}
	switch {
	case len(all) == 0, slices.Contains(all, "cluster.yaml"):
		return "cluster.yaml"
	case len(all) == 1:
		return asPath(all[0])
	}
	return "FILE"
}

// placeSlot returns the words for a place of the usage, or its placeholder.
func (a *arranger) placeSlot(slot string) []string {
	name := strings.Trim(slot[strings.LastIndex(slot, "=")+1:], "[].…")
	optional := strings.HasPrefix(slot, "[") && strings.HasSuffix(strings.TrimRight(slot, ".…"), "]") || a.cmd.takes.snapshot
	several := strings.HasSuffix(strings.TrimRight(slot, "]"), "…") || strings.HasSuffix(slot, "...")
	kinds := []wordKind{catalogWord, stdinWord}
	switch name {
	case "packages|channels|bundles":
		kinds = []wordKind{listWord}
	case "BASE":
		if base := a.placeRevision(); base != nil {
			return base
		}
		if len(a.words) == 1 {
			kinds = append(kinds, nameWord)
		}
	case "IMAGESET":
		kinds = []wordKind{imageSetWord, stdinWord}
	case "FROM", "TO", "VERSION":
		if a.has[strings.ToLower(name)] || name == "TO" && a.has["from"] {
			return nil
		}
		kinds = []wordKind{versionWord, nameWord}
		if a.has["imageset"] {
			kinds = kinds[:1]
		}
	case "PACKAGE", "PACKAGE[/CHANNEL":
		return a.placePackage(optional, several)
	default:
		if optional = optional || a.alone; a.alone && len(a.words) > 0 && a.meansRevision(a.words[0].text) {
			kinds = []wordKind{a.words[0].kind}
		}
	}
	line := a.take(several, kinds...)
	if strings.Contains(slot, "@VERSION") {
		line = a.withSources(line)
	}
	switch {
	case len(line) > 0 || optional && !(a.alone && name == "CATALOG" && a.first(nameWord) != ""):
		return line
	case name == "FROM" && (a.has["snapshot"] || a.first(snapshotWord) != ""): // it says what is installed
		return nil
	case name == "FROM" && (a.has["images"] || a.has["imageset"]):
		return []string{"head"}
	case name == "FROM" && !a.empty && !a.has["images"] && !a.has["imageset"] && !a.has["changes"]:
		return []string{"all"}
	case a.alone && a.first(nameWord) != "", name == "CATALOG" && a.hasRevision():
		return []string{"."}
	case a.piped && slices.Contains(kinds, stdinWord):
		a.piped = false
		return []string{"-"}
	case a.cmd.name == lintCommand().name && len(glob("catalogs", "v4.*")) > 0 && len(glob("operators", "*/*/manifests")) > 0: // both are checked
		return []string{"."}
	case (name == "REF" || a.cmd.takes.named && (a.empty || a.has["snapshot"] || a.first(snapshotWord) != "") || a.cmd.name == listName && len(foldersOf(a.first(nameWord))) == 0) && len(glob("catalogs", "v4.*")) > 0:
		return []string{"catalogs"}
	case name == "REF":
		return []string{a.source() + "@VERSION=CATALOG"}
	}
	return []string{a.below(name)}
}

// withSources returns catalogs with the CatalogSource that each needs if there are several or a version is its name, and with the version of OpenShift.
func (a *arranger) withSources(args []string) []string {
	return words.Map(args, func(arg string) string {
		name, ref := cutName(arg)
		switch {
		case openShiftVersion.MatchString(name):
		case name == "" && (len(args) > 1 || versionInName.MatchString(filepath.Base(ref))):
			name = cmp.Or(versionInName.FindString(filepath.Base(ref)), "VERSION")
		default:
			return arg
		}
		return a.source() + "@" + name + "=" + ref
	})
}

var versionInName = regexp.MustCompile(`4\.\d+`)

// hasRevision reports whether the base, which follows a flag or is to, is a git revision.
func (a *arranger) hasRevision() bool {
	flags := slices.Concat(a.before, a.after, []string{""})
	if at := slices.Index(flags, "--base"); at >= 0 {
		return meansRevision(a.ctx, flags[at+1])
	}
	return flagNamed(a.cli.Flags, "base") != nil && meansRevision(a.ctx, a.first(nameWord))
}

// placeRevision returns the git revision, or the range of them, that is the base of a comparison: the first word; or, where one word or none was typed, that
// of the repository, or HEAD for the change of another branch. It returns nil if there is none.
func (a *arranger) placeRevision() []string {
	at := slices.IndexFunc(a.words, func(w argument) bool { return a.meansRevision(w.text) })
	if base, ok := repositoryBase(a.ctx); at < 0 {
		name := a.first(nameWord)
		if a.first(stdinWord) != "" && len(a.words) == 1 { // a patch
			a.take(true, stdinWord)
			a.empty = true
		}
		a.alone = ok && (a.empty || len(a.words) == 1 && (a.first(patchWord) != "" || name != "" && len(foldersOf(name)) > 0))
		if a.alone || ok && len(a.words) == 1 && a.first(catalogWord) != "" {
			return []string{base}
		}
		return nil
	}
	a.alone = true
	first := a.words[at]
	a.words = slices.Delete(a.words, at, at+1)
	if _, _, isRange := cutRange(a.ctx, first.text); first.kind != catalogWord && len(a.words) == 0 && !isRange && !slices.Contains(baseNames(), first.text) && !strings.HasPrefix(first.text, "HEAD") {
		return []string{"HEAD", first.text}
	}
	return []string{first.text}
}

// meansRevision reports whether a word is a git revision or a range of them, and no file.
func (a *arranger) meansRevision(word string) bool {
	_, _, isRange := cutRange(a.ctx, word)
	return !disk.Exists(word) && (isRange || meansRevision(a.ctx, word))
}

func baseNames() []string { return []string{"origin/main", "origin/master", "main", "master"} }

// repositoryBase returns the branch to which the changes of the repository around the working directory are made.
func repositoryBase(ctx context.Context) (string, bool) {
	for _, name := range baseNames() {
		if gittree.IsRevision(ctx, ".", name, gittree.Options{}) {
			return name, true
		}
	}
	return "", false
}

// placePackage returns the packages for their place: that of the name of a bundle, if no version has a place.
func (a *arranger) placePackage(optional, several bool) []string {
	line := a.take(several, nameWord)
	if folder := a.first(catalogWord); len(line) == 0 && open.IsPath(folder) && filepath.Base(folder) == folder {
		line = a.take(several, catalogWord) // a folder of the name of the package
	}
	if pkg, _, ok := strings.Cut(a.first(versionWord), ".v"); ok && len(line) == 0 && !a.slot("FROM") {
		line = []string{pkg}
		if !a.slot("VERSION") {
			a.take(false, versionWord)
		}
	}
	if ofBundle := strings.Contains(a.first(versionWord), ".v"); ofBundle && len(line) == 0 && a.slot("FROM") {
		return nil // its name has the package
	}
	several = a.slot("FROM") && (a.ref != "" || a.has["images"] || a.has["imageset"]) && a.onlyPackage() == ""
	if len(line) == 0 && (!optional || several || a.empty && (a.slot("FROM") || a.slot("VERSION"))) {
		return []string{a.solePackage()}
	}
	return line
}

// placeRest returns flags for words that have no place among the arguments: a snapshot, a package, or the revision of a base.
func (a *arranger) placeRest() (line []string) {
	a.words = slices.DeleteFunc(a.words, func(w argument) bool {
		switch {
		case w.kind == snapshotWord && flagNamed(a.cli.Flags, "snapshot") != nil:
			a.after = append(a.after, "--snapshot", w.text)
		case w.kind == nameWord && flagNamed(a.cli.Flags, "base") != nil && meansRevision(a.ctx, w.text):
			line = append(line, "--base", w.text)
		case a.cmd.name == readinessName && a.has["snapshot"] && w.kind == nameWord: // the answer is of the cluster
		case w.kind == nameWord && a.cmd.takes.named && !a.has["package"]:
			a.after = append(a.after, "--package", w.text)
		case a.slot("TEMPLATE") && w.kind == nameWord: // the kind of the template, as in opm render-template basic
		case a.slot("--snapshot") && w.kind != catalogWord: // the answer is of the whole cluster
		case a.has["imageset"] && w.kind == nameWord: // one package has a path
		case a.slot("IMAGESET") && (w.kind == nameWord || w.kind == versionWord): // it has the packages and their versions
		case w.kind == patchWord && a.slot("BASE"): // its changes are those of the repository
		default:
			return false
		}
		return true
	})
	return line
}

// toFile returns a command line with a file for its picture or page, which a terminal cannot show: one that does not exist yet, or a folder for the
// pictures of several packages.
func toFile(line []string, isOne bool) []string {
	at := slices.IndexFunc(line, func(w string) bool { return isFlag(w) && takesFormat(strings.TrimLeft(w, "-")) }) + 1
	if at == 0 {
		line, at = slices.Concat(line, []string{"-o", "svg"}), len(line)+1
	}
	if at == len(line) {
		return line
	}
	line, format := slices.Clone(line), line[at]
	if ext := strings.TrimPrefix(path.Ext(format), "."); !isOne && (ext == "svg" || ext == "png") { // one file for all packages
		format = ext
	}
	if !slices.Contains(binaryFormats(), format) {
		return line
	}
	name, end := "upgrades", "."+format
	if !isOne && format != "html" {
		name, end = "pictures", "/"
	}
	line[at] = name + end
	for more := 'b'; disk.Exists(line[at]) && more <= 'z'; more++ {
		line[at] = name + "-" + string(more) + end
	}
	if end == "/" && format != "svg" {
		line[at] = format + "=" + line[at]
	}
	return line
}

// below returns the only image set of the working directory, or the catalog below it that has the package that was named, of several versions the
// newest; or else the placeholder.
func (a *arranger) below(placeholder string) string {
	ofBundle, _, _ := strings.Cut(a.first(versionWord), ".v")
	set, ok := onlyImageSet(".")
	if ok && placeholder == "IMAGESET" {
		return set
	}
	if i := slices.IndexFunc(a.typed, isImageSet); i >= 0 {
		set = a.typed[i]
	}
	if at := catalogOfImageSet(set); at != "" && placeholder == "CATALOG" && a.slot("IMAGESET") {
		return at
	}
	if name := cmp.Or(a.first(nameWord), ofBundle); placeholder == "CATALOG" && name != "" && !a.slot("IMAGESET") {
		if folders := foldersOf(name); len(folders) > 0 && len(find.Distinct(words.Map(folders, withoutNumbers))) == 1 {
			return filepath.Dir(a.newestWithVersions(folders))
		} else if len(folders) == 0 {
			return cmp.Or(otherFolder(name, ""), placeholder)
		}
	}
	return placeholder
}

// catalogOfImageSet returns the folder below the working directory for the OpenShift version of the only catalog of an image set; "" if there is none.
func catalogOfImageSet(name string) string {
	config, err := imageset.Parse(name, head(name, 1<<20))
	if err != nil || len(config.Operators) != 1 {
		return ""
	}
	version := versionInName.FindString(config.Operators[0].Catalog.Value)
	if near, ok := similarFile("v" + version); ok && !disk.Exists("v"+version) && strings.HasSuffix(near, version) {
		return near
	}
	return ""
}

// newestWithVersions returns the folder of a package for the OpenShift version of the snapshot that was typed, or else the last that has all versions which
// were typed, or else the last.
func (a *arranger) newestWithVersions(folders []string) string {
	lacks := func(folder, version string) bool {
		return !slices.ContainsFunc(slices.Concat(glob(folder, "*.yaml"), glob(folder, "*.json")), func(file string) bool {
			return bytes.Contains(head(file, 16<<20), []byte(version))
		})
	}
	versions := slices.DeleteFunc(slices.Clone(a.typed), func(w string) bool {
		return isFlag(w) || !isVersion(w) || openShiftVersion.MatchString(w) || !slices.ContainsFunc(folders, func(folder string) bool { return !lacks(folder, w) })
	})
	if slices.ContainsFunc(a.typed, isSnapshot) {
		for _, s := range a.snapshots() {
			ofCluster := func(folder string) bool {
				version, ok := catalogVersion(filepath.Base(filepath.Dir(folder)))
				return ok && strings.HasPrefix(s.OpenShift+".", version+".")
			}
			if at := slices.IndexFunc(folders, ofCluster); at >= 0 {
				return folders[at]
			}
		}
	}
	for _, folder := range slices.Backward(folders) {
		if !slices.ContainsFunc(versions, func(version string) bool { return lacks(folder, version) }) {
			return folder
		}
	}
	return folders[len(folders)-1]
}

// foldersOf returns the folders of a package in the catalogs below the working directory, the newest last.
func foldersOf(pkg string) (found []string) {
	const deepest, most = 6, 20000
	seen := 0
	named := regexp.MustCompile(`"?(schema"?: *"?olm\.package"?,?\s*"?name|package)"?: *["']?` + regexp.QuoteMeta(pkg) + `["']? *[,}\r\n]`)
	fs.WalkDir(disk.Folder("."), ".", func(name string, e fs.DirEntry, err error) error {
		switch seen++; {
		case seen > most:
			return fs.SkipAll
		case err != nil || !e.IsDir() || name == ".":
		case strings.HasPrefix(e.Name(), ".") || strings.Count(name, "/") >= deepest:
			return fs.SkipDir
		case e.Name() == pkg || strings.HasPrefix(pkg, e.Name()+"-"): // as folder konflux of konflux-operator
			isCatalog := func(file string) bool {
				return packageHead.Match(head(file, headSize)) && named.Match(head(file, 1<<20))
			}
			if files := slices.Concat(glob(name, "*.yaml"), glob(name, "*.json")); slices.ContainsFunc(files, isCatalog) {
				found = append(found, filepath.FromSlash(name))
				return fs.SkipDir
			}
		}
		return nil
	})
	slices.SortFunc(found, func(a, b string) int {
		return catalogs.CompareVersionNames(path.Dir(filepath.ToSlash(a)), path.Dir(filepath.ToSlash(b)))
	})
	return found
}

// packageHead matches what the first object of a package's file has, which may be an icon, long before its schema.
var packageHead = regexp.MustCompile(`(?m)"?schema"?: *"?olm\.(package|channel|bundle)|^ *"?defaultChannel"?:`)
