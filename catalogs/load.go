package catalogs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/indexignore"
	"github.com/olmgraph/olmgraph/catalogs/mention"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// chunkSize is how much of a file is read before it is cut at a document's end and handed to a worker, in bytes.
const chunkSize = 256 << 10

// chunkJob is a chunk, and the objects that a worker reads from it.
type chunkJob struct {
	file    *file
	chunk   stream.Chunk
	objects *objects
}

// loader reads files, hands their chunks to workers and collects the objects in the order of the text.
type loader struct {
	source   *source
	size     int // of a chunk, in bytes
	filter   packageFilter
	progress func(bytes int64)
	chunks   []*chunkJob
	queue    chan *chunkJob
	buffers  chan []byte
	problems []Problem
	stats    Stats
	unread   mention.Words // of files
}

// loadOrDefer reads the files of a source into a file-based catalog, or returns a catalog for Read if Options defer that.
func loadOrDefer(ctx context.Context, s *source, paths []string, problems []Problem, o Options) (*Catalog, error) {
	if o.Deferred {
		return &Catalog{Form: FileBased, Problems: problems, source: s, deferred: &deferredFiles{unread{s, paths, problems, o}}}, nil
	}
	return load(ctx, s, paths, problems, o)
}

// load reads the files of a source into a file-based catalog.
func load(ctx context.Context, s *source, paths []string, problems []Problem, o Options) (*Catalog, error) {
	s.asIntended = o.AsIntended
	l := &loader{source: s, size: chunkSize, problems: problems, filter: packageFilter(o.Package), progress: o.Progress}
	return l.load(ctx, paths)
}

// walk returns the files of a source that opm reads as parts of a file-based catalog, and what of them cannot be read. A .git on disk is
// left out: no image is made of it.
func walk(s *source) (paths []string, problems []Problem) {
	paths, faults := indexignore.Files(s.fsys, s.openPatterns(), func(name string) bool { return s.onDisk && path.Base(name) == gitFolder })
	for _, f := range faults {
		problems = append(problems, Problem{Kind: ParseProblem, Pos: Pos{s.display(f.Name), f.Line, min(f.Line, 1)},
			Message: fmt.Sprintf("cannot be read: %v", fserror.Cause(f.Err))})
	}
	return paths, problems
}

// openPatterns opens an .indexignore.
func (s *source) openPatterns() func(name string) (fs.File, error) {
	return func(name string) (fs.File, error) {
		opened, _, err := open(s.file(name))
		return opened, err
	}
}

func (l *loader) load(ctx context.Context, paths []string) (*Catalog, error) {
	workers := runtime.GOMAXPROCS(0)
	l.queue, l.buffers = make(chan *chunkJob, workers), make(chan []byte, 2*workers+2)
	l.source.valid.seed = maphash.MakeSeed()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var scratch tree.Scratch
			for job := range l.queue {
				job.objects = read(job.file, job.chunk, l.filter, &scratch)
				l.release(job)
			}
		})
	}
	for _, path := range paths {
		if ctx.Err() == nil {
			l.readFile(path)
		}
	}
	close(l.queue)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.rereadAmbiguous()
	return l.assemble(), nil
}

// release returns a chunk's buffer for another chunk, unless it has grown.
func (l *loader) release(s *chunkJob) {
	if cap(s.chunk.Text) <= 2*l.size {
		select {
		case l.buffers <- s.chunk.Text[:0]:
		default:
		}
	}
	s.chunk.Text = nil
}

func (l *loader) buffer() []byte {
	select {
	case b := <-l.buffers:
		return b
	default:
		return make([]byte, 0, l.size)
	}
}

func (l *loader) readFile(path string) {
	f := l.source.file(path)
	if err := l.splitFile(f); err != nil {
		l.unreadable(f.name, err)
	}
	l.stats.Files++
}

func (l *loader) splitFile(f *file) error {
	opened, info, err := open(f)
	if err != nil {
		return err
	}
	defer opened.Close()
	text, err := l.text(opened, f)
	if err != nil {
		return err
	}
	return stream.Split(text, info.Size(), l.buffer, func(c stream.Chunk) {
		l.stats.Bytes += int64(len(c.Text))
		if l.progress != nil {
			l.progress(int64(len(c.Text)))
		}
		s := &chunkJob{file: f, chunk: c}
		l.chunks = append(l.chunks, s)
		l.queue <- s
	})
}

