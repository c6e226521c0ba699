package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/klauspost/compress/zstd"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/cli"
)

// realPackage is a package of a file-based catalog, to be written in other forms.
type realPackage struct {
	*catalogs.Package
	folder  string
	objects map[string][]*bundled.Manifest // of each bundle
}

// TestFormsOfRealPackages checks that a real package has the same channels, heads and next versions in each form as in its
// file-based catalog. Package manifests of a cluster have only channels and heads, and a bundle image only its bundle.
func TestFormsOfRealPackages(t *testing.T) {
	data := catalogtest.Data(t, "fbc/community-v4.14")
	for _, pkg := range []string{"trident-operator", "kairos-operator", "shipwright-operator", "ecr-secret-operator", "visionone-containersecurity"} {
		p := openReal(t, filepath.Join(data, pkg), pkg)
		bundles, channels := listOutput(t, p.folder, "bundles"), listOutput(t, p.folder, "channels")
		if strings.Count(bundles, "\n") < 3 {
			t.Fatalf("%s:\n%s", pkg, bundles)
		}
		for form, write := range map[string]func(*testing.T, *realPackage, string) string{
			"tar": writeTar(""), "tar with gzip": writeTar("gzip"), "tar with zstd": writeTar("zstd"),
			"OCI layout": writeReal("oci", ""), "OCI archive": writeReal("oci-archive", ""), "OCI archive with zstd": writeReal("oci-archive", "zstd"),
			"docker archive": writeReal("docker-archive", ""), "docker archive with gzip": writeReal("docker-archive", "gzip"),
			"ListBundles": writeListBundles,
		} {
			t.Run(pkg+"/"+form, func(t *testing.T) {
				ref := write(t, p, t.TempDir())
				if got := listOutput(t, ref, "bundles"); got != bundles {
					t.Errorf("got\n%swant\n%s", got, bundles)
				}
				if got := listOutput(t, ref, "channels"); got != channels {
					t.Errorf("got\n%swant\n%s", got, channels)
				}
			})
		}
		t.Run(pkg+"/cluster", func(t *testing.T) {
			ref := writeCluster(t, p, t.TempDir())
			if got, want := columns(listOutput(t, ref, "channels"), 4), columns(channels, 4); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
		t.Run(pkg+"/bundle image", func(t *testing.T) {
			dir := t.TempDir()
			ref, alone := writeBundle(t, p, dir)
			if got, want := listOutput(t, ref, "bundles"), listOutput(t, alone, "bundles"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func openReal(t *testing.T, folder, pkg string) *realPackage {
	t.Helper()
	cats, err := open.Open(context.Background(), folder, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &realPackage{Package: cats[0].Package(pkg), folder: folder, objects: map[string][]*bundled.Manifest{}}
	var reader bundled.Manifests
	for _, b := range p.Bundles {
		if p.objects[b.Name.Value], err = reader.Read(b); err != nil || len(p.objects[b.Name.Value]) == 0 {
			t.Fatalf("%s: %v", b.Name.Value, err)
		}
	}
	return p
}

// listOutput returns the output of olmgraph list for a reference, without the line on its form.
func listOutput(t *testing.T, ref, what string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := cli.Run(context.Background(), []string{"olmgraph", "list", ref, what}, nil, &out, &errs, ruleScripts()); status != 0 {
		t.Fatalf("%s: status %d: %s", ref, status, errs.String())
	}
	table, _, _ := strings.Cut(out.String(), "\nRead as ")
	return columns(table, 100)
}

// columns returns the first columns of a table, separated by one blank.
func columns(table string, n int) string {
	var out strings.Builder
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if words = words[:min(n, len(words))]; len(words) > 0 {
			fmt.Fprintln(&out, strings.Join(words, " "))
		}
	}
	return out.String()
}

func packedBy(t *testing.T, program string, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch program {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zstd":
		w, err = zstd.NewWriter(&out)
	default:
		return text
	}
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeTar(program string) func(*testing.T, *realPackage, string) string {
	return func(t *testing.T, p *realPackage, dir string) string {
		ref := filepath.Join(dir, "catalog.tar")
		write(t, ref, packedBy(t, program, makeTar(p.folder, ".")))
		return ref
	}
}

// writeReal writes an index image.
func writeReal(form, program string) func(*testing.T, *realPackage, string) string {
	return func(t *testing.T, p *realPackage, dir string) string {
		img, err := packImage(p.folder, "configs", catalogsLabel)
		if err != nil {
			t.Fatal(err)
		}
		ref := filepath.Join(dir, "image")
		switch form {
		case "docker-archive":
			tag, _ := name.NewTag("example.com/catalog:v1")
			err = tarball.WriteToFile(ref, tag, img)
		default:
			err = writeLayout(ref, img)
		}
		if err == nil && form == "oci-archive" {
			layout := ref
			ref += ".tar"
			write(t, ref, makeTar(layout, "."))
		}
		if err == nil && program != "" {
			write(t, ref, packedBy(t, program, read(t, ref)))
		}
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
}

const catalogsLabel = "operators.operatorframework.io.index.configs.v1"

// fields is a JSON object.
type fields = map[string]any

func writeListBundles(t *testing.T, p *realPackage, dir string) string {
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	var channels []fields
	for _, ch := range p.Channels {
		channels = append(channels, fields{"name": ch.Name.Value})
		for _, e := range ch.Entries {
			var skips []string
			for _, skip := range e.Skips {
				skips = append(skips, skip.Value)
			}
			w.Encode(fields{"csvName": e.Name.Value, "packageName": p.Name.Value, "channelName": ch.Name.Value, "bundlePath": e.Bundle.Image.Value,
				"version": e.Bundle.Version.Value, "replaces": e.Replaces.Value, "skips": skips, "skipRange": e.SkipRange.Value})
		}
	}
	w.Encode(fields{"name": p.Name.Value, "channels": channels, "defaultChannelName": p.DefaultChannel.Value})
	ref := filepath.Join(dir, "bundles.json")
	write(t, ref, out.Bytes())
	return ref
}

// newestBundle returns the newest version in a channel.
func newestBundle(ch *catalogs.Channel) *catalogs.Bundle {
	var head *catalogs.Bundle
	for _, e := range ch.Entries {
		if head == nil || e.Bundle.Semver().GT(*head.Semver()) {
			head = e.Bundle
		}
	}
	return head
}

func writeCluster(t *testing.T, p *realPackage, dir string) string {
	var channels []fields
	for _, ch := range p.Channels {
		var entries []fields
		for _, e := range ch.Entries {
			entries = append(entries, fields{"name": e.Name.Value, "version": e.Bundle.Version.Value})
		}
		channels = append(channels, fields{"name": ch.Name.Value, "currentCSV": newestBundle(ch).Name.Value, "entries": entries})
	}
	text, err := json.Marshal(fields{"apiVersion": "v1", "kind": "List", "items": []fields{{"apiVersion": "packages.operators.coreos.com/v1",
		"kind": "PackageManifest", "metadata": fields{"name": p.Name.Value},
		"status": fields{"packageName": p.Name.Value, "defaultChannel": p.DefaultChannel.Value, "channels": channels}}}})
	if err != nil {
		t.Fatal(err)
	}
	ref := filepath.Join(dir, "packages.json")
	write(t, ref, text)
	return ref
}

// writeBundle writes the head of the default channel as a bundle image, and as a file-based catalog of that bundle alone.
func writeBundle(t *testing.T, p *realPackage, dir string) (ref, alone string) {
	head := newestBundle(p.Channel(p.DefaultChannel.Value))
	var names []string
	catalog := []fields{{"schema": "olm.package", "name": p.Name.Value, "defaultChannel": p.DefaultChannel.Value},
		{"schema": "olm.bundle", "package": p.Name.Value, "name": head.Name.Value, "image": "x", "properties": []fields{{"type": "olm.package",
			"value": fields{"packageName": p.Name.Value, "version": head.Version.Value}}}}}
	for _, ch := range p.Channels {
		if slices.ContainsFunc(ch.Entries, func(e catalogs.Entry) bool { return e.Bundle == head }) {
			names = append(names, ch.Name.Value)
			catalog = append(catalog, fields{"schema": "olm.channel", "package": p.Name.Value, "name": ch.Name.Value, "entries": []fields{{"name": head.Name.Value}}})
		}
	}
	bundle := filepath.Join(dir, "bundle")
	for i, m := range p.objects[head.Name.Value] {
		write(t, filepath.Join(bundle, "manifests", fmt.Sprintf("%02d.json", i)), m.JSON())
	}
	const prefix = "operators.operatorframework.io.bundle."
	notes, _ := json.Marshal(fields{"annotations": fields{prefix + "package.v1": p.Name.Value, prefix + "channels.v1": strings.Join(names, ","),
		prefix + "channel.default.v1": p.DefaultChannel.Value}})
	write(t, filepath.Join(bundle, "metadata", "annotations.yaml"), notes)
	img, err := packImage(bundle, ".", prefix+"package.v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeLayout(filepath.Join(dir, "image"), img); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, o := range catalog {
		json.NewEncoder(&text).Encode(o)
	}
	alone = filepath.Join(dir, "alone", "catalog.json")
	write(t, alone, text.Bytes())
	return filepath.Join(dir, "image"), alone
}
