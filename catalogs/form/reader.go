package form

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// AddUnreadable reports a file or folder that cannot be read.
func (r *FileReader) AddUnreadable(name string, err error) {
	r.AddProblem(catalogs.ParseProblem, catalogs.Pos{File: name}, "cannot be read: %v", disk.Cause(err))
	p := &r.Problems[len(r.Problems)-1]
	p.Unreadable = source.IsUnknown(err)
	if errors.Is(err, source.ErrLinked) {
		p.Fix = "replace the link with its target"
	}
}

// AddRead adds what a reading has counted.
func AddRead(c *catalogs.Catalog, r *FileReader) {
	c.Problems = append(c.Problems, r.Problems...)
	Count(c, r)
}

// Count adds what was read to Stats.
func Count(c *catalogs.Catalog, r *FileReader) {
	c.Stats.Files += r.FilesRead
	c.Stats.Bytes += r.Bytes
}

// Finish completes a catalog that was read from several files, of which only the wanted packages are kept.
func Finish(c *catalogs.Catalog, o PackageFilter) {
	c.Problems = slices.DeleteFunc(c.Problems, func(p catalogs.Problem) bool { return p.Package != "" && !o.Matches(p.Package) })
	c.Filtered = o != ""
	c.Index()
	c.Stats.Objects = c.Stats.Bundles
}

// FileReader reads files of a source that are not of a file-based catalog, and counts them and their problems.
type FileReader struct {
	In        *source.Source
	Skip      tree.Skip // of what is left Raw in Documents; may be nil
	Problems  []catalogs.Problem
	Bytes     int64
	FilesRead int
	Ignores   int // comments that suppress findings
	Lost      words.Words
}

// Attribute sets the package and the bundle of misspelt keys, which are known only once the files are read.
func (r *FileReader) Attribute(pkg, bundle string) {
	for i := range r.Problems {
		if p := &r.Problems[i]; p.Kind == catalogs.UnknownKey {
			p.Package, p.Bundle = pkg, bundle
		}
	}
}

func (r *FileReader) AddProblem(kind catalogs.ProblemKind, pos catalogs.Pos, format string, args ...any) {
	r.Problems = append(r.Problems, catalogs.Problem{Kind: kind, Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// Documents reads a file and yields its documents, of any kind, each with a decoder that has its positions.
func (r *FileReader) Documents(name string) iter.Seq2[*Decoder, *tree.Node] {
	return func(yield func(*Decoder, *tree.Node) bool) {
		f := r.In.File(name)
		r.FilesRead++
		buffer := r.In.Buffers.Get()
		defer r.In.Buffers.Put(buffer)
		text, err := f.ReadManifest(buffer)
		if err != nil {
			r.AddUnreadable(f.Name, err)
			return
		}
		r.Bytes += int64(len(text))
		d := NewTextDecoder(f, text)
		d.Skip = r.Skip
		r.Ignores += NoteIgnores(f, d.Chunk)
		for root := range d.Documents() {
			if d.AsIntended() {
				d.ReportMisspelt(schema.CorrectManifest(root))
			}
			if !yield(d, root) {
				break
			}
		}
		r.Lost.Merge(&d.Lost)
		r.Problems = append(r.Problems, d.Faults()...)
	}
}