// open opens a file of a source. With links followed it has to be a regular file: opm rejects a linked folder, and reading a named
// pipe may never end.
func open(f *file) (fs.File, fs.FileInfo, error) {
	info, err := fs.Stat(f.source.fsys, f.path)
	if err != nil {
		return nil, nil, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, nil, errors.New("a link to a folder: opm rejects it, since it reads it as a file")
	case mode&fs.ModeNamedPipe != 0:
		return nil, nil, errors.New("a named pipe: opm would block reading it")
	case !mode.IsRegular():
		return nil, nil, errors.New("not a regular file")
	case info.Size() == 0 && f.source.restriction(f.name) == outsideCatalog: // as the files of /proc are, some of which never end
		return nil, nil, fmt.Errorf("%w, to an empty file or one without a known size", errOutside)
	}
	opened, err := f.source.fsys.Open(f.path)
	return opened, info, err
}

func (l *loader) unreadable(name string, err error) {
	if known, ok := errors.AsType[*filetype.Error](err); ok {
		l.problems = append(l.problems, Problem{Kind: ParseProblem, Pos: Pos{File: name}, Message: known.Error(),
			Fix: cmp.Or(known.Fix(), "take it out of the catalog's folder, or name it in .indexignore")})
		return
	}
	l.unread.AddAny()
	l.problems = append(l.problems, Problem{Kind: ParseProblem, Pos: Pos{File: name},
		Message: fmt.Sprintf("cannot be read: %v", fserror.Cause(err))})
}

// text returns a reader of a file, or an error if it is binary. The rows of a database are always JSON.
func (l *loader) text(opened io.Reader, f *file) (io.Reader, error) {
	if l.source.database {
		return opened, nil
	}
	return filetype.RefuseBinary(opened, f.name)
}

// rereadAmbiguous reads a file of several chunks as one if its JSON has a fault at the first or the second object: then opm tries the
// rest of the file as YAML (see stream.Reader.Read).
func (l *loader) rereadAmbiguous() {
	kept := l.chunks[:0]
	for i := 0; i < len(l.chunks); {
		j, before, ambiguous := i, 0, false
		for ; j < len(l.chunks) && l.chunks[j].file == l.chunks[i].file; j++ {
			o := l.chunks[j].objects
			ambiguous = ambiguous || o.text.firstError >= 0 && before+o.text.firstError <= 1
			before += o.count
		}
		if ambiguous && j-i > 1 {
			kept = append(kept, l.whole(l.chunks[i]))
		} else {
			kept = append(kept, l.chunks[i:j]...)
		}
		i = j
	}
	l.chunks = kept
}

func (l *loader) whole(s *chunkJob) *chunkJob {
	text, err := readAll(s.file)
	if err != nil {
		l.unreadable(s.file.name, err)
		return s
	}
	s.objects = read(s.file, stream.Whole(text), l.filter, new(tree.Scratch))
	return s
}

// readAll returns the text of a file, which may be as large as a document.
func readAll(f *file) ([]byte, error) {
	opened, info, err := open(f)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return readUpTo(opened, info.Size(), stream.MaxDocument)
}

// readInto is readAll into a buffer.
func readInto(buffer *[]byte, f *file) ([]byte, error) {
	opened, info, err := open(f)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	if info.Size() > stream.MaxDocument {
		return nil, stream.ErrTooLarge
	}
	*buffer = slices.Grow((*buffer)[:0], int(info.Size()))
	text := (*buffer)[:info.Size()]
	return text, readAt(opened, text, 0)
}

// readUpTo reads a text of at most limit bytes. Its size may differ from the one that is known: files can grow while they are read.
func readUpTo(r io.Reader, size, limit int64) ([]byte, error) {
	var text bytes.Buffer
	text.Grow(int(min(size, limit)) + bytes.MinRead)
	_, err := text.ReadFrom(io.LimitReader(r, limit+1))
	if err == nil && int64(text.Len()) > limit {
		err = stream.ErrTooLarge
	}
	return text.Bytes(), err
}

// assemble returns the catalog of the objects of one file.
func assemble(f *file, all *objects, stats Stats) *Catalog {
	l := &loader{source: f.source, chunks: []*chunkJob{{file: f, objects: all}}, stats: stats}
	return l.assemble()
}

