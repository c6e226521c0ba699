package template_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	blang "github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// eraVersions has one version of each era of the semver expansion, the newest last.
func eraVersions() []string {
	return []string{"v1.26.4", "v1.26.5", "v1.36.0", "v1.56.0", "v1.60.0", "v1.73.0"}
}

// random returns the text of a semver template and its bundles.
func random(r *rand.Rand) (string, map[string]template.Bundle) {
	bundles := map[string]template.Bundle{}
	var images []string
	for range 1 + r.IntN(14) {
		version := fmt.Sprintf("%d.%d.%d", r.IntN(3), r.IntN(4), r.IntN(4))
		if r.IntN(4) == 0 {
			version += []string{"-rc.1", "-rc.10", "-2"}[r.IntN(3)]
		}
		if image := "i/" + version; bundles[image].Name == "" {
			bundles[image] = template.Bundle{Name: "x.v" + version, Package: "x", Version: version}
			images = append(images, image)
		}
	}
	text := "schema: olm.semver\n"
	text += []string{"", "generateMajorChannels: true\n", "generateMajorChannels: true\ngenerateMinorChannels: true\n"}[r.IntN(3)]
	for _, archetype := range []string{"stable", "candidate"} {
		r.Shuffle(len(images), func(i, j int) { images[i], images[j] = images[j], images[i] })
		text += archetype + ":\n  bundles:\n  - image: " + strings.Join(images[:1+r.IntN(len(images))], "\n  - image: ") + "\n"
	}
	return text, bundles
}

// nameVersion returns the version in a name.
func nameVersion(name string) blang.Version { return blang.MustParse(strings.TrimPrefix(name, "x.v")) }

func TestExpansionProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text, bundles := random(r)
		f, faults := template.Read(parse(t, text))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		for _, version := range eraVersions() {
			e, faults := f.Channels.Expand(bundles, opm(t, version))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			listed := map[string]int{} // entries of an archetype's major or minor channels
			for _, c := range e.Channels {
				kind := c.Archetype
				if strings.Contains(c.Name, ".") {
					kind += " minor"
				}
				listed[kind] += len(c.Entries)
				if problem := channelProblem(c, version); problem != "" {
					t.Fatalf("%s\nopm %s: %s: %s\n%s", text, version, c.Name, problem, edges(e))
				}
			}
			for kind, n := range listed {
				i := slices.IndexFunc(f.Channels.Streams, func(s template.Stream) bool { return s.Archetype == strings.Fields(kind)[0] })
				if n != len(f.Channels.Streams[i].Images) {
					t.Fatalf("%s\nopm %s: %s: %d entries", text, version, kind, n)
				}
			}
			if !slices.ContainsFunc(e.Channels, func(c template.Channel) bool { return c.Name == e.DefaultChannel }) {
				t.Fatalf("%s\nopm %s: no default channel %q", text, version, e.DefaultChannel)
			}
		}
	}
}

// channelProblem returns what is not as in every generated channel.
func channelProblem(c template.Channel, version string) string {
	named, inChannel := map[string]bool{}, map[string]bool{}
	for _, n := range c.Entries {
		inChannel[n.Name] = true
	}
	acrossChannels := slices.Contains([]string{"v1.26.5", "v1.36.0", "v1.73.0"}, version)
	for i, n := range c.Entries {
		if i > 0 && nameVersion(c.Entries[i-1].Name).GE(nameVersion(n.Name)) {
			return "not in the order of versions"
		}
		for _, lower := range append([]string{n.Replaces}, n.Skips...) {
			switch {
			case lower == "":
				continue
			case nameVersion(lower).GE(nameVersion(n.Name)):
				return n.Name + " leads down"
			case nameVersion(lower).Major != nameVersion(n.Name).Major:
				return n.Name + " crosses a major version"
			case !acrossChannels && !inChannel[lower]:
				return n.Name + " names " + lower + " of another channel"
			}
			named[lower] = true
		}
		if slices.Contains(n.Skips, n.Replaces) != (version == "v1.56.0" && n.Replaces != "") {
			return n.Name + ": what is replaced is skipped, or not"
		}
		isHead := i == len(c.Entries)-1 || nameVersion(c.Entries[i+1].Name).Minor != nameVersion(n.Name).Minor
		if !isHead && (n.Replaces != "" || len(n.Skips) > 0) {
			return n.Name + " is no head of a minor version"
		}
	}
	for i, n := range c.Entries {
		if named[n.Name] == (i == len(c.Entries)-1) {
			return n.Name + " is a second head, or the last entry none"
		}
	}
	return ""
}

