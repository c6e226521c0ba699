package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

const configName = "config"

const configHelp = `examples:
  olmgraph config init            write a commented .olmgraph.yaml into this folder
  olmgraph config schema          its JSON Schema, for editors
  olmgraph config check           check the nearest .olmgraph.yaml

exit status: 0; 2 misuse, or a configuration that cannot be read; 3 the file could not be written.`

func configCommand() command {
	return command{
		name:     configName,
		usage:    "write, check or describe " + lint.ConfigName,
		args:     "init [FILE]|check [FILE]|schema",
		help:     configHelp,
		synonyms: map[string]string{"init": "init"},
		takes: takes{complete: func(args []string) []string {
			if len(args) > 0 {
				return nil
			}
			return []string{"init\twrite it", "check\tcheck it", "schema\tits JSON Schema"}
		}},
		run: runConfig,
	}
}

func runConfig(c *cli.Context, s *session, to outputs) error {
	what, file := c.Args().Get(0), c.Args().Get(1)
	switch {
	case what == "schema" && c.NArg() == 1:
		return writeConfigSchema(s.streams)
	case what == "init" && c.NArg() <= 2:
		return initConfig(s.streams, file)
	case what == "check" && c.NArg() <= 2:
		return checkConfig(s.streams, file)
	}
	if c.NArg() == 0 {
		return suggestCommand(misusef("config needs init, schema or check"), "config", "init")
	}
	if named, _, n := findSynonym([]string{what}); n > 0 && named.name == lintCommand().name || what == lintCommand().name { // as config validate
		return suggestCommand(misusef("config has no %s; did you mean check?", what), append([]string{"config", "check"}, c.Args().Tail()...)...)
	}
	return suggestCommand(misusef("config needs init, schema or check"), "config", "--help")
}

func writeConfigSchema(s streams) error {
	text, err := lint.ConfigSchema(rules.All())
	if err == nil {
		_, err = fmt.Fprintf(s.stdout, "%s\n", text)
	}
	return err
}

// initConfig writes an example configuration. It never overwrites a file.
func initConfig(s streams, name string) error {
	if name == "" {
		name = lint.ConfigName
	}
	err := disk.Create(name, []byte(lint.ConfigExample))
	if errors.Is(err, fs.ErrExist) {
		if disk.IsFile(name) && len(head(name, 1)) == 0 { // as the shell makes it for >
			return suggestCommand(misuse{words.Advice{Err: fmt.Errorf("%s already exists, and is empty: config init writes the file itself, without >", name), Command: "rm " + words.ShellWord(name)}}, "config", "init", name)
		}
		return misusef("%s already exists", name)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "%s lists the settings; everything in it is a comment.\nPut it above the catalog's folder: opm rejects a catalog that contains it,\nunless .indexignore names it.\n", name)
	return err
}

func checkConfig(s streams, name string) error {
	if name == "" {
		var err error
		if name, err = lint.FindConfig("."); err != nil {
			return misuse{err}
		} else if name == "" {
			return misusef("there is no %s in this folder or above it", lint.ConfigName)
		}
	}
	config, err := lint.ReadConfig(name, rules.All())
	if err != nil {
		return misuse{err}
	}
	for _, dir := range config.Bundles {
		if !disk.IsFolder(filepath.Join(filepath.Dir(name), filepath.FromSlash(dir))) {
			return misusef("%s: bundles: there is no folder %s", name, dir)
		}
	}
	_, err = fmt.Fprintf(s.stdout, "%s can be read.\n", name)
	return err
}

// configs are the configurations of the catalogs of a run: each catalog has the one that is nearest to it.
type configs struct {
	file      string   // of --config, for all catalogs; may be ""
	refs      []string // of the catalogs
	prepare   func(*lint.Config)
	base      *baseFiles // that decides; nil if the files themselves do
	byFile    map[string]*lint.Config
	byCatalog map[string]*lint.Config
}

// baseFiles reads files as the base of a change has them.
type baseFiles struct {
	ctx     context.Context
	at      compare.Base
	now     string         // the first of the catalogs that are compared with it
	changed []catalogs.Pos // files that are not as in the base
	known   map[string][]byte
}

// read returns the text of a file as it counts, nil if there is none.
func (b *baseFiles) read(name string) ([]byte, error) {
	if b != nil {
		if text, ok := b.known[name]; ok {
			return text, nil
		}
	}
	text, err := b.readNow(name)
	if b != nil && err == nil {
		b.known[name] = text
	}
	return text, err
}

func (b *baseFiles) readNow(name string) ([]byte, error) {
	text, err := readRegular(name)
	if b == nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	was, inChange, errBase := b.at.ReadFile(b.ctx, name, b.now)
	switch {
	case errBase != nil:
		return nil, fmt.Errorf("base: %w", errBase)
	case !inChange && err != nil:
		return nil, nil
	case !inChange:
		return text, nil
	}
	if pos := (catalogs.Pos{File: filepath.ToSlash(name)}); !bytes.Equal(text, was) && !slices.Contains(b.changed, pos) {
		b.changed = append(b.changed, pos)
	}
	return was, nil
}

// readRegular reads a file. Anything else than a regular file is not there.
func readRegular(name string) ([]byte, error) {
	if !disk.IsFile(name) {
		return nil, fs.ErrNotExist
	}
	return disk.Read(name, disk.MaxText)
}

