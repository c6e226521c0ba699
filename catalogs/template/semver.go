package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// SemverTemplate is a template from which opm generates channels by the versions of bundles.
type SemverTemplate struct {
	Major, Minor bool     // which channels are generated: minor ones if none is asked for
	Preference   Text     // the kind of the default channel, "major" or "minor"; "" if it is not said. Without the key it has no place
	Streams      []Stream // those that the template has, in the order of archetypes

	noMinor bool // the template says that minor channels are not generated
}

// Stream is the bundles of one archetype.
type Stream struct {
	Archetype string     // candidate, fast or stable
	Place     tree.Place // of the key
	Images    []Text
}

// List lists an image in streams, by archetype: those that do not have it.
func (s *SemverTemplate) List(image string, archetypes []string) {
	for _, archetype := range archetypes {
		at := slices.IndexFunc(s.Streams, func(one Stream) bool { return one.Archetype == archetype })
		if at < 0 {
			s.Streams, at = append(s.Streams, Stream{Archetype: archetype}), len(s.Streams)
		}
		if one := &s.Streams[at]; !slices.ContainsFunc(one.Images, func(i Text) bool { return i.Value == image }) {
			one.Images = append(one.Images, Text{Value: image, Place: one.Place})
		}
	}
	slices.SortStableFunc(s.Streams, func(a, b Stream) int {
		return slices.Index(Archetypes(), a.Archetype) - slices.Index(Archetypes(), b.Archetype)
	})
}

// Images returns the images of all streams, in the order of archetypes.
func (s *SemverTemplate) Images() (images []Text) {
	for _, stream := range s.Streams {
		images = append(images, stream.Images...)
	}
	return images
}

// Archetypes are in the order of their stability (opm: channelPriorities).
func Archetypes() []string { return []string{"candidate", "fast", "stable"} }

// semver reads a semver template (opm: semver.go readFile).
func (r *reader) semver(root *tree.Node) *SemverTemplate {
	const major, minor, preference = "generateMajorChannels", "generateMinorChannels", "defaultChannelTypePreference"
	s, streams := &SemverTemplate{}, map[string]*Stream{}
	r.object(root, "", append([]string{"schema", major, minor, preference}, Archetypes()...), func(key string, f *tree.Field) {
		n := &f.Value
		switch key {
		case "schema":
		case major:
			r.boolean(&s.Major, n, key)
		case minor:
			r.boolean(&s.Minor, n, key)
			s.noMinor = n.Kind == tree.Bool && !s.Minor
		case preference:
			s.Preference.Place = n.Place
			r.text(&s.Preference, n, key)
		default:
			if streams[key] == nil {
				streams[key] = &Stream{Archetype: key}
			}
			streams[key].Place = f.Place
			r.stream(streams[key], n)
		}
	})
	for _, archetype := range Archetypes() {
		if stream := streams[archetype]; stream != nil {
			r.checkImages(stream)
			s.Streams = append(s.Streams, *stream)
		}
	}
	if len(s.Images()) == 0 && !r.hasFault(func(f Fault) bool { return !f.Accepted }) {
		r.add(fault("", noBundles), root.Place, "list images in "+words.List(Archetypes(), "or"), "the template has no bundles: opm rejects it")
	}
	s.Minor = s.Minor || !s.Major
	r.preference(s)
	return s
}

func (r *reader) boolean(to *bool, n *tree.Node, path string) {
	switch n.Kind {
	case tree.Null:
	case tree.Bool:
		*to = n.Text == "true"
	default:
		r.wrongKind(n, tree.Bool, path)
	}
}

func (r *reader) stream(s *Stream, n *tree.Node) {
	r.object(n, s.Archetype, []string{"bundles"}, func(key string, f *tree.Field) {
		path := join(s.Archetype, key)
		items, images := r.readItems(&f.Value, path), s.Images[:0]
		if len(items) == 0 {
			images = nil
		}
		for i := range items {
			if i < cap(images) {
				images = images[:i+1] // encoding/json decodes into the old item
			} else {
				images = append(images, Text{})
			}
			item, path := &items[i], fmt.Sprintf("%s[%d]", path, i)
			if images[i].Value == "" {
				images[i].Place = item.Place
			}
			r.object(item, path, []string{"image"}, func(key string, f *tree.Field) { r.text(&images[i], &f.Value, join(path, key)) })
		}
		s.Images = images
	})
}

// checkImages adds the faults of images that are missing, unless that may be for a wrong kind of value, or there twice.
func (r *reader) checkImages(s *Stream) {
	first := map[string]Text{}
	wrong := r.hasFault(func(f Fault) bool { return f.Cause[0] == faultWrongKind && strings.HasPrefix(f.Field, s.Archetype) })
	for i, image := range s.Images {
		path := fmt.Sprintf("%s.bundles[%d].image", s.Archetype, i)
		before, repeated := first[image.Value]
		switch {
		case image.Value == "" && (wrong || r.hasFault(func(f Fault) bool {
			return f.Cause[0] == UnknownKey && strings.HasPrefix(f.Field, strings.TrimSuffix(path, "image"))
		})): // the key that stands there instead is told
		case image.Value == "":
			r.add(fault(path, noImage), image.Place, "add its image, or remove the item", "%s is missing: opm rejects the template", path)
		case repeated:
			r.add(fault(path, repeatedImage, s.Archetype, image.Value), image.Place, "remove one of them",
				"%s lists the image %q twice, first in line %d: opm rejects the template", s.Archetype, image.Value, before.Place.Line)
		default:
			first[image.Value] = image
			r.checkPullSpec(image, path)
		}
	}
}

// preference adds the fault of a preference that is no kind of channel, or one that is not generated.
func (r *reader) preference(s *SemverTemplate) {
	const path, kind = "defaultChannelTypePreference", "%s is %q, and no %s channels are generated: opm rejects the template"
	switch p := s.Preference; p.Value {
	case "":
	case kindMajor, kindMinor:
		if p.Value == kindMajor && !s.Major || p.Value == kindMinor && !s.Minor {
			key := map[string]string{kindMajor: "generateMajorChannels: true", kindMinor: "generateMinorChannels: true"}[p.Value]
			r.add(fault(path, wrongValue, p.Value), p.Place, "add "+key+", or remove it", kind, path, p.Value, p.Value)
		}
	default:
		r.add(fault(path, wrongValue, p.Value), p.Place, "write major or minor", "%s is %q: opm accepts only major or minor", path, p.Value)
	}
}
