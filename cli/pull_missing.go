package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/fserror"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/render/text"
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
	*program
	supply *open.Pulled
	puller *image.Puller
	named  []string            // registries
	base   *compare.Registries // that the names of images may have, beside the named ones; nil: all

	mutex  sync.Mutex
	pulled int
	failed memo.Groups[string, string] // images, by why they could not be had
}

// newMissingImages returns nil if nothing is to be pulled.
func (p *program) newMissingImages(c *cli.Context, o open.Options) (*missingImages, error) {
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
	m := &missingImages{program: p, named: c.StringSlice("registry")}
	m.puller, err = image.NewPuller(dir, image.Options{Platform: o.Platform, MaxSize: o.MaxSize, Insecure: o.Insecure, Progress: o.Progress}, m.isNamed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	m.supply = open.NewPulled(c.Context, dir, m.puller, o)
	m.supply.Pull = func(b *catalogs.Bundle) bool { return m.pull(c.Context, b) }
	return m, nil
}

// bundleCache returns the folder of the bundle images of this user, which nobody else can write.
func bundleCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for a cache of bundle images: %w", err)
	}
	dir = filepath.Join(dir, "olmgraph", "bundles")
	return dir, fserror.Cause(os.MkdirAll(dir, 0o700))
}

func (m *missingImages) isNamed(host string) bool { return slices.Contains(m.named, host) }

func (m *missingImages) pull(ctx context.Context, b *catalogs.Bundle) bool {
	fetched, err := false, m.refuse(b.Image.Value)
	if err == nil {
		fetched, err = m.puller.Pull(ctx, b.Image.Value)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case err != nil && ctx.Err() == nil:
		m.failed.Add(strings.ReplaceAll(err.Error(), "\n", "; "), b.Image.Value)
	case fetched:
		m.pulled++
		m.progress.set("pulling", "images", m.pulled, 0)
	}
	return err == nil
}

// refuse says why an image is not asked for: the names of images in a change come from strangers.
func (m *missingImages) refuse(ref string) error {
	registry, err := image.RegistryOf(ref)
	if err != nil || m.base == nil || m.isNamed(registry) || m.base.Has(registry) {
		return err
	}
	return fmt.Errorf("registry %s is not asked, since no bundle of the base is in it: --registry %[1]s asks it", registry)
}

// imagesNamed names one of some images.
func imagesNamed(images []string) string {
	if n := len(images) - 1; n > 0 {
		return fmt.Sprintf("%s and %s", slices.Min(images), text.CountOf(n, "other", "others"))
	}
	return images[0]
}

// end completes a command: it saves which images are there, and reports those that could not be had.
func (m *missingImages) end(err error) error {
	if m == nil {
		return err
	}
	if saved := m.puller.Save(); saved != nil {
		return errors.Join(err, saved)
	}
	if m.pulled > 0 {
		m.logf("pulled %s", text.CountOf(m.pulled, "bundle image", "bundle images"))
	}
	reasons := slices.Sorted(slices.Values(m.failed.Keys()))
	if len(reasons) > 0 {
		m.logf("bundles were read without manifests, since their images could not be had:")
	}
	for _, why := range reasons[:min(len(reasons), maxWarnings)] {
		images := m.failed.Of(why)
		m.logf("%s: %s", imagesNamed(images), why)
	}
	if n := len(reasons) - maxWarnings; n > 0 {
		m.logf("and %d more", n)
	}
	m.incomplete = m.incomplete || len(reasons) > 0
	return err
}