// pipelines lets the organizations that the base names decide which pipelines judge catalogs.
func (b *baseFiles) pipelines(pairs []compare.Pair) {
	for i := range pairs {
		now, was := pairs[i].Now, pairs[i].Base
		if b == nil || was == nil || was.Repository == nil || now.Repository != nil && now.Repository.Organization.Value == was.Repository.Organization.Value {
			continue
		}
		if now.Repository != nil && !slices.Contains(b.changed, now.Repository.Organization.Pos) {
			b.changed = append(b.changed, now.Repository.Organization.Pos)
		}
		decided := *was.Repository
		if now.Repository != nil {
			decided.Registries = now.Repository.Registries
		}
		now.Repository = &decided
	}
}

// config returns the nearest configuration above a catalog that the base has, and its text; "" if there is none.
func (b *baseFiles) config(ref string) (string, []byte, error) {
	dir, err := filepath.Abs(ref)
	if disk.IsFile(dir) {
		dir = filepath.Dir(dir)
	}
	for err == nil {
		var text []byte
		name := lint.ConfigFile(ref, dir)
		if text, err = b.read(name); text != nil || err != nil || dir == filepath.Dir(dir) {
			return name, text, err
		}
		dir = filepath.Dir(dir)
	}
	return "", nil, err
}

// newConfigs reads the configurations of references, so that an error in them is reported first. prepare applies flags to each.
func newConfigs(file string, refs []string, base *baseFiles, prepare func(*lint.Config)) (*configs, error) {
	s := &configs{file: file, refs: refs, base: base, prepare: prepare, byFile: map[string]*lint.Config{}, byCatalog: map[string]*lint.Config{}}
	for _, ref := range refs {
		if _, err := s.readNearest(ref); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readNearest returns the configuration that is nearest to a catalog.
func (s *configs) readNearest(ref string) (*lint.Config, error) {
	name, err := configFile(s.file, ref)
	var text []byte
	if err == nil && s.base != nil {
		name, text, err = s.inBase(ref)
	}
	if err != nil || s.byFile[name] != nil {
		return s.byFile[name], err
	}
	config := &lint.Config{}
	switch {
	case s.base == nil:
		config, err = parseConfig(name)
	case text != nil:
		config, err = lint.ParseConfig(name, text, rules.All())
	}
	if err != nil {
		return nil, misuse{err}
	}
	s.prepare(config)
	s.byFile[name] = config
	return config, nil
}

// inBase returns the configuration that is nearest to a catalog as the base has it: its name and its text, nil if there is none.
func (s *configs) inBase(ref string) (string, []byte, error) {
	if s.file != "" {
		text, err := s.base.read(s.file)
		return s.file, text, err
	}
	if ref == "-" {
		ref = "."
	}
	return s.base.config(ref)
}

// add finds the configurations of catalogs.
func (s *configs) add(cats []*catalogs.Catalog) error {
	for _, c := range cats {
		ref := c.Name // begins with its reference
		if len(s.refs) == 1 {
			ref = subReference(s.refs[0], c.Name)
		}
		config, err := s.readNearest(ref)
		if err != nil {
			return err
		}
		s.byCatalog[c.Name] = config
	}
	return nil
}

// find returns the configuration of a catalog that was added.
func (s *configs) find(catalog string) *lint.Config { return s.byCatalog[catalog] }

// readConfig reads the configuration file name or, if name is "", the nearest one above the catalog. Without one it returns an
// empty configuration.
func readConfig(name, ref string) (*lint.Config, error) {
	name, err := configFile(name, ref)
	if err != nil {
		return nil, err
	}
	return parseConfig(name)
}

// configFile returns name or, if it is "", the name of the nearest configuration above the catalog, or "".
func configFile(name, ref string) (string, error) {
	if name != "" {
		return name, nil
	}
	if ref == "-" {
		ref = "."
	}
	name, err := lint.FindConfig(ref)
	if err != nil {
		return "", misuse{err}
	}
	return name, nil
}

// parseConfig reads a configuration; that without a name is empty.
func parseConfig(name string) (*lint.Config, error) {
	if name == "" {
		return &lint.Config{}, nil
	}
	config, err := lint.ReadConfig(name, rules.All())
	switch {
	case err != nil && ofPipeline.Match(head(name, headSize)):
		why := misusef("%s configures the pipeline of a catalog repository, where olmgraph reads it without a flag: --config is for an %s", name, lint.ConfigName)
		return nil, suggestion{error: why, was: name, withFlag: true}
	case err != nil:
		return nil, misuse{err}
	}
	return config, nil
}

// ofPipeline matches config.yaml of a catalog repository.
var ofPipeline = regexp.MustCompile(`(?m)^organization:`)

// subReference returns the reference of the catalog called name in ref, or ref itself if name is "".
func subReference(ref, name string) string {
	ref = filepath.ToSlash(ref)
	if trimmed := strings.TrimRight(ref, "/"); trimmed != "" {
		ref = trimmed
	}
	switch {
	case name == "":
		return ref
	case strings.HasSuffix(ref, ":"), strings.HasSuffix(ref, "/"): // git:REVISION:
		return ref + name
	}
	return ref + "/" + name
}
