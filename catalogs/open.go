package catalogs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Options say where Open may read from and whom it tells how far it is.
type Options struct {
	Stdin    io.Reader         // what the reference "-" stands for
	Package  string            // read only what belongs to this package; what cannot is not even parsed
	Progress func(bytes int64) // called with each piece that was read
}

// Open reads the catalogs that a reference stands for: a folder, a file, or "-" for standard input. Mostly that is one. A
// folder is several catalogs where all its folders are named after an OpenShift version, as v4.18, 4.18 or
// community-v4.18: then each of them is one, and so is each file of such a name; other files there are not looked at.
func Open(ctx context.Context, ref string, o Options) ([]*Catalog, error) {
	if ref == "-" {
		return one(openStdin(ctx, o))
	}
	info, err := os.Stat(ref)
	if err != nil {
		return nil, cannotOpen(ref, err)
	}
	if !info.IsDir() {
		return one(openFile(ctx, ref, info, o))
	}
	names, err := versioned(ref)
	if err != nil {
		return nil, cannotOpen(ref, err)
	}
	if len(names) == 0 {
		return one(openFolder(ctx, ref, o))
	}
	var all []*Catalog
	for _, name := range names {
		cats, err := openNamed(ctx, filepath.Join(ref, name), o)
		if err != nil {
			return nil, err
		}
		for _, c := range cats {
			c.Name = name
		}
		all = append(all, cats...)
	}
	return all, nil
}

func one(c *Catalog, err error) ([]*Catalog, error) {
	if err != nil {
		return nil, err
	}
	return []*Catalog{c}, nil
}

// cannotOpen words an error of the file system for whoever wrote the reference.
func cannotOpen(ref string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file or folder", ref)
	}
	return fmt.Errorf("%s: %w", ref, cause(err))
}

// versionName is the name of a catalog for one OpenShift version.
var versionName = regexp.MustCompile(`^(.*-)?v?([4-9]\.[0-9]{1,2})$`)

// versioned returns the names in a folder that stand for a catalog each, sorted by version; none if the folder is one.
func versioned(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	folders := 0
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		isVersion := openShift(name) != ""
		if e.IsDir() {
			if !isVersion {
				return nil, nil
			}
			folders++
		}
		if isVersion {
			names = append(names, name)
		}
	}
	if folders == 0 {
		return nil, nil
	}
	slices.SortFunc(names, compareVersionNames)
	return names, nil
}

// catalogExt returns a name's ending if it is one that catalogs have: v4.18.json is named after 4.18, and so is v4.18.
func catalogExt(name string) string {
	for _, ext := range []string{".json", ".yaml", ".yml"} {
		if strings.HasSuffix(name, ext) {
			return ext
		}
	}
	return ""
}

// compareVersionNames puts v4.9 before v4.10.
func compareVersionNames(a, b string) int {
	return cmp.Or(cmp.Compare(versionNumber(a), versionNumber(b)), cmp.Compare(a, b))
}

// openShift returns the OpenShift version that a file or folder is named after, or "".
func openShift(name string) string {
	if m := versionName.FindStringSubmatch(strings.TrimSuffix(name, catalogExt(name))); m != nil {
		return m[2]
	}
	return ""
}

// versionNumber returns a number by which names sort like the versions in them.
func versionNumber(name string) int {
	major, minor, _ := strings.Cut(openShift(name), ".")
	x, _ := strconv.Atoi(major)
	y, _ := strconv.Atoi(minor)
	return 100*x + y
}

func openNamed(ctx context.Context, path string, o Options) ([]*Catalog, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannotOpen(path, err)
	}
	if info.IsDir() {
		return one(openFolder(ctx, path, o))
	}
	return one(openFile(ctx, path, info, o))
}

func openStdin(ctx context.Context, o Options) (*Catalog, error) {
	if o.Stdin == nil {
		return nil, errors.New("there is no standard input to read the catalog from")
	}
	return openStream(ctx, o.Stdin, "stdin", o)
}

// openStream reads a catalog that can be read only once. Its text is kept.
func openStream(ctx context.Context, r io.Reader, name string, o Options) (*Catalog, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxDocument {
		return nil, fmt.Errorf("%s: more than 512 MiB: give the catalog as a file", name)
	}
	return load(ctx, &source{fsys: memory{name: name, data: data}}, []string{name}, nil, o)
}

func openFile(ctx context.Context, path string, info fs.FileInfo, o Options) (*Catalog, error) {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		dir, name := filepath.Dir(path), filepath.Base(path)
		s := &source{fsys: os.DirFS(dir), prefix: filepath.ToSlash(dir)}
		return named(path)(load(ctx, s, []string{name}, nil, o))
	case mode&fs.ModeNamedPipe != 0 && strings.HasPrefix(path, "/dev/fd/"): // a shell's <(command)
		f, err := os.Open(path)
		if err != nil {
			return nil, cannotOpen(path, err)
		}
		defer f.Close()
		return openStream(ctx, f, path, o)
	case mode&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s: a named pipe; to read a catalog from a pipe, give - and redirect standard input", path)
	}
	return nil, fmt.Errorf("%s: neither a folder nor a regular file", path)
}

func openFolder(ctx context.Context, dir string, o Options) (*Catalog, error) {
	s := &source{fsys: os.DirFS(dir), prefix: filepath.ToSlash(dir)}
	paths, problems := walk(s)
	return named(dir)(load(ctx, s, paths, problems, o))
}

// named returns a function that adds to a catalog the OpenShift version that its path ends in.
func named(path string) func(*Catalog, error) (*Catalog, error) {
	return func(c *Catalog, err error) (*Catalog, error) {
		if abs, absErr := filepath.Abs(path); err == nil && absErr == nil {
			c.OpenShift = openShift(filepath.Base(abs))
		}
		return c, err
	}
}
