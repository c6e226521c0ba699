package cli

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render"
)

// arranger puts the words that somebody typed for a command where the command takes them.
type arranger struct {
	ctx     context.Context
	cmd     *command
	cli     *cli.Command
	before  []string // flags that stood before the first argument
	after   []string
	words   []argument
	channel string          // of a flag, where the command takes PACKAGE/CHANNEL
	has     map[string]bool // flags of the command
	alone   bool            // the base is a revision, so that no catalog need follow
	named   bool            // the name of the command was typed
	piped   bool            // standard input has a file, and no word stands for it
	empty   bool            // nothing was typed
	foreign []foreignFlag

	ref       string   // the first catalog
	snapshots []string // those that were given
}

// argument is a word that is no flag.
type argument struct {
	text string
	kind wordKind
}

// wordKind is what a word is, wherever it stands.
type wordKind int

const (
	nameWord wordKind = iota
	versionWord
	listWord // what list lists
	catalogWord
	snapshotWord
	imageSetWord
	patchWord
	stdinWord
)

// foreignFlag is a flag that the command does not have, and how its error goes on.
type foreignFlag struct {
	typed, reason string
	dropped       bool // nothing is known that it may mean
}

func (f foreignFlag) isDropped() bool { return f.dropped }

// arrange returns the command line of a command for the words that somebody typed for it, behind its name or without it, with placeholders
// for what is missing; nil if a word has no place in it, or a flag is not known.
func (cmd *command) arrange(ctx context.Context, typed []string) []string {
	line, foreign := cmd.arrangeFlags(ctx, typed)
	if slices.ContainsFunc(foreign, foreignFlag.isDropped) {
		return nil
	}
	return line
}

// arrangeFlags is arrange, but drops the flags that are not known. It returns those that the command does not have.
func (cmd *command) arrangeFlags(ctx context.Context, typed []string) ([]string, []foreignFlag) {
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
	a := &arranger{ctx: ctx, cmd: cmd, cli: cmd.forCLI(), has: map[string]bool{}, named: named, piped: isPiped(ctx) && !slices.Contains(typed, "-")}
	switch {
	case cmd.takes.nothing || cmd.args == "[-o FORMAT]":
		return []string{cmd.name}, nil
	case !slices.ContainsFunc([]string{"CATALOG", "REF", "TEMPLATE", "PATH"}, a.slot):
		return append([]string{cmd.name}, typed[:min(len(typed), 1)]...), nil
	}
	a.split(typed)
	a.empty = len(a.words) == 0
	a.correct()
	line, placed := a.place()
	if !placed {
		return nil, a.foreign
	}
	return line, a.foreign
}

// split sorts words into flags and arguments.
func (a *arranger) split(typed []string) {
	for i := 0; i < len(typed); i++ {
		word := typed[i]
		if word == "--" || word == "" {
			continue
		} else if word == "-" || !strings.HasPrefix(word, "-") {
			a.addWord(word)
			continue
		}
		name, value, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		next := ""
		if !joined && i+1 < len(typed) && (typed[i+1] == "-" || !strings.HasPrefix(typed[i+1], "-")) {
			next = typed[i+1]
		}
		if used := a.addFlag(word, a.correctFlag(name), value, next); used && next != "" {
			i++
		}
	}
}

// correctFlag returns the flag of another tool that is misspelt, if it is no flag of the command.
func (a *arranger) correctFlag(name string) string {
	known := append(slices.Sorted(maps.Keys(flagSynonyms())), "package", "channel")
	_, isOwn := words.Nearest("--"+name, visibleFlags(a.cli))
	if near, ok := words.Nearest(name, known); ok && !isOwn && len(name) > 3 && flagNamed(a.cli.Flags, name) == nil {
		return near
	}
	return name
}

func isPictureFile(word string) bool {
	return slices.Contains(binaryFormats(), strings.TrimPrefix(path.Ext(word), "."))
}

// fillers are words between others, which have no place in a command line.
func fillers() []string { return append(render.ListKinds(), "package", "channel", "from", "to") }

