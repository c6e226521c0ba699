package image

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// maxImages bounds how many images and indexes of a layout are read.
const maxImages = 20_000

// candidate is an image that a reference may name.
type candidate struct {
	tags     []string
	digest   v1.Hash
	within   []v1.Hash // the indexes that it is in
	platform *v1.Platform
	load     func(context.Context) (*contents, error)
}

// contents is what an image consists of.
type contents struct {
	config *v1.ConfigFile
	layers []layer // the lowest first

	media                    types.MediaType // of the manifest
	manifestText, configText []byte          // as stored
	configDigest             v1.Hash
}

func (c *contents) platform() *v1.Platform {
	if p := c.config.Platform(); p != nil {
		return p
	}
	return new(v1.Platform)
}

func (c *candidate) reference() string {
	if len(c.tags) == 0 {
		return ""
	}
	return c.tags[0]
}

func (c *candidate) String() string {
	words := slices.Clone(c.tags)
	if len(words) == 0 {
		words = append(words, c.digest.String())
	}
	if c.platform != nil && c.platform.OS != "" {
		words = append(words, "("+c.platform.String()+")")
	}
	return strings.Join(words, " ")
}

// readPlatform reads the platform if the index does not have it.
func (c *candidate) readPlatform(ctx context.Context) {
	if c.platform != nil && c.platform.OS != "" {
		return
	}
	c.platform = new(v1.Platform) // of what cannot be read: it fits nothing
	if contents, err := c.load(ctx); err == nil {
		c.platform = contents.platform()
	}
}

// selector selects an image. The zero value selects any.
type selector struct {
	tag    string // a tag, or a name with a tag
	digest v1.Hash
}

func (w selector) String() string {
	if w.tag != "" {
		return w.tag
	}
	return w.digest.String()
}

func (w selector) matches(c *candidate) bool {
	switch {
	case w.tag != "":
		return slices.ContainsFunc(c.tags, func(tag string) bool { return tag == w.tag || imageTag(tag) == w.tag })
	case w.digest.Hex != "":
		return c.digest == w.digest || slices.Contains(c.within, w.digest)
	}
	return true
}

// imageTag returns the tag of a name, as v1 in registry.example.com:5000/catalog:v1.
func imageTag(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[i+1:]
	}
	return ""
}

func parsePlatform(s string) (*v1.Platform, error) {
	if s == "" {
		return nil, nil
	}
	p, err := v1.ParsePlatform(s)
	if err != nil || p.OS == "" || p.Architecture == "" {
		return nil, fmt.Errorf("platform %q: expected os/arch, as linux/arm64", s)
	}
	return p, nil
}

// choose returns the selected image. If platform is nil and the images have different ones, it is linux/amd64.
func choose(ctx context.Context, all []*candidate, want selector, platform *v1.Platform) (*candidate, error) {
	var named []*candidate
	for _, c := range all {
		if want.matches(c) {
			named = merge(named, c)
		}
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("no image is in it")
	case len(named) == 0:
		return nil, fmt.Errorf("no image %s is in it; there is %s", want, list(all))
	case len(named) == 1 && platform == nil:
		return named[0], nil
	}
	for _, c := range named {
		c.readPlatform(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return chooseByPlatform(named, platform)
}

func chooseByPlatform(named []*candidate, platform *v1.Platform) (*candidate, error) {
	spec := platform
	if spec == nil {
		spec = &v1.Platform{OS: "linux", Architecture: "amd64"}
	}
	fitting := slices.DeleteFunc(slices.Clone(named), func(c *candidate) bool { return !c.platform.Satisfies(*spec) })
	switch {
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) == 0 && platform != nil:
		return nil, fmt.Errorf("no image for %s is in it; there is %s", platform, list(named))
	case len(fitting) == 0:
		return nil, fmt.Errorf("none of its images is for linux/amd64: say which platform is meant; there is %s", list(named))
	}
	return nil, fmt.Errorf("several images are in it: say which is meant by :TAG or @DIGEST; there is %s", list(fitting))
}

// merge adds an image unless it is there already under another tag.
func merge(all []*candidate, c *candidate) []*candidate {
	for i, other := range all {
		if other.digest == c.digest {
			both := *other
			both.tags = slices.Concat(other.tags, c.tags)
			all[i] = &both
			return all
		}
	}
	return append(all, c)
}

// list names images in an error.
func list(all []*candidate) string {
	return words.JoinSome(words.Map(words.Map(all, (*candidate).String), printable), 20)
}

func describeLabels(labels map[string]string) string {
	if len(labels) == 0 {
		return "it has no labels at all"
	}
	return "its labels are " + words.JoinSome(words.Map(slices.Sorted(maps.Keys(labels)), printable), 20)
}

// printable returns text of an image or a registry for an error of one line.
func printable(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "..."
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) >= 0 {
		return fmt.Sprintf("%q", s)
	}
	return s
}
