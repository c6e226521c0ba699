package e2e

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// bundleRegistry serves bundle images of package red, each with a ClusterServiceVersion that lacks most fields.
type bundleRegistry struct {
	host     string
	requests atomic.Int64
	answer   func(w http.ResponseWriter, r *http.Request) bool // instead of the registry, if it returns true
}

func serveBundles(t *testing.T, names ...string) (r *bundleRegistry, refs map[string]string) {
	t.Helper()
	behind := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	r, refs = &bundleRegistry{}, map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		if r.answer == nil || !r.answer(w, req) {
			behind.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(server.Close)
	r.host = strings.TrimPrefix(server.URL, "http://")
	for i, bundle := range names {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{
			"manifests/csv.yaml":        fmt.Sprintf("apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: %s}\nspec: {version: 1.0.%d}\n", bundle, i),
			"metadata/annotations.yaml": "annotations:\n  operators.operatorframework.io.bundle.package.v1: red\n  operators.operatorframework.io.bundle.channels.v1: stable\n",
		})
		img, err := packImage(dir, ".", "operators.operatorframework.io.bundle.package.v1")
		if err != nil {
			t.Fatal(err)
		}
		tag, err := name.ParseReference(r.host+"/red/"+bundle+":v1", name.Insecure)
		if err == nil {
			err = remote.Write(tag, img)
		}
		if err != nil {
			t.Fatal(err)
		}
		digest, err := img.Digest()
		if err != nil {
			t.Fatal(err)
		}
		refs[bundle] = r.host + "/red/" + bundle + "@" + digest.String()
	}
	r.requests.Store(0)
	return r, refs
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		catalogtest.Write(t, filepath.Join(dir, name), text)
	}
}

// writeCatalog writes a catalog of package red with the bundles of some images.
func writeCatalog(t *testing.T, refs map[string]string) string {
	t.Helper()
	var entries, bundles strings.Builder
	for i := range len(refs) {
		bundle := fmt.Sprintf("red.v1.0.%d", i)
		fmt.Fprintf(&entries, "- {name: %s, skipRange: <1.0.%d}\n", bundle, i)
		fmt.Fprintf(&bundles, "---\n{schema: olm.bundle, package: red, name: %s, image: '%s', properties: [{type: olm.package, value: {packageName: red, version: 1.0.%d}}]}\n", bundle, refs[bundle], i)
	}
	name := filepath.Join(t.TempDir(), "catalog.yaml")
	writeFiles(t, filepath.Dir(name), map[string]string{"catalog.yaml": "schema: olm.package\nname: red\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: red\nname: stable\nentries:\n" + entries.String() + bundles.String()})
	return name
}

// TestPull checks that images are stored once, that --bundles reads them, and what is said of those that cannot be had.
func TestPull(t *testing.T) {
	r, refs := serveBundles(t, "red.v1.0.0", "red.v1.0.1", "red.v1.0.2")
	refs["red.v1.0.3"] = r.host + "/red/red.v1.0.0:v1" // by a tag
	refs["red.v1.0.4"] = r.host + "/red/gone@sha256:" + strings.Repeat("0", 64)
	catalog := writeCatalog(t, refs)
	out := filepath.Join(t.TempDir(), "bundles")
	status, said, errs := run(t, "pull", catalog, "-o", out, "--registry", r.host)
	if said = strings.Join(strings.Fields(said), " "); status != 3 || !strings.Contains(said, "4 images of 5 bundle images") || !strings.Contains(said, "4 stored now") ||
		!strings.Contains(said, "red.v1.0.4: "+refs["red.v1.0.4"]) || !strings.Contains(said, "not found") {
		t.Fatalf("status %d: %s%s", status, said, errs)
	}
	r.requests.Store(0)
	status, said, errs = run(t, "pull", catalog, "-o", out, "--registry", r.host)
	if asked := r.requests.Load(); status != 3 || !strings.Contains(strings.Join(strings.Fields(said), " "), "0 stored now (0 B), 4 there before") || asked > 5 {
		t.Fatalf("again: status %d after %d requests: %s%s", status, asked, said, errs)
	}
	catalogtest.Write(t, out+".tar", string(makeTar(out, ".")))
	for _, bundles := range []string{out, out + ".tar"} {
		status, said, errs = run(t, "lint", catalog, "--bundles", bundles, "--only", "csv/required-field", "-o", "json")
		if status != 1 || strings.Count(said, `"rule": "csv/required-field"`) == 0 || !strings.Contains(said, "/manifests/csv.yaml") || !strings.Contains(said, `"bundles": 1,`) {
			t.Errorf("lint: status %d: %s%s", status, said, errs)
		}
	}
}

