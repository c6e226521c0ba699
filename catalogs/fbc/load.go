// Package fbc reads file-based catalogs as opm reads them, and writes their objects again.
package fbc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"runtime"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/filetype"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/stream"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// chunkSize is how much of a file is read before it is cut at a document's end and handed to a worker, in bytes.
const chunkSize = 256 << 10

// chunkJob is a chunk, and the objects that a worker reads from it.
type chunkJob struct {
	file    *source.File
	chunk   stream.Chunk
	objects *Objects
}

// loader reads files, hands their chunks to workers and collects the objects in the order of the text.
type loader struct {
	source   *source.Source
	size     int // of a chunk, in bytes
	filter   form.PackageFilter
	progress func(bytes int64)
	chunks   []*chunkJob
	queue    chan *chunkJob
	buffers  chan []byte
	problems []catalogs.Problem
	stats    catalogs.Stats
	lost     words.Words // of files
	partial  bool        // other files of the catalog are not read, which may define packages
}

func (l *loader) load(ctx context.Context, paths []string) (*catalogs.Catalog, error) {
	workers := runtime.GOMAXPROCS(0)
	l.queue, l.buffers = make(chan *chunkJob, workers), make(chan []byte, 2*workers+2)
	l.source.Valid.Seed = maphash.MakeSeed()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var scratch tree.Scratch
			for job := range l.queue {
				job.objects = decodeChunk(job.file, job.chunk, l.filter, &scratch)
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
func (l *loader) release(job *chunkJob) {
	if cap(job.chunk.Text) <= 2*l.size {
		select {
		case l.buffers <- job.chunk.Text[:0]:
		default:
		}
	}
	job.chunk.Text = nil
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
	f := l.source.File(path)
	if err := l.splitFile(f); err != nil {
		l.unreadable(f.Name, err)
	}
	l.stats.Files++
}

func (l *loader) splitFile(f *source.File) error {
	opened, info, err := source.Open(f)
	if err != nil {
		return err
	}
	defer opened.Close()
	text, err := l.checkedText(opened, f)
	if err != nil {
		return err
	}
	return stream.Split(text, info.Size(), l.buffer, func(c stream.Chunk) {
		l.stats.Bytes += int64(len(c.Text))
		if l.progress != nil {
			l.progress(int64(len(c.Text)))
		}
		job := &chunkJob{file: f, chunk: c}
		l.chunks = append(l.chunks, job)
		l.queue <- job
	})
}

func (l *loader) unreadable(name string, err error) {
	if known, ok := errors.AsType[*filetype.Error](err); ok {
		l.problems = append(l.problems, catalogs.Problem{Kind: catalogs.ParseProblem, Pos: catalogs.Pos{File: name}, Message: known.Error(),
			Fix: cmp.Or(known.Fix(), "take it out of the catalog's folder, or name it in .indexignore")})
		return
	}
	l.lost.AddAny()
	l.problems = append(l.problems, catalogs.Problem{Kind: catalogs.ParseProblem, Pos: catalogs.Pos{File: name}, Unreadable: source.IsUnknown(err),
		Message: fmt.Sprintf("cannot be read: %v", disk.Cause(err))})
}

// checkedText returns a reader of a file, or an error if it is binary. The rows of a database are always JSON.
func (l *loader) checkedText(opened io.Reader, f *source.File) (io.Reader, error) {
	if l.source.Database {
		return opened, nil
	}
	return filetype.RejectBinary(opened, f.Name)
}

// rereadAmbiguous reads a file of several chunks as one if its JSON has a fault at the first or the second object: then opm tries the
// rest of the file as YAML (see stream.Reader.Read).
func (l *loader) rereadAmbiguous() {
	kept := l.chunks[:0]
	for i := 0; i < len(l.chunks); {
		j, before, ambiguous := i, 0, false
		for ; j < len(l.chunks) && l.chunks[j].file == l.chunks[i].file; j++ {
			o := l.chunks[j].objects
			ambiguous = ambiguous || o.Report.FirstError >= 0 && before+o.Report.FirstError <= 1
			before += o.count
		}
		if ambiguous && j-i > 1 {
			kept = append(kept, l.readWhole(l.chunks[i]))
		} else {
			kept = append(kept, l.chunks[i:j]...)
		}
		i = j
	}
	l.chunks = kept
}

func (l *loader) readWhole(job *chunkJob) *chunkJob {
	text, err := source.ReadAll(job.file)
	if err != nil {
		l.unreadable(job.file.Name, err)
		return job
	}
	job.objects = decodeChunk(job.file, stream.WholeText(text), l.filter, new(tree.Scratch))
	return job
}

// Assemble returns the catalog of the objects of one file.
func Assemble(f *source.File, all *Objects, stats catalogs.Stats) *catalogs.Catalog {
	l := &loader{source: f.Source, chunks: []*chunkJob{{file: f, objects: all}}, stats: stats}
	return l.assemble()
}

// assemble returns the catalog of all objects that were read.
func (l *loader) assemble() *catalogs.Catalog {
	var all Objects
	for _, job := range l.chunks {
		all.add(job.objects)
	}
	all.foreign = mergeForeign(all.foreign)
	all.Report.Problems = append(all.Report.Problems, foreignProblems(all.foreign)...)
	c := &catalogs.Catalog{Form: catalogs.FileBased, Problems: append(l.problems, all.Report.Problems...), Foreign: all.foreign, Filtered: l.filter != "", Others: all.others, Stats: l.stats, Source: l.source, Sums: all.Sums}
	c.Lost.Merge(&l.lost)
	c.Lost.Merge(&all.Report.Lost)
	g := packageIndex{byName: map[string]*catalogs.Package{}}
	for _, p := range all.Packages {
		g.define(p)
	}
	if l.source.AsIntended && !l.partial {
		c.Problems = append(c.Problems, l.correctPackages(&g, &all, &c.Lost)...)
	}
	for _, ch := range all.Channels {
		p := g.findOrAdd(ch.Package)
		p.Channels = append(p.Channels, ch)
	}
	for _, b := range all.Bundles {
		p := g.findOrAdd(b.Package)
		p.Bundles = append(p.Bundles, b)
	}
	for _, d := range all.deprecations {
		p := g.findOrAdd(d.Package)
		p.Deprecations = append(p.Deprecations, d)
	}
	c.Packages = g.packages
	c.Stats.Objects = all.count
	if l.source.AsIntended {
		for _, p := range c.Packages {
			c.Problems = append(c.Problems, l.correctNames(p, &c.Lost)...)
		}
	}
	c.Index()
	return c
}

// packageIndex collects objects by package.
type packageIndex struct {
	byName   map[string]*catalogs.Package
	packages []*catalogs.Package
}

func (g *packageIndex) define(p *catalogs.Package) {
	if first := g.byName[p.Name.Value]; first != nil {
		first.Duplicates = append(first.Duplicates, p.Pos)
		return
	}
	g.put(p)
}

// findOrAdd returns the package of a name, which is added without an olm.package object if it is new.
func (g *packageIndex) findOrAdd(name catalogs.Text) *catalogs.Package {
	if p := g.byName[name.Value]; p != nil {
		return p
	}
	return g.put(&catalogs.Package{Name: catalogs.Text{Value: name.Value}})
}

func (g *packageIndex) put(p *catalogs.Package) *catalogs.Package {
	g.byName[p.Name.Value] = p
	g.packages = append(g.packages, p)
	return p
}
