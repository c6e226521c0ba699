package lint

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
)

// Suppression suppresses findings. Rule, Package, Channel and Bundle are patterns of path.Match; an empty one matches everything.
type Suppression struct {
	Rule, Package, Channel, Bundle string
	Reason                         string // never empty
	Expires                        string // the last day of the suppression, for example 2027-01-31; "": no limit
	Pos                            catalogs.Pos
}

// matches reports whether s suppresses a finding.
func (s *Suppression) matches(f *Finding) bool {
	return matchesPattern(s.Rule, f.Rule) && matchesPattern(s.Package, f.Package) && matchesPattern(s.Channel, f.Channel) && matchesPattern(s.Bundle, f.Bundle)
}

// matchesPattern reports whether a name matches a pattern. The name of a family matches all of its rules.
func matchesPattern(pattern, name string) bool {
	if pattern == "" || pattern == name {
		return true
	}
	if ok, _ := path.Match(pattern, name); ok {
		return true
	}
	ok, _ := path.Match(pattern+"/*", name)
	return ok
}

// suppressor applies suppressions and comments to findings, and reports those that have no effect.
type suppressor struct {
	options    *Options
	configs    []*Config                // of the catalogs
	comments   map[sourceLine][]comment // by the lines they apply to
	seen       map[catalogs.Ignore]bool
	used       map[catalogs.Pos]bool
	incomplete bool                   // something was not checked
	checked    memo.Map[string, bool] // by patterns
	found      []Finding
}

// comment is a comment in a catalog with this configuration.
type comment struct {
	catalogs.Ignore
	config *Config
}

func newSuppressor(o *Options) *suppressor {
	return &suppressor{options: o, comments: map[sourceLine][]comment{}, seen: map[catalogs.Ignore]bool{}, used: map[catalogs.Pos]bool{}}
}

// mark sets Suppressed in the findings that the configuration or a comment suppresses.
func (s *suppressor) mark(all []Finding) {
	for i := range all {
		f := &all[i]
		if f.Unchecked.AlwaysReported() {
			s.incomplete = true
			continue
		}
		s.markByConfig(f)
		s.markByComment(f)
	}
}

// ownFindings returns the findings about suppressions, comments and the baseline themselves.
func (s *suppressor) ownFindings() []Finding {
	s.reportUnused()
	s.reportStale()
	for _, pos := range s.options.Changed {
		s.report(&Config{}, &Changed, pos, "this is not as in the base, and counts as it is there: a change does not decide how it is judged",
			"merge it in a change of its own, or accept it with --trust-changes", pos.File)
	}
	return s.found
}

// report adds a finding of a rule, unless it does not run or the configuration disables it.
func (s *suppressor) report(config *Config, rule *Rule, pos catalogs.Pos, message, fix string, cause ...string) {
	f := rule.finding(pos, message, fix)
	f.Cause = cause
	s.found = s.options.addOwn(s.found, config, f)
}

func (s *suppressor) markByConfig(f *Finding) {
	config := s.options.catalogConfig(f.Catalog)
	for i := range config.Suppressions {
		one := &config.Suppressions[i]
		if one.matches(f) {
			s.used[one.Pos] = true
			if !s.options.isExpired(one) && f.Suppressed == "" {
				f.Suppressed = one.Reason
			}
		}
	}
}

func (o *Options) isExpired(s *Suppression) bool {
	return s.Expires != "" && o.Today != "" && o.Today > s.Expires
}

// sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

// readComments collects the comments of catalogs by the lines that they apply to. It ignores files outside of a catalog, whose
// contents must not be quoted.
func (s *suppressor) readComments(cats []*catalogs.Catalog) {
	trusted := s.options.baseComments()
	for _, c := range cats {
		config := s.options.catalogConfig(c.Name)
		if !slices.Contains(s.configs, config) {
			s.configs = append(s.configs, config)
		}
		for _, ignore := range c.Ignores() {
			key, one := sourceLine{ignore.Pos.File, ignore.Line}, comment{ignore, config}
			switch {
			case s.seen[ignore]: // another catalog has the same files
			case c.Source.IsRestricted(ignore.Pos.File):
			case ignore.Rule == "" || ignore.Reason == "":
				s.reportComment(one, "does not say "+missingPart(ignore))
			case !isKnownRule(s.options.allRules(), ignore.Rule):
				s.reportComment(one, fmt.Sprintf("names no rule: %q", ignore.Rule))
			case trusted != nil && !trusted[identify(c, ignore)]:
				s.report(&Config{}, &Changed, ignore.Pos, fmt.Sprintf("the comment that ignores %s is not in the base, and does not count", ignore.Rule),
					"merge it in a change of its own, or accept it with --trust-changes", ignore.Rule, ignore.Reason)
			default:
				s.comments[key] = append(s.comments[key], one)
			}
			s.seen[ignore] = true
		}
	}
}