// TestPullKilled kills pull at random moments while it stores images: the next one stores those that are missing, and what is there can be read.
func TestPullKilled(t *testing.T) {
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprintf("red.v1.0.%d", i))
	}
	r, refs := serveBundles(t, names...)
	r.answer = func(http.ResponseWriter, *http.Request) bool {
		time.Sleep(10 * time.Millisecond)
		return false
	}
	catalog := writeCatalog(t, refs)
	out := filepath.Join(t.TempDir(), "bundles")
	args := "pull " + catalog + " -o " + out + " --registry " + r.host
	random := rand.New(rand.NewPCG(1, 2))
	for i := range catalogtest.Rounds(12) {
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		cmd := tool(t.TempDir(), args)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(150*time.Millisecond + time.Duration(random.IntN(300))*time.Millisecond) // the start, and 24 requests
		cmd.Process.Signal([]os.Signal{os.Interrupt, os.Kill}[i%2])
		cmd.Wait()
		if status, said, errs := run(t, strings.Fields(args)...); status != 0 || !strings.Contains(strings.Join(strings.Fields(said), " "), "6 images of 6 bundle images") {
			t.Fatalf("status %d: %s%s", status, said, errs)
		}
	}
	if status, said, errs := run(t, "list", catalog, "bundles", "--bundles", out, "-o", "json"); status != 0 || errs != "" {
		t.Errorf("status %d: %s%s", status, said, errs)
	}
}

// TestPullFaults checks what becomes of one image if a registry does not answer as it should.
func TestPullFaults(t *testing.T) {
	asked := map[string]int{}
	is := func(r *http.Request, what string) bool { return strings.Contains(r.URL.Path, what) }
	for _, test := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request) bool
		named  bool
		status int
		want   string
	}{
		{"waits as it is told", func(w http.ResponseWriter, r *http.Request) bool {
			if asked[r.URL.Path]++; is(r, "/manifests/") && asked[r.URL.Path] == 1 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			}
			return false
		}, true, 0, "1 stored now"},
		{"but not for long", func(w http.ResponseWriter, r *http.Request) bool {
			if is(r, "/manifests/") {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return is(r, "/manifests/")
		}, true, 3, "too many requests"},
		{"fails", func(w http.ResponseWriter, r *http.Request) bool {
			if is(r, "/blobs/") {
				w.WriteHeader(http.StatusForbidden)
			}
			return is(r, "/blobs/")
		}, true, 3, "unauthorized"},
		{"sends something else", func(w http.ResponseWriter, r *http.Request) bool {
			if is(r, "/blobs/") && r.Method == http.MethodGet {
				fmt.Fprint(w, "{}")
				return true
			}
			return false
		}, true, 3, "sha256"},
		{"sends without end", func(w http.ResponseWriter, r *http.Request) bool {
			if !is(r, "/blobs/") || r.Method != http.MethodGet {
				return false
			}
			for zeros := make([]byte, 64<<10); ; {
				if _, err := w.Write(zeros); err != nil {
					return true
				}
			}
		}, true, 3, "more than 8 MiB"},
		{"leads to an address that is not public", nil, false, 3, "a loopback, private or link-local address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, refs := serveBundles(t, "red.v1.0.0")
			r.answer = test.answer
			out := filepath.Join(t.TempDir(), "bundles")
			args := []string{"pull", writeCatalog(t, refs), "-o", out, "--max-size", "8MiB"}
			if test.named {
				args = append(args, "--registry", r.host)
			}
			status, said, errs := run(t, args...)
			if said = strings.Join(strings.Fields(said), " "); status != test.status || !strings.Contains(said, test.want) {
				t.Errorf("status %d: %s%s", status, said, errs)
			}
			if blobs, _ := filepath.Glob(filepath.Join(out, "blobs", "sha256", ".part-*")); len(blobs) > 0 {
				t.Errorf("left: %v", blobs)
			}
		})
	}
}

