package lint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/blang/semver/v4"
	"gopkg.in/yaml.v3"
)

// ConfigName is what the configuration of a repository is called.
const ConfigName = ".olmgraph.yaml"

// maxConfig bounds what is read of a configuration.
const maxConfig = 1 << 20

// FindConfig returns the nearest configuration in the folder of a path or above it, or "".
func FindConfig(path string) string {
	dir, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	for {
		name := filepath.Join(dir, ConfigName)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// ReadConfig reads a configuration. What it does not know is an error with its place.
func ReadConfig(name string) (*Config, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("the configuration %s cannot be read: %w", name, err)
	}
	if len(text) > maxConfig {
		return nil, fmt.Errorf("%s: a configuration of more than 1 MiB", name)
	}
	return ParseConfig(name, text)
}

// ParseConfig reads the text of a configuration; name is for its errors.
func ParseConfig(name string, text []byte) (*Config, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := configReader{name: name, config: &Config{}}
	if len(doc.Content) == 0 {
		return r.config, nil
	}
	r.each(doc.Content[0], "the configuration", r.key)
	return r.config, errors.Join(r.errs...)
}

type configReader struct {
	name   string
	config *Config
	errs   []error
}

func (r *configReader) fail(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.name, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// each calls do for each key and value of a mapping.
func (r *configReader) each(n *yaml.Node, what string, do func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s must be keys and values", what)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i], n.Content[i+1])
	}
}

var openShiftVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

func (r *configReader) key(key, value *yaml.Node) {
	switch key.Value {
	case "rules":
		r.config.Severities = map[string]Severity{}
		r.each(value, "rules", r.rule)
	case "maxHops":
		if err := value.Decode(&r.config.MaxHops); err != nil || r.config.MaxHops < 1 {
			r.fail(value, "maxHops must be a number above 0")
		}
	case "openshift":
		if r.config.OpenShift = value.Value; value.Kind != yaml.ScalarNode || !openShiftVersion.MatchString(value.Value) {
			r.fail(value, `openshift must be a version like "4.18"`)
		}
	case "migratesStorage":
		r.config.MigratesStorage = map[string]semver.Version{}
		r.each(value, "migratesStorage", r.migration)
	case "kube":
		r.config.Kube = value.Value
		if _, err := ParseKube(value.Value); err != nil || value.Kind != yaml.ScalarNode {
			r.fail(value, `kube must be a version like "1.29"`)
		}
	default:
		r.fail(key, "no key %q; there are rules, maxHops, openshift, kube and migratesStorage", key.Value)
	}
}

func (r *configReader) migration(key, value *yaml.Node) {
	since, err := semver.Parse(value.Value)
	if err != nil {
		r.fail(value, `migratesStorage needs packages with the version since which each migrates, as "1.3.0"`)
		return
	}
	r.config.MigratesStorage[key.Value] = since
}

func (r *configReader) rule(key, value *yaml.Node) {
	severity, err := ParseSeverity(value.Value)
	if value.Tag == "!!bool" && value.Value == "off" {
		severity, err = Off, nil
	}
	if err != nil {
		r.fail(value, "%v", err)
	}
	var ids []string
	for _, known := range Rules() {
		ids = append(ids, known.ID)
		if known.ID == key.Value {
			if known.ID == ParseRule {
				r.fail(key, "%s is always an error: what could not be read was not judged", ParseRule)
			}
			r.config.Severities[key.Value] = severity
			return
		}
	}
	if near, ok := nearest(key.Value, ids); ok {
		r.fail(key, "no rule %q; did you mean %s?", key.Value, near)
		return
	}
	r.fail(key, "no rule %q; olmgraph rules lists them", key.Value)
}
