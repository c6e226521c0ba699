package cli

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/report"
)

const rulesName = "rules"

func rulesCommand() command {
	return command{
		name:     rulesName,
		usage:    "list the rules of lint",
		args:     "[-o FORMAT]",
		help:     "Each rule has a default severity and gates, which name what rejects it. See olmgraph explain RULE for more.",
		formats:  answerFormats(render.RuleFormats()),
		check:    checkRules,
		run:      runRules,
		synonyms: map[string]string{"rules": "", "list-rules": "", "list-checks": "", "checks": ""},
	}
}

func checkRules(c *cli.Context, given []string) error {
	if c.NArg() == 0 {
		return nil
	}
	err := misusef("rules takes no arguments, not %s", c.Args().First())
	if about := explainAbout(err, c.Args().First()); about != nil && c.NArg() == 1 {
		return about
	} else if _, unknown := askedRules(c.Args().Slice()); unknown != nil { // as rules list
		return suggestCommand(err, slices.DeleteFunc(slices.Clone(given), func(w string) bool { return slices.Contains(c.Args().Slice(), w) })...)
	}
	return suggestCommand(err, append([]string{"explain"}, c.Args().Slice()...)...)
}

func runRules(c *cli.Context, s *session, to outputs) error {
	return write(to, render.RuleFormats(), readGuides(s.rules, rules.All()))
}

const explainHelp = `examples:
  olmgraph explain graph/stuck
  olmgraph explain 'csv created in namespace with multiple operatorgroups'
  olmgraph explain UpgradePending                                      a state, a reason, a field or a kind
  olmgraph explain csv Failed                                          only that of a ClusterServiceVersion
  olmgraph explain operatorgroup-count                                 the same by its name in docs/messages.md
  kubectl describe subscriptions.operators.coreos.com -n operators | olmgraph explain -

Of a message of OLM, Kubernetes or oc-mirror: its cause, who has to act, and what to run, the least harmful first. docs/messages.md lists them.

exit status: 0; 1 the message is not known; 2 misuse; 3 standard input could not be read.`

func explainCommand() command {
	return command{
		name:     "explain",
		usage:    "explain a rule, a state or a field, or a message of OLM, Kubernetes or oc-mirror",
		args:     "[-o FORMAT] RULE…|WORD|MESSAGE|-",
		help:     explainHelp,
		synonyms: map[string]string{"rule": ""},
		takes:    takes{complete: func([]string) []string { return append(ruleNames(rules.All()), termNames()...) }},
		formats:  answerFormats(render.ExplainFormats()),
		check:    checkExplain,
		run:      runExplain,
	}
}

// termNames returns the names of the terms, each once.
func termNames() []string {
	return find.Distinct(words.Map(messages.AllTerms(), func(t messages.Term) string { return t.Name }))
}

func checkExplain(c *cli.Context, _ []string) error {
	if c.NArg() > 0 {
		return nil
	}
	if isPiped(c.Context) {
		return suggestCommand(misusef("no rule or message to explain: - is standard input"), "explain", "-")
	}
	return suggestCommand(misusef("no rule or message to explain"), rulesName)
}