// TestPullMissing checks that --pull missing pulls what is looked at, once, by digest, and from no registry that only a change has.
func TestPullMissing(t *testing.T) {
	r, refs := serveBundles(t, "red.v1.0.0", "red.v1.0.1")
	refs["red.v1.0.2"] = r.host + "/red/red.v1.0.0:v1" // by a tag
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	catalog := writeCatalog(t, refs)
	lint := func(want int, unseen string, args ...string) (errs string) {
		t.Helper()
		status, said, errs := run(t, append([]string{"lint", catalog, "--only", "csv/required-field", "-o", "json"}, args...)...)
		if status != want || !strings.Contains(said, `"bundles": `+unseen+",") {
			t.Errorf("%v: status %d, want %d, and %s bundles without manifests: %s%s", args, status, want, unseen, said, errs)
		}
		return errs
	}
	lint(0, "3")
	lint(0, "3", "--pull", "never", "--registry", r.host)
	lint(3, "3", "--pull", "missing")
	if asked := r.requests.Load(); asked > 0 {
		t.Errorf("%d requests without --registry or --pull", asked)
	}
	lint(1, "0", "--pull", "missing", "--registry", r.host)
	if status, said, errs := run(t, "pull", catalog, "--registry", r.host); status != 0 || !strings.Contains(strings.Join(strings.Fields(said), " "), "3 there before") {
		t.Errorf("pull into the cache: status %d: %s%s", status, said, errs)
	}
	r.requests.Store(0)
	lint(1, "0", "--pull", "missing", "--registry", r.host)
	if asked := r.requests.Load(); asked == 0 || asked > 4 {
		t.Errorf("%d requests for the image of a tag that is in the cache", asked)
	}

	base := filepath.Join(t.TempDir(), "base.yaml")
	writeFiles(t, filepath.Dir(base), map[string]string{"base.yaml": publishedCatalog("registry.example.com", "see "+r.host+"/red")})
	r.requests.Store(0)
	if errs := lint(3, "3", "--pull", "missing", "--base", base, "--insecure"); !strings.Contains(errs, "is not contacted, because no bundle of the base is in it") || r.requests.Load() > 0 {
		t.Errorf("with a base that has no image there, after %d requests: %s", r.requests.Load(), errs)
	}

	writeFiles(t, filepath.Dir(base), map[string]string{"base.yaml": publishedCatalog(r.host, "")})
	lint(3, "1", "--pull", "missing", "--base", base, "--insecure") // a tag is not asked for without --registry: no TLS

	blobs, err := filepath.Glob(filepath.Join(cache, "olmgraph", "bundles", "blobs", "sha256", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatal(blobs, err)
	}
	for _, name := range blobs {
		catalogtest.Write(t, name, "{}")
	}
	r.requests.Store(0)
	if lint(1, "0", "--pull", "missing", "--registry", r.host); r.requests.Load() == 0 {
		t.Error("a cache was read whose blobs have other digests")
	}
}

// TestPullOfTemplate checks that --pull missing has the bundles of a template, also new ones, from the registries of the base only, and that
// what is in them is reported at the template.
func TestPullOfTemplate(t *testing.T) {
	r, refs := serveBundles(t, "red.v1.0.0", "red.v1.0.1")
	stranger, strange := serveBundles(t, "red.v1.0.0")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	template := func(file string, images ...string) string {
		writeFiles(t, dir, map[string]string{file: "schema: olm.semver\nstable:\n  bundles:\n  - image: " + strings.Join(images, "\n  - image: ") + "\n"})
		return filepath.Join(dir, file)
	}
	base, now := template("base.yaml", refs["red.v1.0.0"]), template("now.yaml", refs["red.v1.0.0"], refs["red.v1.0.1"])
	other := template("other.yaml", refs["red.v1.0.0"], strange["red.v1.0.0"])
	lint := func(of string, want int, args ...string) (said string) {
		t.Helper()
		status, said, errs := run(t, append([]string{"lint", of, "--only", "csv/required-field,catalog/no-package,published/package-removed", "-o", "compact"}, args...)...)
		if status != want {
			t.Errorf("%s %v: status %d, want %d: %s%s", of, args, status, want, said, errs)
		}
		return said + errs
	}
	pull := []string{"--base", base, "--pull", "missing", "--insecure", "--registry", r.host}
	if said := lint(now, 1); strings.Count(said, "[") != 1 || !strings.Contains(said, "catalog/no-package") || r.requests.Load() > 0 {
		t.Errorf("without --pull, after %d requests: %s", r.requests.Load(), said)
	}
	if said := lint(now, 1, pull...); !strings.Contains(said, "now.yaml:5:12: error") || strings.Contains(said, "catalog/no-package") {
		t.Errorf("with the images: %s", said)
	}
	r.requests.Store(0)
	lint(now, 1, pull...)
	if status, said, errs := run(t, "template", now, "--pull", "missing"); status != 0 || !strings.Contains(said, "name: red.v1.0.1") {
		t.Errorf("template: status %d: %s%s", status, said, errs)
	}
	if asked := r.requests.Load(); asked > 0 {
		t.Errorf("%d requests for what is in the cache", asked)
	}
	if said := lint(other, 3, pull...); !strings.Contains(said, "registry "+stranger.host+" is not contacted") || stranger.requests.Load() > 0 || strings.Contains(said, "package-removed") {
		t.Errorf("of another registry, after %d requests: %s", stranger.requests.Load(), said)
	}
	if status, said, errs := run(t, "diff", base, other, "--pull", "missing", "--insecure", "--registry", r.host); status != 3 || strings.Contains(said, "removed") || !strings.Contains(errs, "is not contacted") {
		t.Errorf("diff: status %d: %s%s", status, said, errs)
	}
	out := filepath.Join(dir, "bundles")
	if status, said, errs := run(t, "pull", writeCatalog(t, refs), "-o", out, "--registry", r.host); status != 0 {
		t.Fatalf("status %d: %s%s", status, said, errs)
	}
	if said := lint(now, 1, "--bundles", out); !strings.Contains(said, "now.yaml:5:12: error") {
		t.Errorf("with --bundles: %s", said)
	}
}

// publishedCatalog returns a catalog of package red with a bundle image in a registry.
func publishedCatalog(registry, description string) string {
	return fmt.Sprintf("schema: olm.package\nname: red\ndefaultChannel: stable\ndescription: '%s'\n---\n{schema: olm.channel, package: red, name: stable, entries: [{name: red.v0.9.0}]}\n---\n"+
		"schema: olm.bundle\npackage: red\nname: red.v0.9.0\nimage: %s/red:v0.9.0\nproperties: [{type: olm.package, value: {packageName: red, version: 0.9.0}}]\n", description, registry)
}

// TestPullMirrors checks that images are asked for of mirrors, and stored under the references that the catalog has.
func TestPullMirrors(t *testing.T) {
	r, refs := serveBundles(t, "red.v1.0.0")
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"mirrors.yaml": "kind: ImageDigestMirrorSet\nspec:\n  imageDigestMirrors:\n  - {source: registry.example.com, mirrors: ['" + r.host + "/gone', '" +
		r.host + "'], mirrorSourcePolicy: NeverContactSource}\n"})
	refs["red.v1.0.0"] = strings.Replace(refs["red.v1.0.0"], r.host, "registry.example.com", 1)
	catalog, out := writeCatalog(t, refs), filepath.Join(dir, "bundles")
	if status, said, errs := run(t, "pull", catalog, "-o", out, "--mirrors", filepath.Join(dir, "mirrors.yaml")); status != 0 {
		t.Fatalf("status %d: %s%s", status, said, errs)
	}
	if status, said, errs := run(t, "crds", catalog, "red", "--bundles", out); status != 0 || !strings.Contains(said, "No bundle of the channel has the manifest of a CRD") {
		t.Errorf("status %d: %s%s", status, said, errs)
	}
}
