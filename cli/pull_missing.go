package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

func pullFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "pull", Value: "never", Usage: "`WHEN` to pull bundle images whose manifests nothing else has, into the cache that olmgraph pull fills: missing, or never"},
		registryFlag(),
	}
}

func registryFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "registry", Usage: "ask this registry for bundle images, `HOST` or HOST:PORT, also at an address that is not public or without TLS, and with --base if the base has no image in it"}
}

// missingImages pulls the bundle images that catalogs lack.
type missingImages struct {
	*logger
	supply *open.Pulled
	puller *image.Puller
	named  registries
	base   *compare.Registries // that the names of images may have, beside the named ones; nil: all
	listed sync.Map            // further registries, of images that templates of the base list

	mutex  sync.Mutex
	pulled int
	failed memo.Groups[string, string] // images, by why they could not be had
}

// newMissingImages returns nil if nothing is to be pulled.
func newMissingImages(c *cli.Context, o *opener) (*missingImages, error) {
	switch when := c.String("pull"); when {
	case "missing":
	case "", "never":
		return nil, nil
	default:
		return nil, misusef("--pull %q: want missing or never", when)
	}
	dir, err := bundleCache()
	if err != nil {
		return nil, err
	}
	m := &missingImages{logger: o.logger}
	if m.puller, err = newPuller(c, dir, o.options, o.options.Progress); err != nil {
		return nil, err
	}
	if m.named, err = registriesNamed(c); err != nil {
		return nil, err
	}
	if c.IsSet("base") || o.command.takes.base { // until it is open: see allow
		m.base = &compare.Registries{}
	}
	m.supply = open.NewPulled(c.Context, dir, m.puller, o.options)
	m.supply.Pull = func(ref string) bool { return m.pull(c.Context, ref) }
	return m, nil
}

// bundleCache returns the folder of the bundle images of this user, which nobody else can write.
func bundleCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for a cache of bundle images: %w", err)
	}
	dir = filepath.Join(dir, "olmgraph", "bundles")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", disk.Cause(err)
	}
	if !disk.IsPrivate(dir) {
		return "", fmt.Errorf("%s: it belongs to another user, or others can write there: olmgraph does not use it as a cache for bundle images (chown, chmod go-w)", dir)
	}
	return dir, nil
}

// allow lets a check ask the registries in which the base has images.
func (m *missingImages) allow(base []*repo.Opened) {
	if m != nil {
		m.base = compare.NewRegistries(base)
	}
}

// registries are HOST or HOST:PORT.
type registries []string

// registriesNamed returns the values of --registry.
func registriesNamed(c *cli.Context) (registries, error) {
	all := c.StringSlice("registry")
	for _, name := range all {
		if name == "" || strings.ContainsAny(name, "/@") {
			return nil, misusef("--registry %q: want HOST or HOST:PORT", name)
		}
	}
	return all, nil
}

// has reports whether a registry is named, with its port or without.
func (all registries) has(host string) bool {
	port := strings.LastIndexByte(host, ':')
	return slices.Contains(all, host) || port > 0 && slices.Contains(all, host[:port])
}

func (m *missingImages) pull(ctx context.Context, ref string) bool {
	fetched, err := false, m.reject(ref)
	if err == nil {
		fetched, err = m.puller.Pull(ctx, ref)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case err != nil && ctx.Err() == nil:
		m.failed.Add(strings.ReplaceAll(err.Error(), "\n", "; "), ref)
	case fetched:
		m.pulled++
		m.progress.set("pulling", "images", m.pulled, 0)
	}
	return err == nil
}

// reject says why an image is not asked for: the names of images in a change come from strangers.
func (m *missingImages) reject(ref string) error {
	registry, err := image.ParseRegistry(ref)
	if _, listed := m.listed.Load(registry); err != nil || m.base == nil || listed || m.named.has(registry) || m.base.Has(registry) {
		return err
	}
	return fmt.Errorf("registry %s is not contacted, because no bundle of the base is in it: --registry %[1]s allows it", registry)
}

// imagesNamed names one of some images.
func imagesNamed(images []string) string {
	if n := len(images) - 1; n > 0 {
		return fmt.Sprintf("%s and %s", slices.Min(images), words.CountPlural(n, "other", "others"))
	}
	return images[0]
}

// finish completes a command: it saves which images are there, and reports those that could not be had.
func (m *missingImages) finish(err error) error {
	if m == nil {
		return err
	}
	if saved := m.puller.Save(); saved != nil { // the images are there, and are asked for again
		m.logf("the cache of bundle images: %v", saved)
		m.incomplete = true
	}
	if m.pulled > 0 {
		m.logf("pulled %s", words.CountPlural(m.pulled, "bundle image", "bundle images"))
	}
	reasons := slices.Sorted(slices.Values(m.failed.Keys()))
	if len(reasons) > 0 {
		m.logf("bundles were read without manifests, since their images could not be pulled:")
	}
	m.logFirst(maxWarnings, words.Map(reasons, func(why string) string { return imagesNamed(m.failed.Values(why)) + ": " + why }))
	m.incomplete = m.incomplete || len(reasons) > 0
	return err
}