func runExplain(c *cli.Context, s *session, to outputs) error {
	asked, notRule := askedRules(c.Args().Slice())
	message := strings.Join(c.Args().Slice(), " ")
	terms := messages.FindTerms(message)
	if notRule == nil {
		return write(to, render.ExplainFormats(), &render.Explanation{Rules: readGuides(s.rules, asked), Terms: terms})
	}
	if message == "-" {
		read, err := io.ReadAll(io.LimitReader(s.stdin, maxMessages+1))
		if err != nil || len(read) > maxMessages {
			return cmp.Or(err, errors.New("standard input has more than 8 MiB: give the description of one object"))
		}
		message = string(read)
	}
	out := &render.Explanation{Terms: terms, Found: messages.Find(message)}
	if len(out.Found)+len(terms) == 0 {
		if of, found := explainCheck(message); len(of)+len(found) > 0 {
			return write(to, render.ExplainFormats(), &render.Explanation{Rules: readGuides(s.rules, of), Found: found})
		}
		if i := slices.IndexFunc(c.Args().Slice(), disk.Exists); i >= 0 {
			line := lintCommand().instead(c.Context, c.Args().Slice())
			if line == nil {
				line = []string{"lint", c.Args().Get(i)}
			}
			return suggestCommand(misusef("%s is a file: explain takes a rule or a message", c.Args().Get(i)), line...)
		}
		if !strings.Contains(message, " ") && c.Args().First() != "-" {
			isKnown := func(part string) bool {
				asked, err := askedRules([]string{part})
				return err == nil && len(asked) > 0 || len(messages.FindTerms(part)) > 0
			}
			if part := partOf(message, isKnown); part != "" && !strings.Contains(message, "/") && len(rulesAbout(message, rules.All())) == 0 {
				return suggestInstead(misusef("no rule %q; explain knows %q", message, part), message, part)
			}
			if at := foldersOf(message); len(at) > 0 {
				return suggestCommand(misusef("no rule %q; package %[1]s is in %s", message, words.JoinSome(at, 5)), at[len(at)-1])
			}
			return cmp.Or(explainAbout(notRule, message), notRule)
		}
		out.Nearest = messages.Nearest(message)
	}
	return answerStatus(write(to, render.ExplainFormats(), out), false, len(out.Found)+len(terms) == 0)
}

var checkName = regexp.MustCompile(`^\w{6,80}$`)

// explainCheck returns the rules and the messages of a check of the pipelines or of another program, by its name in their code.
func explainCheck(name string) ([]lint.Rule, []messages.Found) {
	if !checkName.MatchString(name) {
		return nil, nil
	}
	word := regexp.MustCompile(`\b` + name + `\b`)
	other := func(source string) bool { return !word.MatchString(source) }
	found := slices.DeleteFunc(messages.All(), func(m messages.Message) bool { return other(m.Source) })
	return slices.DeleteFunc(rules.All(), func(r lint.Rule) bool { return other(r.Reference) }),
		words.Map(found, func(m messages.Message) messages.Found { return messages.Find(m.Name)[0] })
}

// maxMessages is the longest text in which messages are looked for, in bytes.
const maxMessages = 8 << 20