// assemble returns the catalog of all objects that were read.
func (l *loader) assemble() *Catalog {
	var all objects
	for _, s := range l.chunks {
		all.add(s.objects)
	}
	all.foreign = mergeForeign(all.foreign)
	all.text.problems = append(all.text.problems, foreignProblems(all.foreign)...)
	c := &Catalog{Form: FileBased, Problems: append(l.problems, all.text.problems...), Foreign: all.foreign, filtered: l.filter != "", Others: all.others, Stats: l.stats, source: l.source, sums: all.sums}
	c.lost.Merge(&l.unread)
	c.lost.Merge(&all.text.unread)
	g := packageIndex{byName: map[string]*Package{}}
	for _, p := range all.packages {
		g.define(p)
	}
	if l.source.asIntended {
		c.Problems = append(c.Problems, l.correctPackages(&g, &all, &c.lost)...)
	}
	for _, ch := range all.channels {
		p := g.of(ch.Package)
		p.Channels = append(p.Channels, ch)
	}
	for _, b := range all.bundles {
		p := g.of(b.Package)
		p.Bundles = append(p.Bundles, b)
	}
	for _, d := range all.deprecations {
		p := g.of(d.Package)
		p.Deprecations = append(p.Deprecations, d)
	}
	c.Packages = g.packages
	c.Stats.Objects = all.count
	if l.source.asIntended {
		for _, p := range c.Packages {
			c.Problems = append(c.Problems, l.correctNames(p, &c.lost)...)
		}
	}
	c.index()
	return c
}

// belonging is the package that an object names.
type belonging struct {
	pkg             *Text
	channel, bundle string
}

func (b belonging) String() string {
	if b.bundle != "" {
		return fmt.Sprintf("bundle %q", b.bundle)
	}
	return fmt.Sprintf("channel %q", b.channel)
}

// byPackage returns the objects by the package that they name, and of each package that a bundle names the one of its olm.package
// property.
func (o *objects) byPackage() (named map[string][]belonging, properties map[string]string) {
	named, properties = map[string][]belonging{}, map[string]string{}
	add := func(b belonging) { named[b.pkg.Value] = append(named[b.pkg.Value], b) }
	for _, c := range o.channels {
		add(belonging{pkg: &c.Package, channel: c.Name.Value})
	}
	for _, b := range o.bundles {
		add(belonging{pkg: &b.Package, bundle: b.Name.Value})
		properties[b.Package.Value] = b.PackageName.Value
	}
	return named, properties
}

// correctPackages gives objects of a package that is not defined to the one that was probably meant, and returns a problem for each
// such package. Where nothing belongs to the one that is defined, its own name is the misspelt one.
func (l *loader) correctPackages(g *packageIndex, all *objects, unread *mention.Words) (found []Problem) {
	named, properties := all.byPackage()
	var defined []string
	for _, p := range g.packages {
		defined = append(defined, p.Name.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if name == "" || g.byName[name] != nil || unread.Has(name) {
			continue
		}
		like := properties[name]
		if g.byName[like] == nil {
			like, _ = spelling.Nearest(name, defined)
		}
		p := g.byName[like]
		switch {
		case p == nil:
		case len(named[like]) == 0:
			if !all.isReported(p.Name) {
				found = append(found, l.misnamed(p, named[name][0]))
			}
			p.Name.Value = name
			g.byName[name] = p
			delete(g.byName, like)
		default:
			found = append(found, l.belongsTo(named[name], like))
		}
	}
	return found
}

// misnamed returns the problem that nothing belongs to a package, but this object to one that is not defined.
func (l *loader) misnamed(p *Package, b belonging) Problem {
	problem := Problem{Kind: UnknownPackage, Package: b.pkg.Value, Cause: []string{p.Name.Value}, Like: b.pkg.Value}
	if p.Name.Pos == (Pos{}) {
		return l.corrected(p.Pos, problem, "a package without a name, but %s belongs to package %q, which no olm.package object defines: did you mean %[2]q?",
			b, b.pkg.Value)
	}
	return l.corrected(p.Name.Pos, problem, "nothing belongs to package %q, but %s belongs to package %q, which no olm.package object defines: did you mean %[3]q?",
		p.Name.Value, b, b.pkg.Value)
}

// isReported reports whether a value of the wrong type was reported where a text is.
func (o *objects) isReported(t Text) bool {
	return t.Pos != Pos{} && slices.ContainsFunc(o.text.problems, func(p Problem) bool { return p.Pos == t.Pos && (p.Kind == FieldType || p.Kind == Coercion) })
}

// belongsTo gives objects of one package to another one, and returns the problem.
func (l *loader) belongsTo(objects []belonging, like string) Problem {
	first, more := objects[0], ""
	if n := len(objects) - 1; n > 0 {
		more = fmt.Sprintf(" (%d more of this package)", n)
	}
	problem := l.corrected(first.pkg.Pos, Problem{Kind: UnknownPackage, Package: like, Channel: first.channel, Bundle: first.bundle,
		Cause: []string{first.pkg.Value}, Like: like},
		"%s belongs to package %q, which no olm.package object defines: did you mean %q?%s", first, first.pkg.Value, like, trusted(more))
	for _, o := range objects {
		o.pkg.Value = like
	}
	return problem
}

func (l *loader) corrected(pos Pos, p Problem, format string, args ...any) Problem {
	f := &file{source: l.source, name: pos.File}
	p.Pos, p.Message = pos, f.message(format, args...)
	return p
}

// correctNames gives each entry without a bundle the bundle whose name it probably misspells, and returns a problem for each.
func (l *loader) correctNames(p *Package, unread *mention.Words) (found []Problem) {
	bundles, listed := map[string]*Bundle{}, map[string]bool{}
	for _, b := range p.Bundles {
		bundles[b.Name.Value] = b
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			listed[c.Entries[i].Name.Value] = true
		}
	}
	for _, c := range p.Channels {
		for i := range c.Entries {
			e := &c.Entries[i]
			name := e.Name.Value
			if bundles[name] != nil || unread.Has(name) {
				continue
			}
			like := likeName(c, name, bundles, listed)
			b := bundles[like]
			if b == nil {
				continue
			}
			listed[like] = true
			problem := Problem{Kind: UnknownName, Package: p.Name.Value, Channel: c.Name.Value, Bundle: name, Cause: []string{name}, Like: like}
			if version := b.Version.Value; version != "" && strings.Contains(name, version) && !strings.Contains(like, version) {
				problem.Bundle, problem.Like = like, name
				found = append(found, l.corrected(b.Name.Pos, problem, "bundle %q is in no channel, but channel %q offers %q: did you mean %[3]q?",
					like, c.Name.Value, name))
				b.Name.Value = name
				bundles[name] = b
				continue
			}
			if name == "" {
				found = append(found, l.corrected(e.Pos, problem, "an entry of channel %q without a name: did you mean %q?", c.Name.Value, like))
				e.Name = Text{Value: like, Pos: e.Pos}
				continue
			}
			found = append(found, l.corrected(e.Pos, problem, "channel %q offers %q, but no olm.bundle object of package %q has that name: did you mean %q?",
				c.Name.Value, name, p.Name.Value, like))
			e.Name.Value = like
		}
	}
	return found
}

