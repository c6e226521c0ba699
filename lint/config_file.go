package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// ConfigName is the file name of the configuration of a repository.
const ConfigName = catalogs.ConfigName

// maxConfig is the maximum size of a configuration, in bytes.
const maxConfig = 1 << 20

// FindConfig returns the nearest configuration in the folder of a path or above it, or "". A link to a file of another name is an
// error: a catalog from an untrusted source could link to any file of the host, which the errors would quote.
func FindConfig(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", nil
	}
	for {
		name := filepath.Join(dir, ConfigName)
		if disk.IsFile(name) {
			shown := ConfigFile(path, dir)
			if target, err := disk.RealPath(name); err != nil || filepath.Base(target) != ConfigName {
				return "", fmt.Errorf("%s is a link to a file of another name, which is not read; name the file with --config", shown)
			}
			return shown, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// ConfigFile returns the name of the configuration in a folder above a path, as it is shown.
func ConfigFile(path, dir string) string {
	return filepath.ToSlash(displayPath(path, filepath.Join(dir, ConfigName)))
}

// displayPath returns name relative to the working directory if path is relative, so that code hosts find the positions in it.
func displayPath(path, name string) string {
	if filepath.IsAbs(path) {
		return name
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil {
		return rel
	}
	return name
}

// ReadConfig reads the configuration from a file. Unknown keys and rules are errors with their position.
func ReadConfig(name string, rules []Rule) (*Config, error) {
	text, err := disk.Read(name, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("the configuration %s cannot be read: %w", name, disk.Cause(err))
	}
	return ParseConfig(name, text, rules)
}

// ParseConfig parses a configuration. The name is for positions and errors.
func ParseConfig(name string, text []byte, rules []Rule) (*Config, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := configReader{name: name, rules: rules, config: &Config{}}
	if len(doc.Content) == 0 {
		return r.config, nil
	}
	r.eachKey(doc.Content[0], "the configuration", r.topLevelKey)
	return r.config, errors.Join(r.errs...)
}

// configReader decodes a configuration, and collects all errors in it.
type configReader struct {
	name   string
	rules  []Rule
	config *Config
	errs   []error
}

func (r *configReader) errorf(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.name, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// eachKey calls do for each key and value of a mapping.
func (r *configReader) eachKey(n *yaml.Node, what string, do func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "%s must be keys and values", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			r.errorf(key, "the key %q is there a second time", key.Value)
			continue
		}
		seen[key.Value] = true
		do(key, n.Content[i+1])
	}
}

var openShiftVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// configKeys returns the keys of a configuration with their decoders.
func configKeys() []configKey {
	return []configKey{
		{"rules", func(r *configReader, v *yaml.Node) { r.config.Severities = r.severities(v) }},
		{"overrides", func(r *configReader, v *yaml.Node) { r.eachItem(v, "overrides", r.override) }},
		{"suppressions", func(r *configReader, v *yaml.Node) { r.eachItem(v, "suppressions", r.suppression) }},
		{"registries", func(r *configReader, v *yaml.Node) { r.config.Registries = r.strings(v, "registries") }},
		{"bundles", (*configReader).bundles},
		{"maxHops", (*configReader).maxHops},
		{"openshift", (*configReader).openShift},
		{"kube", (*configReader).kube},
		{"pipeline", (*configReader).pipeline},
		{"migratesStorage", func(r *configReader, v *yaml.Node) {
			r.config.MigratesStorage = map[string]semver.Version{}
			r.eachKey(v, "migratesStorage", r.migration)
		}},
	}
}

type configKey struct {
	name string
	read func(*configReader, *yaml.Node)
}

func (r *configReader) topLevelKey(key, value *yaml.Node) {
	var names []string
	for _, known := range configKeys() {
		if known.name == key.Value {
			known.read(r, value)
			return
		}
		names = append(names, known.name)
	}
	r.reportUnknown(key, "key", names)
}

// reportUnknown reports an unknown name, with the nearest known one or all of them.
func (r *configReader) reportUnknown(n *yaml.Node, what string, known []string) {
	if near, ok := words.Nearest(n.Value, known); ok {
		r.errorf(n, "no %s %q; did you mean %s?", what, n.Value, near)
		return
	}
	r.errorf(n, "no %s %q; there are %s", what, n.Value, strings.Join(known, ", "))
}

func (r *configReader) bundles(value *yaml.Node) {
	r.config.Bundles = r.strings(value, "bundles")
	for _, dir := range r.config.Bundles {
		if !fs.ValidPath(dir) {
			r.errorf(value, "bundles: %q is not the path of a folder in the repository, relative to this file", dir)
		}
	}
}

func (r *configReader) maxHops(value *yaml.Node) {
	if err := value.Decode(&r.config.MaxHops); err != nil || r.config.MaxHops < 1 {
		r.errorf(value, "maxHops must be a number above 0")
	}
}

func (r *configReader) openShift(value *yaml.Node) {
	if r.config.OpenShift = value.Value; value.Kind != yaml.ScalarNode || !openShiftVersion.MatchString(value.Value) {
		r.errorf(value, `openshift must be a version like "4.18"`)
	}
}

func (r *configReader) kube(value *yaml.Node) {
	r.config.Kube = value.Value
	if _, err := ParseKubeVersion(value.Value); err != nil || value.Kind != yaml.ScalarNode {
		r.errorf(value, `kube must be a version like "1.29"`)
	}
}

func (r *configReader) pipeline(value *yaml.Node) {
	if r.config.Pipeline = value.Value; !slices.Contains(PipelineNames(), value.Value) {
		r.reportUnknown(value, "pipeline", PipelineNames())
	}
}

// eachItem calls do for each item of a list.
func (r *configReader) eachItem(n *yaml.Node, what string, do func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.errorf(n, "%s must be a list", what)
		return
	}
	for _, item := range n.Content {
		do(item)
	}
}

// strings decodes a list of strings.
func (r *configReader) strings(n *yaml.Node, what string) []string {
	var all []string
	r.eachItem(n, what, func(item *yaml.Node) {
		if item.Kind != yaml.ScalarNode || item.Value == "" {
			r.errorf(item, "%s must be a list of strings", what)
			return
		}
		all = append(all, item.Value)
	})
	return all
}

// patterns decodes a list of patterns of path.Match.
func (r *configReader) patterns(n *yaml.Node, what string) []string {
	all := r.strings(n, what)
	for _, pattern := range all {
		r.pattern(n, pattern)
	}
	return all
}

func (r *configReader) pattern(n *yaml.Node, pattern string) {
	if _, err := path.Match(pattern, ""); err != nil {
		r.errorf(n, "%q is not a pattern", pattern)
	}
}

func (r *configReader) override(n *yaml.Node) {
	var o Override
	r.eachKey(n, "an override", func(key, value *yaml.Node) {
		switch key.Value {
		case "packages":
			o.Packages = r.patterns(value, "packages")
		case "channels":
			o.Channels = r.patterns(value, "channels")
		case "rules":
			o.Severities = r.severities(value)
		default:
			r.reportUnknown(key, "key of an override", []string{"packages", "channels", "rules"})
		}
	})
	if len(o.Severities) == 0 {
		r.errorf(n, "an override needs rules with a severity each")
	}
	r.config.Overrides = append(r.config.Overrides, o)
}

var datePattern = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

func (r *configReader) suppression(n *yaml.Node) {
	s := Suppression{Pos: catalogs.Pos{File: r.name, Line: n.Line, Col: n.Column}}
	fields := map[string]*string{"rule": &s.Rule, "package": &s.Package, "channel": &s.Channel, "bundle": &s.Bundle, "reason": &s.Reason, "expires": &s.Expires}
	r.eachKey(n, "a suppression", func(key, value *yaml.Node) {
		field := fields[key.Value]
		switch {
		case field == nil:
			r.reportUnknown(key, "key of a suppression", []string{"rule", "package", "channel", "bundle", "reason", "expires"})
		case value.Kind != yaml.ScalarNode:
			r.errorf(value, "%s must be a string", key.Value)
		default:
			*field = value.Value
			if field != &s.Reason {
				r.pattern(value, value.Value)
			}
		}
	})
	switch {
	case s.Rule == "":
		r.errorf(n, "a suppression needs a rule")
	case !isKnownRule(r.rules, s.Rule):
		r.unknownRule(n, s.Rule)
	case r.alwaysReported(s.Rule):
		r.errorf(n, alwaysError, s.Rule)
	case strings.TrimSpace(s.Reason) == "":
		r.errorf(n, "a suppression needs a reason")
	case s.Expires != "" && !datePattern.MatchString(s.Expires):
		r.errorf(n, "expires must be a day, for example 2027-01-31, not %q", s.Expires)
	}
	r.config.Suppressions = append(r.config.Suppressions, s)
}

func (r *configReader) migration(key, value *yaml.Node) {
	since, err := semver.Parse(value.Value)
	if err != nil {
		r.errorf(value, `migratesStorage needs the version from which each package migrates, for example "1.3.0"`)
		return
	}
	r.config.MigratesStorage[key.Value] = since
}

// severities decodes a mapping of rules to severities.
func (r *configReader) severities(n *yaml.Node) map[string]Severity {
	all := map[string]Severity{}
	r.eachKey(n, "rules", func(key, value *yaml.Node) { r.ruleSeverity(all, key, value) })
	return all
}

func (r *configReader) ruleSeverity(all map[string]Severity, key, value *yaml.Node) {
	severity, err := ParseSeverity(value.Value)
	if err != nil {
		r.errorf(value, "%v", err)
	}
	switch {
	case r.alwaysReported(key.Value):
		r.errorf(key, alwaysError, key.Value)
	case !slices.ContainsFunc(r.rules, func(known Rule) bool { return known.ID == key.Value }):
		r.unknownRule(key, key.Value)
	}
	all[key.Value] = severity
}

const alwaysError = "%s is always an error: what could not be read was not checked"

// alwaysReported reports whether an ID is that of a rule that no setting applies to.
func (r *configReader) alwaysReported(id string) bool {
	return slices.ContainsFunc(r.rules, func(known Rule) bool { return known.ID == id && known.Unchecked.AlwaysReported() })
}

// unknownRule reports a name that no rule has: the nearest name.
func (r *configReader) unknownRule(n *yaml.Node, name string) {
	var ids []string
	for i := range r.rules {
		ids = append(ids, r.rules[i].ID)
	}
	near, ok := words.Nearest(name, ids)
	switch {
	case ok:
		r.errorf(n, "no rule %q; did you mean %s?", name, near)
	default:
		r.errorf(n, "no rule %q; olmgraph rules lists them", name)
	}
}
