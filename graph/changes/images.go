package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/distribution/reference"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// compareImages compares the images of containers, of variables of theirs, and the related images; of the catalog if the manifests are not known.
func (c *comparison) compareImages(manifests bool) {
	before, after := relatedImages(c.from), relatedImages(c.to)
	if manifests {
		before, after = csvImages(c.old), csvImages(c.new)
	}
	known, now := imageSet(before), imageSet(after)
	registries := map[string]bool{}
	for image := range known {
		registries[catalogs.ImageRegistry(image)] = true
	}
	for _, use := range words.SortedKeys(before, after) {
		was, is := before[use], after[use]
		switch {
		case was == is:
		case was == "" && known[is], is == "" && now[was]: // another use of an image that is the same
		case was == "":
			c.addRegistry(registries, use, is)
			c.add(Images, false, use, "is new: "+is)
		case is == "":
			c.add(Images, false, use, "is removed: "+was)
		default:
			c.addRegistry(registries, use, is)
			c.add(Images, false, use, sayImages(was, is))
		}
	}
}

// addRegistry adds that an image is of a registry that the older bundle does not use.
func (c *comparison) addRegistry(known map[string]bool, use, image string) {
	if r := catalogs.ImageRegistry(image); !known[r] {
		c.add(Images, true, use, "is from the registry "+r+", which was not used before")
	}
}

// csvImages returns the images of a ClusterServiceVersion, by what uses them.
func csvImages(of *csv.CSV) map[string]string {
	found := map[string]string{}
	for _, d := range of.Spec.Install.Spec.Deployments {
		pod := d.Spec.Template.Spec
		for _, one := range slices.Concat(pod.InitContainers, pod.Containers) {
			found["container "+one.Name+" of Deployment "+d.Name] = one.Image
			for _, env := range one.Env {
				if isImage(env.Value) {
					found["variable "+env.Name+" of container "+one.Name+" of Deployment "+d.Name] = env.Value
				}
			}
		}
	}
	for _, r := range of.Spec.RelatedImages {
		addRelated(found, r.Name, r.Image)
	}
	return found
}

// isImage reports whether the value of a variable is a reference to an image, with its registry and a tag or a digest.
func isImage(value string) bool {
	named, err := reference.ParseNamed(value)
	return err == nil && strings.ContainsAny(reference.Domain(named), ".:") && !reference.IsNameOnly(named)
}

func relatedImages(b *catalogs.Bundle) map[string]string {
	found := map[string]string{}
	for _, r := range b.RelatedImages {
		if r.Image.Value != b.Image.Value {
			addRelated(found, r.Name.Value, r.Image.Value)
		}
	}
	return found
}

// addRelated adds a related image, by its name, or by its repository where it has none or another image has the same.
func addRelated(found map[string]string, name, image string) {
	repository := image
	if named, err := reference.ParseNamed(image); err == nil {
		repository = named.Name()
	}
	for _, use := range []string{"related image " + cmp.Or(name, repository), "related image " + repository, "related image " + image} {
		if found[use] == "" {
			found[use] = image
			return
		}
	}
}

func imageSet(images map[string]string) map[string]bool {
	set := map[string]bool{}
	for _, image := range images {
		set[image] = true
	}
	return set
}

// sayImages says how an image differs from the one before.
func sayImages(was, is string) string {
	a, errA := reference.ParseNormalizedNamed(was)
	b, errB := reference.ParseNormalizedNamed(is)
	if errA != nil || errB != nil {
		return was + " → " + is
	}
	repository, _, _ := strings.Cut(is, "@")
	digestA, digestB := imageDigest(a), imageDigest(b)
	tagA, tagB := imageTag(a), imageTag(b)
	switch {
	case digestA != "" && digestA == digestB:
		return fmt.Sprintf("is the same image elsewhere: %s, was %s", is, was)
	case a.Name() != b.Name():
		return was + " → " + is
	case digestA != "" && digestB != "" && tagA == tagB:
		return fmt.Sprintf("%s has another digest: %.15s → %.15s", repository, strings.TrimPrefix(digestA, "sha256:"), strings.TrimPrefix(digestB, "sha256:"))
	case digestA == "" && digestB != "":
		return fmt.Sprintf("%s is named by digest, was by tag %s", repository, tagA)
	case digestA != "" && digestB == "":
		return fmt.Sprintf("%s is no longer named by digest", is)
	}
	return fmt.Sprintf("%s: %s → %s", strings.TrimSuffix(repository, ":"+tagB), cmp.Or(tagA, "latest"), cmp.Or(tagB, "latest"))
}

func imageDigest(named reference.Named) string {
	if d, ok := named.(reference.Digested); ok {
		return d.Digest().String()
	}
	return ""
}

func imageTag(named reference.Named) string {
	if t, ok := named.(reference.Tagged); ok {
		return t.Tag()
	}
	return ""
}