// likeName returns the bundle whose name an entry of a channel probably misspells: one that looks the same and is not in the channel, or
// the nearest of those in no channel; without a name the only one in no channel. "" if there is none.
func likeName(c *Channel, name string, bundles map[string]*Bundle, listed map[string]bool) string {
	var unlisted []string
	for _, like := range slices.Sorted(maps.Keys(bundles)) {
		if !listed[like] {
			unlisted = append(unlisted, like)
		}
		if spelling.SameButConfused(name, like) && !slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Name.Value == like }) {
			return like
		}
	}
	if name == "" && len(unlisted) == 1 {
		return unlisted[0]
	}
	like, _ := spelling.NearestVersioned(name, unlisted)
	return like
}

func compareProblems(a, b Problem) int { return comparePos(a.Pos, b.Pos) }

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// index sorts packages and problems, makes bundles and channels accessible by their names, sets the bundles of entries, and counts.
func (c *Catalog) index() {
	slices.SortFunc(c.Packages, func(a, b *Package) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	slices.SortStableFunc(c.Problems, compareProblems)
	c.Stats.Packages = len(c.Packages)
	for _, p := range c.Packages {
		p.index()
		for _, ch := range p.Channels {
			c.Stats.Entries += len(ch.Entries)
			for i := range ch.Entries {
				ch.Entries[i].Bundle = p.bundles[ch.Entries[i].Name.Value]
			}
		}
		c.Stats.Channels += len(p.Channels)
		c.Stats.Bundles += len(p.Bundles)
	}
}

// packageIndex collects objects by package.
type packageIndex struct {
	byName   map[string]*Package
	packages []*Package
}

func (g *packageIndex) define(p *Package) {
	if first := g.byName[p.Name.Value]; first != nil {
		first.Duplicates = append(first.Duplicates, p.Pos)
		return
	}
	g.put(p)
}

// of returns the package of a name, which is added without an olm.package object if it is new.
func (g *packageIndex) of(name Text) *Package {
	if p := g.byName[name.Value]; p != nil {
		return p
	}
	return g.put(&Package{Name: Text{Value: name.Value}})
}

func (g *packageIndex) put(p *Package) *Package {
	g.byName[p.Name.Value] = p
	g.packages = append(g.packages, p)
	return p
}
