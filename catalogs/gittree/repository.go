package gittree

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// repository is a repository on disk.
type repository struct {
	*store
	settings
	storage *filesystem.Storage // of references
	prefix  string              // the path of the working directory from the root of the work tree
	bare    bool                // there is no work tree
	shallow []hash              // commits whose parents were not fetched
	at      gitDir
	history bool // the history of a revision is needed, and not only its tree
}

// openRepository opens the repository that contains a folder. go-git's own search does not find a bare repository from a folder in it, and
// has no limit for the memory of its cache.
func openRepository(dir string, o Options) (*repository, error) {
	p, err := locate(dir)
	if err != nil {
		return nil, err
	}
	r := &repository{storage: openReferences(p), prefix: p.prefix, bare: p.bare, at: p}
	if r.settings, err = readSettings(r.storage); err != nil {
		return nil, err
	}
	if r.shallow, err = r.storage.Shallow(); err != nil {
		return nil, fmt.Errorf("the list of commits at which this shallow clone ends cannot be read: %w", err)
	}
	limit := max(o.maxSize(), maxMeta)
	r.store, err = o.Shared.open(storeKey{p.common, limit}, func() (*store, error) { return r.openStore(limit) })
	return r, err
}

// openStore opens the objects of a repository and of its alternates.
func (r *repository) openStore(limit int64) (*store, error) {
	dirs := []*dotgit.DotGit{dotgit.New(r.storage.Filesystem())}
	for _, objects := range alternates(filepath.Join(r.at.common, "objects")) {
		dirs = append(dirs, dotgit.New(regularFiles(filepath.Dir(objects))))
	}
	s, err := newStore(limit, dirs...)
	if err == nil {
		s.partial = r.settings.partial
	}
	return s, err
}

func (o Options) maxSize() int64 {
	if o.MaxSize <= 0 {
		return defaultMaxSize
	}
	return o.MaxSize
}

// openReferences returns the storage of the references of a repository.
func openReferences(p gitDir) *filesystem.Storage {
	var at billy.Filesystem = regularFiles(p.dotGit)
	if p.common != p.dotGit {
		at = dotgit.NewRepositoryFilesystem(at, regularFiles(p.common))
	}
	return filesystem.NewStorage(at, nil)
}

// gitDir is the location of a repository.
type gitDir struct {
	root   string // the folder of the work tree
	dotGit string // the folder with HEAD
	common string // the folder with the objects: another one for a linked work tree
	prefix string // see repository
	bare   bool
}

// locate searches for the repository of a folder in it and above it, as git does.
func locate(dir string) (gitDir, error) {
	start, err := disk.RealPath(dir)
	if err != nil {
		return gitDir{}, err
	}
	for at := start; ; at = filepath.Dir(at) {
		p, found, err := findRepository(at)
		if err != nil {
			return gitDir{}, err
		}
		if found {
			below, err := filepath.Rel(at, start)
			p.root, p.prefix = at, filepath.ToSlash(below)
			return p, err
		}
		if at == filepath.Dir(at) {
			return gitDir{}, errors.New("not in a git repository: neither the working directory nor one above it has a folder .git")
		}
	}
}

// findRepository reports whether one folder has a .git, or is a bare repository.
func findRepository(dir string) (gitDir, bool, error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := disk.Stat(dotGit)
	switch {
	case err != nil:
		return openGitDir(dir, true)
	case info.IsDir():
		return openGitDir(dotGit, false)
	}
	text, err := readLine(dotGit)
	if err != nil {
		return gitDir{}, false, err
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return gitDir{}, false, fmt.Errorf("%s does not say where the repository is: a line gitdir: is missing", dotGit)
	}
	if target = filepath.FromSlash(target); !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	p, found, err := openGitDir(target, false)
	if err == nil && !found {
		err = fmt.Errorf("%s says that the repository is in %s, but there is none", dotGit, target)
	}
	return p, found, err
}

// openGitDir reports whether a folder is a .git or a bare repository.
func openGitDir(dotGit string, bare bool) (gitDir, bool, error) {
	p := gitDir{dotGit: dotGit, common: dotGit, bare: bare}
	if text, err := readLine(filepath.Join(dotGit, "commondir")); err == nil {
		if p.common = filepath.FromSlash(text); !filepath.IsAbs(p.common) {
			p.common = filepath.Join(dotGit, p.common)
		}
	}
	return p, exists(dotGit, "HEAD") && exists(p.common, "objects") && exists(p.common, "refs"), nil
}

func exists(dir, name string) bool {
	_, err := disk.Lstat(filepath.Join(dir, name)) // HEAD may be a link to a branch that has no commit yet
	return err == nil
}

// readLine reads a file of one line.
func readLine(name string) (string, error) {
	text, err := disk.Read(name, maxLink)
	return strings.TrimRight(string(text), "\r\n"), err
}

// settings are the settings of a repository that are needed to read it.
type settings struct {
	remotes  []string // sorted
	partial  bool     // objects are fetched when they are asked for
	reftable bool
}

// readSettings reads the settings of a repository. If go-git cannot read them, there are none.
func readSettings(from *filesystem.Storage) (settings, error) {
	all, err := from.Config()
	if err != nil {
		return settings{}, nil
	}
	extensions := all.Raw.Section("extensions")
	if format := extensions.Option("objectformat"); format != "" && format != "sha1" {
		return settings{}, fmt.Errorf("the repository names its objects by %s, and only sha1 can be read: "+
			"check the revision out, and give the folder", format)
	}
	s := settings{partial: extensions.Option("partialclone") != "", reftable: extensions.Option("refstorage") == "reftable"}
	for _, remote := range all.Raw.Section("remote").Subsections {
		s.remotes = append(s.remotes, remote.Name)
		s.partial = s.partial || remote.Option("promisor") == "true"
	}
	slices.Sort(s.remotes)
	return s, nil
}

// remote returns the remote to name in a git fetch, or "".
func (s settings) remote() string {
	switch {
	case slices.Contains(s.remotes, "origin"):
		return "origin"
	case len(s.remotes) > 0:
		return s.remotes[0]
	}
	return ""
}