func TestExpansionDoesNotDependOnTheOrderOfImages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		text, bundles := random(r)
		f, _ := template.Read(parse(t, text))
		before, _ := f.Channels.Expand(bundles, template.NewestOPM())
		want := edges(before)
		for _, s := range f.Channels.Streams {
			r.Shuffle(len(s.Images), func(i, j int) { s.Images[i], s.Images[j] = s.Images[j], s.Images[i] })
		}
		after, _ := f.Channels.Expand(bundles, template.NewestOPM())
		if diff := cmp.Diff(want, edges(after)); diff != "" {
			t.Fatal(text, diff)
		}
	}
}

// FuzzRead reads any text as a template and expands it; the version of a bundle is what follows the last slash of its image.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"schema: olm.semver\nStable: {bundles: [{image: i/1.0.0}, {image: i/1.1.0}]}\nstable: {Bundles: [{}, {image: i/2.0.0+1}]}\nfast:\n",
		"schema: olm.semver\ngenerateMajorChannels: yes\nfast: {bundles: [{image: i/0.0.0-1}, {image: i/0.0.0}]}\ndefaultChannelTypePreference: major\n",
		"Schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: a\n- ~\n- {schema: olm.bundle, properties: [1]}\n",
		"schema: olm.template.substitutes\nentries: []\nsubstitutions: [{name: i/1.0.0, base: a}, {name: i/1.0.0}]\nsubstitution: 1\n",
		"scheme: olm.semver\n", "schema: olm.semvr\n", "schema: [1]\n", "- 1\n", "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, _, err := tree.ParseYAML(text, tree.Place{Line: 1, Col: 1}, nil)
		if err != nil || len(text) > 1<<14 {
			return
		}
		file, faults := template.Read(&root)
		checkFaults(t, faults, string(text))
		if file.Channels == nil {
			return
		}
		bundles := map[string]template.Bundle{}
		for _, image := range file.Channels.Images() {
			version := image.Value[strings.LastIndex(image.Value, "/")+1:]
			bundles[image.Value] = template.Bundle{Name: "x.v" + version, Package: "x", Version: version}
		}
		for _, version := range eraVersions() {
			e, faults := file.Channels.Expand(bundles, opm(t, version))
			checkFaults(t, faults, string(text))
			if (e == nil) != (len(faults) > 0) {
				t.Fatalf("opm %s: %v, %v", version, e, faults)
			}
		}
	})
}

func checkFaults(t *testing.T, faults []template.Fault, text string) {
	t.Helper()
	lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
	for _, f := range faults {
		if f.Message == "" || len(f.Cause) == 0 || f.Line < 1 || f.Line > lines {
			t.Fatalf("%q: %+v", text, f)
		}
	}
}

// minors returns a template of three streams with the same n bundles, each of a minor version of its own, and these.
func minors(n int) (*template.SemverTemplate, map[string]template.Bundle) {
	s, bundles := &template.SemverTemplate{Major: true, Minor: true}, map[string]template.Bundle{}
	for _, archetype := range []string{"candidate", "fast", "stable"} {
		stream := template.Stream{Archetype: archetype}
		for i := range n {
			version := fmt.Sprintf("1.%d.0", i)
			bundles[version] = template.Bundle{Name: "x.v" + version, Package: "x", Version: version}
			stream.Images = append(stream.Images, template.Text{Value: version})
		}
		s.Streams = append(s.Streams, stream)
	}
	return s, bundles
}

// TestManySkips refuses what grows with the square of the template.
func TestManySkips(t *testing.T) {
	s, bundles := minors(2000)
	for _, version := range eraVersions() {
		e, faults := s.Expand(bundles, opm(t, version))
		skips := 0
		if e != nil {
			for _, c := range e.Channels {
				for _, entry := range c.Entries {
					skips += len(entry.Skips)
				}
			}
		}
		if refused := len(faults) == 1 && slices.Contains(faults[0].Cause, "too-many-skips"); (e == nil) != refused || skips > 1_000_000 {
			t.Errorf("opm %s: %d skips, %v", version, skips, faults)
		}
	}
}

func BenchmarkExpand(b *testing.B) {
	for _, version := range []string{"v1.46", "v1.73"} {
		v, _ := template.ParseOPM(version)
		for _, n := range []int{100, 400, 1600} {
			s, bundles := minors(n)
			b.Run(fmt.Sprintf("%s/n=%d", version, n), func(b *testing.B) {
				for b.Loop() {
					s.Expand(bundles, v)
				}
			})
		}
	}
}
