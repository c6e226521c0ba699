package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
)

// readingFlags are those of every command that reads catalogs.
func readingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ocp", Usage: "of a catalog repository, only bundles for this OpenShift `VERSION`, as 4.16; or all, for a catalog of each"},
		&cli.StringFlag{Name: "platform", Usage: "of an image, this `OS/ARCH` (default: linux/amd64, or the only one)"},
		&cli.StringFlag{Name: "max-size", Value: "2GiB", Usage: "refuse a catalog in an image, a database or a git tree that is larger than this `SIZE`"},
		&cli.BoolFlag{Name: "insecure", Usage: "allow a registry without TLS, or with a certificate that nobody vouches for"},
		&cli.StringSliceFlag{Name: "bundles", Usage: "give a file-based catalog the manifests it lacks from this `FOLDER` of bundles or package manifests"},
	}
}

var openShiftVersion = regexp.MustCompile(`^v?4\.\d{1,2}$`)

// reads gives a command the flags, and the options that they make, before it starts.
func (p *program) reads(command *cli.Command) *cli.Command {
	command.Flags = append(command.Flags, readingFlags()...)
	command.Before = func(c *cli.Context) error {
		if v := c.String("ocp"); v != "" && v != "all" && !openShiftVersion.MatchString(v) {
			return misusef("--ocp %q: want a version as 4.16, or all", v)
		}
		size, err := parseSize(c.String("max-size"))
		if err != nil {
			return err
		}
		p.reading = catalogs.Options{Stdin: p.stdin, OpenShift: c.String("ocp"), Platform: c.String("platform"), MaxSize: size,
			Insecure: c.Bool("insecure")}
		p.bundles = c.StringSlice("bundles")
		return nil
	}
	return command
}

var sizeText = regexp.MustCompile(`^(\d{1,9})([KMGT]i?B?)?$`)

// parseSize reads a number of bytes: 500000, 512MiB or 2G.
func parseSize(text string) (int64, error) {
	m := sizeText.FindStringSubmatch(text)
	if m == nil {
		return 0, misusef("--max-size %q: want a size as 512MiB or 2GiB", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n == 0 {
		return 0, misusef("--max-size %q: want more than nothing", text)
	}
	if m[2] != "" {
		n <<= 10 * (1 + strings.IndexByte("KMGT", m[2][0]))
	}
	return n, nil
}

// opened opens a reference, and gives its bundles the manifests that they lack.
func (p *program) opened(ctx context.Context, ref string, o catalogs.Options) ([]*catalogs.Catalog, error) {
	cats, err := catalogs.Open(ctx, ref, o)
	p.noteLink(ref, cats)
	if err != nil || len(p.bundles) == 0 {
		return cats, err
	}
	var from []*catalogs.Catalog
	for _, ref := range p.bundles {
		more, err := catalogs.Open(ctx, ref, catalogs.Options{Package: o.Package, Progress: o.Progress})
		if err != nil {
			return nil, fmt.Errorf("--bundles: %w", err)
		}
		p.noteLink(ref, more)
		if found, none := noneChecked(more); none {
			return nil, fmt.Errorf("--bundles: %w", notCatalog(ref, found))
		}
		from = append(from, more...)
	}
	for _, c := range cats {
		bundles := c.Stats.Bundles
		if without := c.Supply(from); bundles > 0 && len(without) == bundles {
			return nil, misusef("--bundles %s has the manifests of no bundle of %s", strings.Join(p.bundles, ", "), ref)
		} else if len(without) > 0 {
			p.say("%d of %d bundles of %s have no manifests in --bundles, %s for one", len(without), bundles, ref, without[0].Name.Value)
		}
	}
	return cats, nil
}

// noteLink says once that a link in a reference keeps the text of its catalogs from being shown.
func (p *program) noteLink(ref string, cats []*catalogs.Catalog) {
	if len(cats) == 0 {
		return
	}
	target := cats[0].LinkedTo(ref)
	if _, told := p.linked.LoadOrStore(ref, true); target != "" && !told {
		p.say("%[1]s leads by a link to %[2]s: no text of files behind such a link is shown; give %[2]s", ref, target)
	}
}

// within is the reference of a catalog that another reference holds, under this name: the reference itself if it has none.
func within(ref, name string) string {
	ref = filepath.ToSlash(ref)
	if trimmed := strings.TrimRight(ref, "/"); trimmed != "" {
		ref = trimmed
	}
	switch {
	case name == "":
		return ref
	case strings.HasSuffix(ref, ":"), strings.HasSuffix(ref, "/"): // git:REVISION:
		return ref + name
	}
	return ref + "/" + name
}