// addWord adds an argument, or several for the folder of a bundle that is to be released. A picture that does not exist yet is an output.
func (a *arranger) addWord(word string) {
	switch name, version, isBundle := a.releasedBundle(word); {
	case slices.Contains(fillers(), word) && !a.slot("packages|channels|bundles") && !disk.Exists(word) && a.cmd.answer != nil:
	case isPictureFile(word) && slices.Contains(commandFormats(a.cli), path.Ext(word)[1:]) && !disk.Exists(word):
		a.after = append(a.after, "-o", word)
	case isBundle:
		a.words = append(a.words, argument{name, nameWord}, argument{version, versionWord})
	case ocMirrorOutput.MatchString(word) && a.slot("IMAGESET"):
	default:
		for _, word := range a.meantBy(word) {
			kind := a.kind(word)
			if kind == listWord {
				word, _ = listKind(word)
			}
			a.words = append(a.words, argument{word, kind})
			a.note(word, kind)
		}
	}
}

// ocMirrorOutput matches where oc-mirror writes to: an archive, or a registry, without the tag or digest that an image has.
var ocMirrorOutput = regexp.MustCompile(`^(file://.*|docker://[^/@]+(/[^:@]*)?)$`)

// note notes a catalog or a snapshot, from which names are taken.
func (a *arranger) note(word string, kind wordKind) {
	switch {
	case kind == snapshotWord:
		a.snapshots = append(a.snapshots, word)
	case kind == catalogWord:
		a.ref = cmp.Or(a.ref, word)
	}
}

// releasedBundle returns the package and the version of a folder that is a bundle, where a release is asked for.
func (a *arranger) releasedBundle(folder string) (pkg, version string, ok bool) {
	if !a.slot("VERSION") || a.slot("--to") || !disk.IsFolder(filepath.Join(folder, "manifests")) {
		return "", "", false
	}
	cats, err := open.Open(a.ctx, folder, open.Options{})
	if err != nil || len(cats) != 1 || onlyBundle(cats[0]) == nil {
		return "", "", false
	}
	b := onlyBundle(cats[0])
	return b.Package.Value, b.Version.Value, true
}

// kind returns what a word is.
func (a *arranger) kind(word string) wordKind {
	_, ref := cutName(strings.TrimPrefix(word, "NAME@"))
	switch {
	case word == "-":
		return stdinWord
	case isListKind(word) && a.slot("packages|channels|bundles"):
		return listWord
	case isImageSet(ref):
		return imageSetWord
	case isPatch(ref):
		return patchWord
	case isSnapshot(ref), ref == word && a.mayBeSnapshot(ref):
		return snapshotWord
	case isReference(ref) && !a.isBundleName(ref):
		return catalogWord
	case isVersion(word):
		return versionWord
	}
	return nameWord
}

// mayBeSnapshot reports whether a file may be a snapshot of a command that needs one, in a form of our own, or one that does not exist.
func (a *arranger) mayBeSnapshot(name string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) || disk.IsFolder(name) {
		return false
	}
	return a.slot("--snapshot") && !olmSchema.Match(head(name, headSize)) || !disk.Exists(name) && flagNamed(a.cli.Flags, "snapshot") != nil && !a.slot("IMAGESET")
}

