package source

import (
	"context"
	"io/fs"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// BlobID is that of a file; false after the context has ended.
func (s *Source) BlobID(ctx context.Context, path string) (string, bool) {
	if ctx.Err() != nil {
		return "", false
	}
	return s.File(path).blobID(ReadInto)
}

// FilesMentioning returns which of some files mention one of the names.
func (s *Source) FilesMentioning(ctx context.Context, paths []string, names words.Names) []string {
	found := parallel.ReadFolders(ctx, paths, nil, func(path string) (*string, int64) {
		buffer := s.Buffers.Get()
		defer s.Buffers.Put(buffer)
		text, err := ReadInto(s.File(path), buffer)
		if err != nil || !names.OccurIn(text) {
			return nil, 0
		}
		return &path, 0
	})
	all := make([]string, 0, len(found))
	for _, path := range found {
		all = append(all, *path)
	}
	return all
}

// Empty reports whether all of some files are empty. A file that cannot be read counts as one with text, so that reading it reports why.
func (s *Source) Empty(paths []string) bool {
	return !slices.ContainsFunc(paths, func(path string) bool {
		if id, known := s.File(path).KnownID(); known { // Stat would read the file
			return id != BlobID(nil)
		}
		info, err := fs.Stat(s.Fsys, path)
		return err != nil || info.Size() > 0 || !info.Mode().IsRegular()
	})
}

// folderIDs is a tree of git, which has the hashes of its folders.
type folderIDs interface {
	FolderID(string) (string, bool)
}

// SameFolder reports whether a folder has the same files in another source.
func (s *Source) SameFolder(ctx context.Context, base *Source, dir string) bool {
	a, isTree := s.Fsys.(folderIDs)
	b, isTreeToo := base.Fsys.(folderIDs)
	if isTree && isTreeToo {
		x, known := a.FolderID(dir)
		y, knownToo := b.FolderID(dir)
		return known && knownToo && x == y
	}
	files, whole := s.Files(dir)
	others, wholeToo := base.Files(dir)
	if !whole || !wholeToo || !slices.Equal(files, others) {
		return false
	}
	for _, name := range files {
		x, read := s.BlobID(ctx, name)
		y, readToo := base.BlobID(ctx, name)
		if !read || !readToo || x != y {
			return false
		}
	}
	return true
}

// Files returns the files in a folder and below it, and whether all could be listed. A link counts as a file.
func (s *Source) Files(dir string) (all []string, whole bool) {
	err := fs.WalkDir(s.Fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, name)
		}
		return err
	})
	return all, err == nil
}
