package image

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// Puller stores bundle images in a folder in the OCI image layout: their manifests, configurations, and the layers that have something in
// manifests/ or metadata/. Each blob is named by its digest, which was verified, and written at once or not at all.
type Puller struct {
	// Mirrors are asked before the registries that references name.
	Mirrors Mirrors

	root    disk.Root
	options Options

	slots  chan struct{} // for the images that are pulled at once
	mutex  sync.Mutex
	images map[string]v1.Descriptor // by the reference in the catalog
	added  int                      // of them, since they were saved
	slow   map[string]int           // images for which a registry was too slow
}

// PulledAtOnce is the number of images that a Puller pulls at once. Other callers of Pull wait.
const PulledAtOnce = 8

const savedAfter = 50 // images: so many are asked for again after a run that was killed

const (
	blobs    = "blobs/sha256"
	maxIndex = 64 << 20 // of the images that are stored
)

// NewPuller makes the folder if it is not there, and reads what it has. Registries that named reports may have private addresses, and be
// without TLS; other ones may not.
func NewPuller(dir string, o Options, named func(host string) bool) (*Puller, error) {
	root, err := disk.OpenRoot(dir, true)
	if err != nil {
		return nil, disk.Cause(err)
	}
	p := &Puller{root: root, options: o, slots: make(chan struct{}, PulledAtOnce), images: map[string]v1.Descriptor{}, slow: map[string]int{}}
	p.options.shared, p.options.named = sharedTransport(o.Insecure, named), named
	p.options.MaxSize = cmp.Or(o.MaxSize, defaultMaxSize)
	if err := p.load(); err != nil {
		return nil, err
	}
	if err := errors.Join(root.MkdirAll(blobs, 0o777), root.WriteFile("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o666)); err != nil {
		return nil, disk.Cause(err)
	}
	unfinished, _ := fs.Glob(root.FS(), path.Join(blobs, partial+"*"))
	for _, name := range unfinished { // those of a process that runs are newer
		if info, err := root.Stat(name); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = root.Remove(name)
		}
	}
	return p, nil
}

// load reads the index of a layout. A folder with something else is an error.
func (p *Puller) load() error {
	text, err := p.root.ReadFile("index.json", maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		if entries, err := fs.ReadDir(p.root.FS(), "."); err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != "blobs" && e.Name() != "oci-layout" }) {
			return errors.New("it has other files: pull has not written this folder")
		}
		return nil
	}
	if err != nil {
		return disk.Cause(err)
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("index.json is not an index of images: %w", err)
	}
	for _, d := range index.Manifests {
		if ref := cmp.Or(d.Annotations[refName], d.Digest.String()); p.images[ref].Digest == (v1.Hash{}) {
			p.images[ref] = d
		}
	}
	return nil
}

// has reports whether the image that a digest names is stored, with all that is to be stored of it. Which image a tag names, only the
// registry knows.
func (p *Puller) has(ref string) bool {
	d, ok := p.descriptor(ref)
	if !ok || !p.isNamed(d, ref) {
		return false
	}
	text, err := p.read(d.Digest)
	if err != nil {
		return false
	}
	m, err := v1.ParseManifest(bytes.NewReader(text))
	if err != nil {
		return false
	}
	absent := layersLeftOut(d)
	return p.isStored(m.Config.Digest) && !slices.ContainsFunc(m.Layers, func(l v1.Descriptor) bool { return !absent[l.Digest.String()] && !p.isStored(l.Digest) })
}

// isNamed reports whether the digest of a reference is that of an image, or of an index that has it.
func (p *Puller) isNamed(d v1.Descriptor, ref string) bool {
	_, digest, _ := strings.Cut(ref, "@")
	h, err := v1.NewHash(digest)
	if err != nil || h == d.Digest {
		return err == nil
	}
	w := indexWalk{store: ociLayout{openIn(p.root)}}
	err = w.descend(context.Background(), h, &candidate{})
	return err == nil && slices.ContainsFunc(w.images, func(c *candidate) bool { return c.digest == d.Digest })
}