// isBundleName reports whether a word that is no file can only be the name of a bundle, or one with its version.
func (a *arranger) isBundleName(word string) bool {
	return !disk.Exists(word) && isVersion(word) && !strings.ContainsAny(word, `/\`)
}

// isVersion reports whether a word is a version, the name of a bundle with one, or what path takes instead.
func isVersion(word string) bool {
	_, err := semver.ParseTolerant(word)
	_, _, named := graph.SplitName(word)
	return err == nil || named || word == "all" || isHead(word)
}

// listKind returns what list lists for a word.
func listKind(word string) (string, bool) {
	for _, kind := range render.ListKinds() {
		if word == kind || word+"s" == kind {
			return kind, true
		}
	}
	return render.ListKinds()[0], slices.Contains([]string{"operators", "operator", "packagemanifests", "packagemanifest"}, word)
}

const headSize = 4 << 10 // bytes in which a file says what it has

var (
	imageSetHead = regexp.MustCompile(`(?m)^[ {]*"?kind"?: *"?ImageSetConfiguration`)
	subscription = regexp.MustCompile(`"?kind"?: *"?Subscription\b`)
	patchHead    = regexp.MustCompile(`(?m)^(diff --git |--- \S+.*\n\+\+\+ )`)
	catalogHead  = regexp.MustCompile(`"?kind"?: *"?(PackageManifest|ConfigMap)\b`)
	objectHead   = regexp.MustCompile(`(?m)^[ {]*"?(apiVersion|kind)"?: *"?[A-Za-z]|^subscriptions:`)
)

// head returns the first bytes of a file; nil if it cannot be read.
func head(name string, size int) []byte {
	text, err := disk.Head(disk.Folder(filepath.Dir(name)), filepath.Base(name), size)
	if err != nil {
		return nil
	}
	return text
}

// isSnapshot reports whether a file has objects of Kubernetes, and none of a catalog.
func isSnapshot(name string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) || !disk.Exists(name) || disk.IsFolder(name) {
		return false
	}
	text := head(name, headSize)
	return objectHead.Match(text) && !olmSchema.Match(text) && !imageSetHead.Match(text) && !catalogHead.Match(text) && bundleOf(name) == ""
}

func isImageSet(name string) bool {
	return disk.IsFile(name) && imageSetHead.Match(head(name, headSize))
}

func isPatch(name string) bool { return disk.IsFile(name) && patchHead.Match(head(name, headSize)) }

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

// addFlag adds a flag that was typed as word: value is behind a = in it, and next is the word that follows and may be its value. It returns whether next
// is used, and notes a flag that the command does not have.
func (a *arranger) addFlag(word, name, value, next string) (used bool) {
	as := func(reason string, now ...string) { a.keepInstead(word, value, reason, now...) }
	given := value + next
	if flagNamed(a.cli.Flags, name) != nil {
		return a.addOwnFlag(word, name, value, next)
	}
	formats := commandFormats(a.cli)
	switch {
	case name == "to" && a.slot("VERSION") && !a.slot("--to") && given != "":
		as(": the version is an argument")
		a.words = append(a.words, argument{given, versionWord})
		return true
	case slices.Contains([]string{"package", "pkg", "p"}, name) && a.slot("PACKAGE") && given != "":
		as(": the package follows the catalog")
		a.words = append(a.words, argument{given, nameWord})
		return true
	case slices.Contains([]string{"channel", "c"}, name) && a.slot("PACKAGE") && a.cmd.takes.channel != "--channel" && given != "":
		as(a.addChannel(given))
		return true
	case isFileFlag(name) && slices.Contains(formats, given):
		as("; did you mean --output?", "--output", given)
		return true
	case isFileFlag(name) && given != "" && (name != "c" || isReference(given)):
		before := len(a.words)
		a.addWord(given)
		as(a.fileReason(before))
		return true
	case (name == "base" || flagSynonyms()[name] == "--base") && a.slot("BASE") && given != "":
		as(": the base is the first argument")
		a.words = slices.Insert(a.words, 0, argument{given, catalogWord})
		return true
	case a.cmd.needless[name] != "":
		as(": " + a.cmd.needless[name])
		return !isReference(next)
	case slices.Contains([]string{"q", "quiet", "s", "silent"}, name) && a.synonym(name, formats) == "":
		as(": the exit status says it")
		return false
	}
	return a.addSynonym(word, a.synonym(name, formats), value, next)
}

// addSynonym is addFlag for a flag by which now is probably meant; "" if that is not known.
func (a *arranger) addSynonym(word, now, value, next string) (used bool) {
	if format, isFormat := strings.CutPrefix(now, "-o "); isFormat && !disk.Exists(next) && (path.Ext(next) != "" || strings.HasSuffix(next, "/")) {
		if format != "html" || !strings.HasSuffix(next, "/") { // the page is one file
			format += "=" + next
		}
		a.keepInstead(word, value, "; did you mean "+now+"?", "-o", format)
		return true
	}
	if now == "" {
		a.foreign = append(a.foreign, foreignFlag{typed: strings.TrimSuffix(word, "="+value), dropped: true})
		return value == "" && !disk.Exists(next)
	}
	a.keepInstead(word, value, "; did you mean "+now+"?", strings.Fields(now)...)
	name := flagNamed(a.cli.Flags, strings.TrimLeft(strings.Fields(now)[0], "-")).Names()[0]
	if !takesValue(a.cli, "-"+name) || strings.Contains(now, " ") || value != "" {
		return false
	}
	switch {
	case name == "snapshot":
		a.note(next, snapshotWord)
	case slices.Contains([]string{"only", "skip", "min-severity"}, name) && disk.Exists(next): // an argument
		next = ""
	}
	a.keep(cmp.Or(next, strings.ToUpper(name)))
	return next != ""
}

// keepInstead notes a flag that the command does not have, with the reason, and adds other words for it.
func (a *arranger) keepInstead(word, value, reason string, now ...string) {
	a.foreign = append(a.foreign, foreignFlag{typed: strings.TrimSuffix(word, "="+value), reason: reason})
	if value != "" && len(now) > 0 {
		now[len(now)-1] += "=" + value
	}
	if len(now) > 0 {
		a.keep(now...)
	}
}

// addChannel adds a channel for a command that has no flag for it, and returns why it has none.
func (a *arranger) addChannel(name string) string {
	if a.cmd.takes.channel != "/" {
		return ": the answer is of all channels"
	}
	a.channel = name
	return ": a channel is given as PACKAGE/CHANNEL"
}

// addOwnFlag is addFlag for a flag that the command has: --catalog is for templates alone, and --diff, which needs --fix, is taken for --base.
func (a *arranger) addOwnFlag(word, name, value, next string) (used bool) {
	switch {
	case name == "catalog" && (a.slot("CATALOG") || a.slot("REF")):
		a.addWord(value + next)
		return true
	case takesFormat(name) && a.slot("IMAGESET") && strings.Contains(filepath.Base(value+next), "imageset"): // mirror writes none
		return true
	case takesFormat(name) && value+next != "" && !a.has["imageset"] && a.format(value+next) != value+next:
		if now := a.format(value + next); now != "" {
			a.keep("-o", now)
		}
		return true
	case name == "diff" && meansRevision(a.ctx, next):
		a.keep("--base", next)
		return true
	}
	if name == "snapshot" {
		a.note(value+next, snapshotWord)
	}
	a.keep(word)
	used = takesValue(a.cli, "-"+name) && value == ""
	if used && next != "" {
		a.keep(next)
	}
	return used
}

// format returns the value of --output that is meant with one: "" for a format of another command.
func (a *arranger) format(value string) string {
	formats := formatList{commandFormats(a.cli), a.cmd.formats.folders}
	if len(formats.names) == 0 {
		return value
	}
	_, err := formats.output(value)
	var meant suggestion
	switch {
	case err == nil:
		return value
	case errors.As(err, &meant) && len(meant.now) == 1:
		return strings.Replace(value, meant.was, meant.now[0], 1)
	}
	return ""
}

// fileReason says what the file of a flag is that the command does not have, which has become the words after the first ones.
func (a *arranger) fileReason(before int) string {
	switch last := a.words[len(a.words)-1]; {
	case len(a.words) == before+2:
		return ": the package and the version of the bundle are arguments"
	case last.kind == snapshotWord || last.kind == stdinWord && !a.slot("CATALOG"):
		return "; did you mean --snapshot?"
	case last.kind == imageSetWord:
		return ": the image set is an argument, and comes first"
	}
	return ": a catalog is an argument, and comes first"
}

func takesFormat(flag string) bool { return flag == "o" || flag == "output" }

func isFileFlag(name string) bool {
	return slices.Contains([]string{"f", "file", "filename", "c", "config", "catalog", "catalogs", "index", "bundle", "from-index", "imageset"}, name)
}

// synonym returns the flag that a name probably means, with its value if that is known.
func (a *arranger) synonym(name string, formats []string) string {
	flags := visibleFlags(a.cli)
	format, joined := strings.CutPrefix(name, "o")
	now := flagSynonyms()[name]
	flag, _, _ := strings.Cut(now, " ")
	switch near, ok := words.Nearest("--"+name, flags); {
	case joined && slices.Contains(formats, format):
		return "-o " + format
	case slices.Contains(formats, name):
		return "-o " + name
	case slices.Contains(flags, flag):
		return now
	case ok:
		return near
	}
	if _, _, n := findSynonym([]string{name}); n > 0 {
		return ""
	}
	var meant []string // by its parts
	for _, part := range strings.Split(name, "-") {
		flag, _, _ := strings.Cut(flagSynonyms()[part], " ")
		switch {
		case slices.Contains(flags, "--"+part):
			meant = append(meant, "--"+part)
		case slices.Contains(flags, flag):
			meant = append(meant, flagSynonyms()[part])
		}
	}
	if meant = find.Distinct(meant); len(meant) != 1 || !strings.Contains(name, "-") {
		return ""
	}
	return meant[0]
}

// place returns the command line, and whether each word has its place.
func (a *arranger) place() ([]string, bool) {
	var args []string
	var named []string // of flags that the usage names
	slots := strings.Fields(strings.TrimPrefix(a.cmd.args, "[flags] "))
	for i := 0; i < len(slots); i++ {
		if slots[i] == "--snapshot" || slots[i] == "--to" {
			named = append(named, a.placeFlag(slots[i], slots[i+1])...)
			i++
			continue
		}
		args = append(args, a.placeSlot(slots[i])...)
	}
	named = append(named, a.placeRest()...)
	switch {
	case a.channel == "":
	case len(args) > 1:
		args[1] += "/" + a.channel
	default:
		args = append(args, a.solePackage()+"/"+a.channel)
	}
	line := slices.Concat(named, a.before, args, a.after)
	if a.cmd.formats.folders && !a.named {
		line = toFile(line, len(args) == 2 || len(a.packages()) == 1)
	} else if a.slot("TEMPLATE") && !a.has["catalog"] && lacksBundles(a.ctx, args[0]) {
		line = append(line, "--catalog", "CATALOG")
	}
	if !a.cmd.hidden {
		line = append([]string{a.cmd.name}, line...)
	}
	return line, len(a.words) == 0
}

// first returns the first word of a kind; "" if there is none.
func (a *arranger) first(kind wordKind) string {
	i := slices.IndexFunc(a.words, func(w argument) bool { return w.kind == kind })
	if i < 0 {
		return ""
	}
	return a.words[i].text
}

// take removes the first word of one of some kinds.
func (a *arranger) take(kinds ...wordKind) (string, bool) {
	i := slices.IndexFunc(a.words, func(w argument) bool { return slices.Contains(kinds, w.kind) })
	if i < 0 {
		return "", false
	}
	text := a.words[i].text
	a.words = slices.Delete(a.words, i, i+1)
	return text, true
}

// placeFlag returns a flag that the command needs with its values.
func (a *arranger) placeFlag(flag, placeholder string) (line []string) {
	if a.has[strings.TrimLeft(flag, "-")] {
		return nil
	}
	kinds := []wordKind{versionWord}
	if flag == "--snapshot" {
		placeholder, kinds = "cluster.yaml", []wordKind{snapshotWord, stdinWord}
	}
	for text, ok := a.take(kinds...); ok; text, ok = a.take(kinds...) {
		switch isMinor := openShiftVersion.MatchString(text); {
		case flag != "--to" || isMinor && len(line) == 0:
			line = append(line, flag, text)
		case isMinor && len(line) == 2 && !a.has["from"]: // from one version to another
			line = []string{"--from", line[1], flag, text}
		}
	}
	without := func(name string) bool { return !subscription.Match(head(name, 1<<20)) }
	clusters := len(slices.DeleteFunc(slices.Clone(line), without)) > 1
	for i := 1; i < len(line) && clusters && a.slot("[NAME=]FILE"); i += 2 {
		line[i] = stem(filepath.Base(line[i])) + "=" + line[i]
	}
	switch {
	case len(line) > 0:
		return line
	case flag == "--snapshot" && !a.piped && disk.Exists(placeholder):
		a.note(placeholder, snapshotWord)
	case flag == "--snapshot" && a.piped:
		placeholder, a.piped = "-", false
	}
	return []string{flag, placeholder}
}

// placeSlot returns the words for a place of the usage, or its placeholder.
func (a *arranger) placeSlot(slot string) []string {
	name := strings.Trim(slot, "[].…")
	optional := strings.HasPrefix(slot, "[") && strings.HasSuffix(strings.TrimRight(slot, ".…"), "]") || a.cmd.takes.snapshot
	several := strings.HasSuffix(strings.TrimRight(slot, "]"), "…") || strings.HasSuffix(slot, "...")
	var kinds []wordKind
	switch name {
	case "packages|channels|bundles":
		kinds = []wordKind{listWord}
	case "BASE":
		if base := a.placeRevision(); base != nil {
			return base
		}
		if kinds = []wordKind{catalogWord, stdinWord}; len(a.words) == 1 {
			kinds = append(kinds, nameWord)
		}
	case "IMAGESET":
		kinds = []wordKind{imageSetWord, stdinWord}
	case "FROM", "TO", "VERSION":
		if a.has[strings.ToLower(name)] || name == "TO" && a.has["from"] {
			return nil
		}
		kinds = []wordKind{versionWord, nameWord}
	case "PACKAGE", "PACKAGE[/CHANNEL":
		return a.placePackage(optional, several)
	default:
		kinds = []wordKind{catalogWord, stdinWord}
		if name = strings.Trim(name[strings.LastIndex(name, "=")+1:], "]"); name == "REF" {
			name = a.source() + "@VERSION=CATALOG"
		}
		if optional = optional || a.alone; a.alone && len(a.words) > 0 && a.meansRevision(a.words[0].text) {
			kinds = []wordKind{a.words[0].kind}
		}
	}
	var line []string
	for len(line) == 0 || several {
		text, ok := a.take(kinds...)
		if !ok {
			break
		}
		line = append(line, text)
	}
	if strings.Contains(slot, "@VERSION") && len(line) > 1 {
		line = a.withSources(line)
	}
	switch {
	case len(line) > 0 || optional && !(a.alone && name == "CATALOG" && a.first(nameWord) != ""):
	case name == "FROM" && !a.empty && !a.has["images"] && !a.has["imageset"] && !a.has["changes"]:
		return []string{"all"}
	case a.alone && a.first(nameWord) != "", name == "CATALOG" && a.hasRevision():
		return []string{"."}
	case a.piped && slices.Contains(kinds, stdinWord):
		a.piped = false
		return []string{"-"}
	default:
		return []string{a.below(name)}
	}
	return line
}

// withSources returns catalogs with the CatalogSource that each needs if there are several, and with the version of OpenShift in its name.
func (a *arranger) withSources(refs []string) []string {
	return words.Map(refs, func(ref string) string {
		if name, _ := cutName(ref); name != "" {
			return ref
		}
		return a.source() + "@" + cmp.Or(versionInName.FindString(filepath.Base(ref)), "VERSION") + "=" + ref
	})
}

var versionInName = regexp.MustCompile(`4\.\d+`)

// hasRevision reports whether the base, which follows a flag or is to, is a git revision.
func (a *arranger) hasRevision() bool {
	flags := slices.Concat(a.before, a.after)
	at := slices.Index(flags, "--base") + 1
	return at > 0 && at < len(flags) && meansRevision(a.ctx, flags[at]) || at == 0 && flagNamed(a.cli.Flags, "base") != nil && meansRevision(a.ctx, a.first(nameWord))
}

// placeRevision returns the git revision, or the range of them, that is the base of a comparison: the first word; or, where one word or none was typed, that
// of the repository, or HEAD for the change of another branch. It returns nil if there is none.
func (a *arranger) placeRevision() []string {
	at := slices.IndexFunc(a.words, func(w argument) bool { return a.meansRevision(w.text) })
	given := at >= 0
	base, ok := repositoryBase(a.ctx)
	switch {
	case !given && len(a.words) == 1 && ok && len(foldersOf(a.first(nameWord))) > 0:
		a.alone = true
		return []string{base}
	case !given && len(a.words) < 2 && ok && (a.empty || a.first(catalogWord)+a.first(patchWord) != ""):
		a.alone = a.empty || a.first(patchWord) != ""
		return []string{base}
	case !given:
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
func (a *arranger) placePackage(optional, several bool) (line []string) {
	for len(line) == 0 || several {
		text, ok := a.take(nameWord)
		if i := slices.IndexFunc(a.words, func(w argument) bool { return w.kind == catalogWord && open.IsPath(w.text) }); !ok && i >= 0 {
			text, ok = a.take(catalogWord) // a folder of the name of the package
		}
		if !ok && !a.slot("FROM") {
			if text, _, ok = strings.Cut(a.first(versionWord), ".v"); ok && !a.slot("VERSION") {
				a.take(versionWord)
			}
		}
		if !ok {
			break
		}
		line = append(line, text)
	}
	if len(line) == 0 && (!optional || a.empty && (a.slot("FROM") || a.slot("VERSION"))) {
		return []string{a.solePackage()}
	}
	return line
}

// placeRest returns flags for words that have no place among the arguments: a snapshot, a package, or the revision of a base.
func (a *arranger) placeRest() (line []string) {
	for _, w := range slices.Clone(a.words) {
		switch {
		case w.kind == snapshotWord && flagNamed(a.cli.Flags, "snapshot") != nil:
			a.after = append(a.after, "--snapshot", w.text)
		case w.kind == nameWord && flagNamed(a.cli.Flags, "base") != nil && meansRevision(a.ctx, w.text):
			line = append(line, "--base", w.text)
		case w.kind == nameWord && a.cmd.takes.named && !a.has["package"]:
			a.after = append(a.after, "--package", w.text)
		case a.slot("TEMPLATE") && w.kind == nameWord: // the kind of the template, as in opm render-template basic
		case a.slot("--snapshot") && w.kind != catalogWord: // the answer is of the whole cluster
		case a.slot("IMAGESET") && (w.kind == nameWord || w.kind == versionWord): // it has the packages and their versions
		case w.kind == patchWord && a.slot("BASE"): // its changes are those of the repository
		default:
			continue
		}
		a.take(w.kind)
	}
	return line
}
