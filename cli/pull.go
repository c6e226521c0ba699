package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/render"
)

const pullHelp = `examples:
  olmgraph pull catalogs/v4.20 -o bundles/
  olmgraph lint catalogs/v4.20 --bundles bundles/
  olmgraph pull docker://registry.example.com/catalog:v4.20 etcd -o bundles/
  olmgraph pull catalogs/v4.20               into the user's cache, for --pull missing

A catalog for OpenShift 4.17 or later has no manifests, but images of bundles. pull stores these images, of all packages or of those
that are named, in the OCI image layout: by digest, with the catalog's reference, and without layers that have no manifests. It leaves
out bundles whose manifests the catalog or its repository has, and what OUT has already, so an interrupted pull can be resumed.

Credentials are those of docker and podman. The names of images come from the catalog, which is not trusted. pull contacts
a registry at a loopback, private or link-local address, or without TLS, only if --registry or a mirror names it.

exit status: 0; 2 misuse; 3 an image could not be pulled, and the others are stored, or the catalog could not be opened.`

func pullCommand() command {
	return command{
		name:  "pull",
		usage: "store the bundle images of a catalog, from which --bundles takes manifests",
		args:  "[flags] CATALOG [PACKAGE...]",
		help:  pullHelp,
		flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "store the images in this folder, `OUT` (default: the user's cache, from which --pull missing takes them)"},
			&cli.StringSliceFlag{Name: "mirrors", Usage: "ask mirrors first, as a cluster with the ImageDigestMirrorSets, ImageTagMirrorSets and ImageContentSourcePolicies in this `FILE`"},
			registryFlag(),
		},
		takes:    takes{pulls: true},
		needless: map[string]string{"dry-run": "pull has no preview; it writes only images, and only into its folder or cache"},
		answer:   runPull,
	}
}

// bundleImage is an image to pull, and the bundles that are in it.
type bundleImage struct {
	ref     string
	bundles []string
}

func runPull(c *cli.Context, o *opener, to outputs) error {
	out, ref := c.String("output"), c.Args().First()
	if ext := filepath.Ext(out); slices.Contains([]string{".tar", ".tgz", ".gz", ".zip", ".xz", ".zst", ".bz2"}, ext) && !disk.IsFolder(out) {
		folder := strings.TrimSuffix(strings.TrimSuffix(out, ext), ".tar")
		return suggestInstead(misusef("-o %s: pull stores images in a folder, not in an archive; did you mean %s?", out, folder), out, folder)
	}
	if out == "" {
		var err error
		if out, err = bundleCache(); err != nil {
			return err
		}
	}
	opened, err := o.openVersions(c.Context, ref, o.options)
	if err != nil {
		return err
	}
	cats := repo.Catalogs(opened)
	if found, none := firstForeign(cats); none {
		return notCatalog(ref, found)
	}
	wanted, known, err := collectImages(cats, c.Args().Tail())
	if err != nil {
		return err
	}
	result := render.Pull{Out: out, Cache: c.String("output") == "", Images: len(wanted), Known: known}
	puller, err := newPuller(c, out, o.options, result.Add)
	if err != nil {
		return err
	}
	if err := pullAll(c.Context, o.progress, puller, wanted, &result); err != nil {
		return fmt.Errorf("%s: %w", out, disk.Cause(err))
	}
	return answerStatus(result.Text(o.stdout, o.style(c)), len(result.Failed) > 0, false)
}

// newPuller returns what pulls into a folder, from the mirrors and registries that the flags name.
func newPuller(c *cli.Context, dir string, o open.Options, progress func(bytes int64)) (*image.Puller, error) {
	named, err := registriesNamed(c)
	if err != nil {
		return nil, err
	}
	var mirrors image.Mirrors
	for _, name := range c.StringSlice("mirrors") {
		text, err := disk.Read(name, maxImageSet)
		if err != nil {
			return nil, fmt.Errorf("--mirrors %s: %w", name, disk.Cause(err))
		}
		more, err := image.ParseMirrors(name, text)
		if err != nil {
			return nil, misusef("--mirrors: %w", err)
		}
		mirrors = append(mirrors, more...)
	}
	named = append(named, mirrors.Hosts()...)
	puller, err := image.NewPuller(dir, image.Options{Platform: o.Platform, MaxSize: o.MaxSize, Insecure: o.Insecure, Progress: progress}, named.has)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	puller.Mirrors = mirrors
	return puller, nil
}

// collectImages returns the images of bundles without manifests, sorted, and how many bundles of the packages have theirs.
func collectImages(cats []*catalogs.Catalog, packages []string) (all []bundleImage, known int, err error) {
	var named memo.Groups[string, string] // the bundles by image
	for _, name := range packages {
		if !slices.ContainsFunc(cats, func(c *catalogs.Catalog) bool { return c.Package(name) != nil }) {
			return nil, 0, misusef("no package %q in it", name)
		}
	}
	for _, c := range cats {
		for _, pkg := range c.Packages {
			if len(packages) > 0 && !slices.Contains(packages, pkg.Name.Value) {
				continue
			}
			for _, b := range pkg.Bundles {
				switch ref := b.Image.Value; {
				case b.HasManifests():
					known++
				case ref == "":
				case !slices.Contains(named.Values(ref), b.Name.Value):
					named.Add(ref, b.Name.Value)
				}
			}
		}
	}
	for ref, bundles := range named.All() {
		all = append(all, bundleImage{ref, bundles})
	}
	slices.SortFunc(all, func(a, b bundleImage) int { return strings.Compare(a.ref, b.ref) })
	return all, known, nil
}

// pullAll stores the images. What could not be had of them is in the result; the error is that of the folder, or an interrupt.
func pullAll(ctx context.Context, shown *progress, puller *image.Puller, wanted []bundleImage, result *render.Pull) error {
	var mutex sync.Mutex
	done := 0
	parallel.EachOn(image.PulledAtOnce, len(wanted), func(i int) {
		one := &wanted[i]
		fetched, err := puller.Pull(ctx, one.ref)
		mutex.Lock()
		defer mutex.Unlock()
		done++
		shown.set("pulling", "images", done, len(wanted))
		switch {
		case ctx.Err() != nil:
		case err != nil:
			result.Failed = append(result.Failed, render.NotPulled{Bundles: one.bundles, Image: one.ref, Why: strings.ReplaceAll(err.Error(), "\n", "; ")})
		case fetched:
			result.Stored++
		default:
			result.Had++
		}
	})
	slices.SortFunc(result.Failed, func(a, b render.NotPulled) int { return strings.Compare(a.Image, b.Image) })
	return cmp.Or(ctx.Err(), puller.Save())
}