func (p *Puller) descriptor(ref string) (v1.Descriptor, bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	d, ok := p.images[ref]
	return d, ok
}

// Open reads a stored image; nil if it is not stored. Every digest is verified again.
func (p *Puller) Open(ctx context.Context, ref string, o Options) (*Image, error) {
	d, ok := p.descriptor(ref)
	if !ok {
		return nil, nil
	}
	c := &candidate{digest: d.Digest, tags: descriptorTags(d), load: func(ctx context.Context) (*contents, error) { return readImage(ctx, ociLayout{openIn(p.root)}, d) }}
	return c.open(ctx, o)
}

// Save writes which images are stored, by this Puller and others in the same folder.
func (p *Puller) Save() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.save()
}

func (p *Puller) save() error {
	if err := p.load(); err != nil {
		return err
	}
	p.added = 0
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{}}
	for _, ref := range slices.Sorted(maps.Keys(p.images)) {
		index.Manifests = append(index.Manifests, p.images[ref])
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	return p.write("index.json", text)
}

// Pull stores an image, and reports whether it was not there. The error is that of the image, or of the folder; of several places that are
// asked, of each.
func (p *Puller) Pull(ctx context.Context, ref string) (fetched bool, err error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-p.slots }()
	if p.has(ref) {
		return false, nil
	}
	before, _ := p.descriptor(ref)
	if err := p.pullFromAny(ctx, ref); err != nil {
		return false, err
	}
	now, _ := p.descriptor(ref)
	return now.Digest != before.Digest, nil
}