// askedRules returns the rules that patterns select, or an error for one that selects none.
func askedRules(patterns []string) (asked []lint.Rule, err error) {
	for _, pattern := range patterns {
		pattern = withFamily(pattern)
		selected, err := selectRules([]string{pattern}, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range selected {
			if matches(&r, pattern) {
				asked = append(asked, r)
			}
		}
	}
	return asked, nil
}

// readGuides returns the rules with the examples in their scripts.
func readGuides(scripts fs.FS, rules []lint.Rule) []report.Guide {
	all := make([]report.Guide, 0, len(rules))
	for _, r := range rules {
		g := report.Guide{Rule: r}
		if script, err := fs.ReadFile(scripts, strings.ReplaceAll(r.ID, "/", "-")+".txtar"); err == nil {
			g.Example = report.ReadExample(script, r.ID)
		}
		all = append(all, g)
	}
	return all
}

// withFamily returns the ID of the only rule of that name, or else the pattern itself.
func withFamily(pattern string) string {
	found := pattern
	for _, r := range rules.All() {
		switch _, name, _ := strings.Cut(r.ID, "/"); {
		case r.Family() == pattern, name == pattern && found != pattern:
			return pattern
		case name == pattern:
			found = r.ID
		}
	}
	return found
}

// mostRules is how many rules a suggested command line names.
const mostRules = 4

// explainAbout adds to an error of one word the command that explains the few rules that are named by it; it returns nil if there are none, or many.
func explainAbout(err error, word string) error {
	names := ruleNames(rulesAbout(word, rules.All()))
	if len(names) == 0 || len(names) > mostRules {
		return nil
	}
	return suggestCommand(err, append([]string{"explain"}, names...)...)
}

// noRule returns the error of a pattern that no rule matches. A rule can be meant by its name without the family.
func noRule(pattern string, all []lint.Rule) error {
	ids := ruleNames(all)
	var names, same []string
	for _, id := range ids {
		family, name, _ := strings.Cut(id, "/")
		names = append(names, name)
		if name == pattern || pattern == family+"-"+name || strings.Contains(name, "-") && strings.HasSuffix(pattern, "-"+name) {
			same = append(same, id)
		}
	}
	near, isName := words.Nearest(pattern, names)
	_, isID := words.Nearest(pattern, ids)
	switch {
	case len(same) > 1:
		return suggestInstead(misusef("no rule %q; there are %s", pattern, strings.Join(same, ", ")), pattern, same[0])
	case len(same) == 1:
		return suggestInstead(misusef("no rule %q; did you mean %s?", pattern, same[0]), pattern, same[0])
	case !isID && isName:
		id := ids[slices.Index(names, near)]
		return suggestInstead(misusef("no rule %q; did you mean %s?", pattern, id), pattern, id)
	case isID:
		return suggestName(misusef("no rule %q%s", pattern, didYouMean(pattern, ids)), pattern, ids)
	}
	meant := rulesAbout(pattern, all)
	switch names := ruleNames(meant); {
	case len(meant) == 1:
		return suggestInstead(misusef("no rule %q; did you mean %s?", pattern, names[0]), pattern, names[0])
	case len(meant) > 0:
		err := misusef("no rule %q; the rules about that are %s", pattern, words.JoinSome(names, 8))
		if len(meant) > mostRules {
			return suggestCommand(err, rulesName)
		}
		return suggestInstead(err, pattern, strings.Join(names, ","))
	case len(foldersOf(pattern)) > 0:
		return suggestCommand(misusef("no rule %q: that is a package; overrides in .olmgraph.yaml turn rules off for one", pattern), configName, "init")
	}
	return suggestCommand(misusef("no rule %q", pattern), rulesName)
}

// rulesAbout returns the rules that are named by words of their summary, or by what people call them.
func rulesAbout(pattern string, all []lint.Rule) []lint.Rule {
	called := map[string][]string{
		"graph/stuck":                    {"unreachable", "dead-end", "deadend", "no-path", "no-path-to-head", "no-upgrade", "no-upgrade-path"},
		"graph/missing-target":           {"dangling-replaces", "dangling-edge", "missing-replaces", "replaces-missing", "broken-replaces"},
		"graph/stranded":                 {"unreachable", "orphan", "orphaned", "disconnected"},
		"catalog/bundle-without-channel": {"dangling", "orphan", "orphaned"},
	}
	pattern = strings.ToLower(pattern)
	parts := strings.FieldsFunc(pattern, func(c rune) bool { return strings.ContainsRune(" -/_", c) })
	if len(pattern) < 4 || slices.Contains([]string{"that", "which", "with", "from", "than", "nothing", "does", "have", "other", "another"}, pattern) {
		parts = nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(r lint.Rule) bool {
		summary, _, _ := strings.Cut(r.Doc, "\n")
		summary = strings.ToLower(" " + summary + " ")
		isMissing := func(word string) bool {
			return !strings.Contains(summary, " "+word+" ") && !strings.Contains(summary, " "+word+"s ") && !slices.Contains(called[r.ID], word)
		}
		if len(parts) > 1 && strings.Contains(strings.ToLower(r.Doc), pattern) { // as semver-mode
			return false
		}
		return !slices.Contains(called[r.ID], pattern) && (len(parts) == 0 || slices.ContainsFunc(parts, isMissing))
	})
}