// commentID identifies a comment in a catalog and in its base. The OpenShift version is not part of the path: the catalog of the next one
// begins as a copy.
type commentID struct{ path, rule, line string }

func identify(c *catalogs.Catalog, one catalogs.Ignore) commentID {
	return commentID{openShiftFolder.ReplaceAllString(c.SourcePath(one.Pos.File), "/"), one.Rule, one.Text}
}

var openShiftFolder = regexp.MustCompile(`(^|/)[^/]*\d+\.\d+/`)

// baseComments returns the comments of the bases, nil if all comments count.
func (o *Options) baseComments() map[commentID]bool {
	if len(o.Base) == 0 || o.TrustChanges {
		return nil
	}
	known := map[commentID]bool{}
	for i := range o.Base {
		for _, c := range append(slices.Clone(o.Base[i].Elsewhere), o.Base[i].Base) {
			if c == nil {
				continue
			}
			for _, one := range c.Ignores() {
				known[identify(c, one)] = true
			}
		}
	}
	return known
}

// missingPart says which part a comment lacks.
func missingPart(c catalogs.Ignore) string {
	if c.Rule == "" {
		return "which rule to ignore"
	}
	return "why " + c.Rule + " is ignored"
}

func (s *suppressor) reportComment(c comment, what string) {
	s.report(c.config, &BadIgnore, c.Pos, "the comment "+what+", and has no effect", "write # olmgraph:ignore RULE REASON", c.Rule)
}

// isKnownRule reports whether a pattern matches a rule.
func isKnownRule(rules []Rule, pattern string) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return matchesPattern(pattern, r.ID) })
}

func (s *suppressor) markByComment(f *Finding) {
	for _, c := range s.comments[sourceLine{f.Pos.File, f.Pos.Line}] {
		if matchesPattern(c.Rule, f.Rule) {
			s.used[c.Pos] = true
			if f.Suppressed == "" {
				f.Suppressed = c.Reason
			}
		}
	}
}

// reportUnused reports suppressions and comments that have no effect, or no longer.
func (s *suppressor) reportUnused() {
	for _, config := range s.configs {
		s.reportUnusedIn(config)
	}
	var left []comment
	for _, all := range s.comments {
		for _, c := range all {
			if !s.used[c.Pos] && s.checkedAll(c.Rule) {
				left = append(left, c)
			}
		}
	}
	slices.SortFunc(left, func(a, b comment) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	for _, c := range left {
		s.report(c.config, &UnusedSuppression, c.Pos, fmt.Sprintf("the comment has no effect: there is no %s in line %d", c.Rule, c.Line), "remove it", c.Rule, c.Reason)
	}
}

// reportUnusedIn reports the suppressions of a configuration that have no effect, or no longer.
func (s *suppressor) reportUnusedIn(config *Config) {
	for i := range config.Suppressions {
		one := &config.Suppressions[i]
		switch {
		case s.options.isExpired(one):
			s.report(config, &ExpiredSuppression, one.Pos, fmt.Sprintf("the suppression of %s expired after %s: its finding is reported again", one.Rule, one.Expires),
				"fix the finding, or set a later day", one.Rule, one.Package, one.Channel, one.Bundle, one.Expires)
		case !s.used[one.Pos] && s.checkedAll(one.Rule):
			s.report(config, &UnusedSuppression, one.Pos, fmt.Sprintf("the suppression of %s has no effect", one.Rule), "remove it", one.Rule, one.Package, one.Channel, one.Bundle)
		}
	}
}

// checkedAll reports whether all matching rules ran without filters, so that a missing finding is fixed. Rules that need a base
// are left out: their findings come and go with the base.
func (s *suppressor) checkedAll(pattern string) bool {
	o := s.options
	if s.incomplete || len(o.Packages) > 0 || len(o.Channels) > 0 || len(o.Base) > 0 || o.Gates != 0 || o.MinSeverity > Info {
		return false
	}
	return s.checked.Get(pattern, func() (seen bool) {
		for _, r := range o.allRules() {
			switch {
			case r.NeedsBase || !matchesPattern(pattern, r.ID):
			case slices.ContainsFunc(o.Rules, func(run Rule) bool { return run.ID == r.ID }):
				seen = true
			default:
				return false
			}
		}
		return seen
	})
}

// reportStale reports the findings of the baseline that are not found any more.
func (s *suppressor) reportStale() {
	if s.options.Baseline == nil {
		return
	}
	for _, e := range s.options.Baseline.UnmatchedEntries() {
		if !s.checkedAll(e.Rule) {
			continue
		}
		s.report(s.options.Config, &StaleBaseline, catalogs.Pos{File: s.options.Baseline.Name},
			fmt.Sprintf("no longer found: %s, %s", e.Rule, e.Message), "write the baseline again, with --write-baseline", e.Fingerprints...)
	}
}