func (p *Puller) pullFromAny(ctx context.Context, ref string) error {
	var errs []error
	places := p.Mirrors.references(ref)
	if len(places) == 0 {
		return errors.New("its source is never contacted (NeverContactSource), and has no mirrors")
	}
	for _, at := range places {
		registry, err := ParseRegistry(at)
		if err == nil {
			err = p.pullUnlessSlow(ctx, registry, at, ref)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// maxSlow is for how many images a registry may be too slow: each takes minutes, and a catalog has thousands.
const maxSlow = 8

func (p *Puller) pullUnlessSlow(ctx context.Context, registry, at, ref string) error {
	p.mutex.Lock()
	n := p.slow[registry]
	p.mutex.Unlock()
	if n >= maxSlow {
		return fmt.Errorf("%s is no longer contacted: it was too slow, or had too many requests, for %d images", registry, maxSlow)
	}
	err := p.pullFrom(ctx, at, ref)
	if _, slow := errors.AsType[tooSlow](err); slow {
		p.mutex.Lock()
		p.slow[registry]++
		p.mutex.Unlock()
	}
	return err
}

// pullFrom stores the image at a reference under the one that the catalog has.
func (p *Puller) pullFrom(ctx context.Context, at, ref string) error {
	o := p.options
	s, err := openRegistry(ctx, at, o)
	if err != nil {
		return err
	}
	defer s.close()
	platform, err := parsePlatform(o.Platform)
	if err != nil {
		return err
	}
	chosen, err := choose(ctx, s.images, s.wanted, platform)
	if err != nil {
		return err
	}
	c, err := chosen.load(ctx)
	if err != nil {
		return err
	}
	d := v1.Descriptor{MediaType: c.media, Digest: chosen.digest, Size: int64(len(c.manifestText)), Annotations: map[string]string{refName: ref}}
	b := &budget{packed: o.MaxSize, unpacked: 2 * o.MaxSize, progress: o.Progress}
	var absent []string
	for _, l := range c.layers {
		kept, err := p.layer(ctx, l, b)
		switch {
		case errors.Is(err, errTooMuch):
			return fmt.Errorf("its layers have more than %d MiB, or unpack to more than twice that: raise --max-size if this is intended", o.MaxSize>>20)
		case err != nil:
			return cmp.Or(ctx.Err(), fmt.Errorf("layer %s: %w", printable(l.name), err))
		case !kept:
			absent = append(absent, l.digest.String())
		}
	}
	if len(absent) == len(c.layers) {
		return errors.New("no bundle image: no layer of it has the folders manifests/ and metadata/")
	}
	if len(absent) > 0 {
		d.Annotations[leftOut] = strings.Join(absent, ",")
	}
	texts := map[v1.Hash][]byte{c.configDigest: c.configText, chosen.digest: c.manifestText}
	for _, h := range chosen.within {
		r, err := s.store.manifest(ctx, h)
		if texts[h], err = readVerified(r, err, h); err != nil {
			return err
		}
	}
	for digest, text := range texts {
		if err := p.write(blobPath(digest), text); err != nil {
			return err
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.images[ref] = d
	if p.added++; p.added < savedAfter {
		return nil
	}
	return p.save()
}

// layer stores a layer if it has something of a bundle.
func (p *Puller) layer(ctx context.Context, l layer, b *budget) (kept bool, err error) {
	if p.isStored(l.digest) {
		return true, nil
	}
	f, name, err := p.create()
	if err != nil {
		return false, err
	}
	defer p.root.Remove(name)
	defer f.Close()
	open := l.open
	l.open = func(ctx context.Context) (io.ReadCloser, error) {
		r, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r, f), r}, nil
	}
	if kept, err = l.hasBundle(ctx, b); err != nil || !kept {
		return false, err
	}
	if err := f.Close(); err != nil {
		return false, disk.Cause(err)
	}
	return true, p.rename(name, blobPath(l.digest))
}

// hasBundle reads a layer to its end, and reports whether it has something in the folders of a bundle, or deletes something there.
func (l layer) hasBundle(ctx context.Context, b *budget) (found bool, err error) {
	err = l.each(ctx, b, func(h *tar.Header, _ io.Reader) error {
		name, err := cleanName(h.Name)
		first, _, _ := strings.Cut(name, "/")
		first = strings.TrimPrefix(first, whiteout)
		found = found || first == "manifests" || first == "metadata" || name == opaque
		return err
	})
	return found, err
}

func blobPath(h v1.Hash) string { return path.Join("blobs", h.Algorithm, h.Hex) }

// isStored reports whether a blob is stored, with its digest.
func (p *Puller) isStored(h v1.Hash) bool {
	f, err := openIn(p.root)(blobPath(h))
	if err != nil {
		return false
	}
	defer f.Close()
	sum, err := newDigester(h)
	if err == nil {
		_, err = io.Copy(sum, f)
	}
	return err == nil && sum.check("blob") == nil
}

func (p *Puller) read(h v1.Hash) ([]byte, error) {
	f, err := p.root.Open(blobPath(h))
	if err != nil {
		return nil, err
	}
	return readVerified(f, nil, h)
}

// partial begins the names of files that are not written to their end.
const partial = ".part-"

func (p *Puller) create() (f *os.File, name string, err error) {
	name = path.Join(blobs, partial+rand.Text())
	if f, err = p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, "", disk.Cause(err)
	}
	return f, name, nil
}

func (p *Puller) rename(from, to string) error {
	if err := p.root.Rename(from, to); err != nil {
		return disk.Cause(err)
	}
	return nil
}

// write writes a small file at once.
func (p *Puller) write(to string, text []byte) error {
	f, name, err := p.create()
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(disk.Cause(err), p.root.Remove(name))
	}
	return p.rename(name, to)
}

// sharedTransport returns the connections of all images that a Puller reads.
func sharedTransport(insecure bool, named func(host string) bool) *http.Transport {
	t := newTransport(insecure).Transport
	t.DialContext = dialNamed(t.DialContext, named)
	return t
}
