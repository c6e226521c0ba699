package imageset

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// reference is an image as oc-mirror takes it apart (oc-mirror: image ParseRef).
type reference struct {
	transport, name, path, tag, digest string
}

const docker = "docker://"

var digestForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^sha256:[a-f0-9]{64}$|^sha384:[a-f0-9]{96}$|^sha512:[a-f0-9]{128}$`)
})

func parseReference(image string) (reference, error) {
	r := reference{transport: docker, name: image}
	if transport, name, ok := strings.Cut(image, "://"); ok {
		r.transport, r.name = transport+"://", name
	}
	if name, digest, ok := strings.Cut(r.name, "@"); ok {
		if !digestForm().MatchString(digest) {
			return r, errors.New("the digest is not valid")
		}
		_, r.digest, _ = strings.Cut(digest, ":")
		r.name = name
	}
	colon, slash := strings.LastIndex(r.name, ":"), strings.Index(r.name, "/")
	if r.transport == docker && colon >= 0 && (slash < 0 || slash > 0 && colon > slash) {
		r.name, r.tag = r.name[:colon], r.name[colon+1:]
	}
	switch {
	case r.name == "":
		return r, errors.New("it names no image")
	case r.transport == docker && r.tag == "" && r.digest == "":
		return r, errors.New("oc-mirror wants an image with a tag or a digest")
	}
	r.path = r.name
	if _, rest, ok := strings.Cut(r.name, "/"); ok && r.transport == docker {
		r.path = rest
	}
	return r, nil
}

// target returns what oc-mirror tells catalogs apart by: the image that it makes of the catalog (oc-mirror: Operator.GetUniqueName).
func (o *Operator) target() (string, error) {
	r, err := parseReference(o.Catalog.Value)
	switch {
	case err != nil:
		return o.Catalog.Value, err
	case o.TargetCatalog.Value != "" && !pathComponents.MatchString(o.TargetCatalog.Value):
		return o.Catalog.Value, fmt.Errorf("targetCatalog %q is not the path of an image: it must not have a tag", o.TargetCatalog.Value)
	case o.TargetCatalog.Value == "" && o.TargetTag.Value == "":
		return strings.TrimPrefix(o.Catalog.Value, r.transport), nil
	}
	name := strings.TrimPrefix(o.Catalog.Value, r.transport)
	if o.TargetTag.Value != "" {
		name = r.name + ":" + o.TargetTag.Value
	}
	if o.TargetCatalog.Value != "" {
		name = strings.Replace(name, r.path, o.TargetCatalog.Value, 1)
	}
	return name, nil
}

// nameLength is how much of a tag or digest is part of the name of a CatalogSource (oc-mirror: clusterresources hashTruncLen).
const nameLength = 12

// CatalogSource returns the name of the CatalogSource that oc-mirror generates for the mirrored catalog: cs-REPOSITORY-TAG. known is false if
// the name depends on the digest of what oc-mirror builds (oc-mirror: clusterresources generateCatalogSource, operator dispatch).
func (o *Operator) CatalogSource() (name string, known bool) {
	r, err := parseReference(o.Catalog.Value)
	if err != nil {
		return "", false
	}
	path, tag := cmp.Or(o.TargetCatalog.Value, r.path), cmp.Or(o.TargetTag.Value, r.tag)
	if r.transport != docker {
		tag = cmp.Or(o.TargetTag.Value, "latest")
	}
	suffix := strings.Map(labelRune, tag[:min(len(tag), nameLength)])
	if tag == "" {
		suffix = strings.Map(labelRune, ("sha256-" + r.digest)[:nameLength])
		known = o.Full.Value != "" && len(o.Packages) == 0 // else the tag has the digest of the filtered catalog
		if !known {
			suffix = "sha256-*"
		}
		return catalogSource(path, suffix), known
	}
	return catalogSource(path, suffix), true
}

func catalogSource(path, suffix string) string {
	return strings.ReplaceAll("cs-"+path[strings.LastIndex(path, "/")+1:]+"-"+suffix, ".", "-")
}

// labelRune returns what a character of a tag becomes in a name (oc-mirror: clusterresources toRFC1035).
func labelRune(r rune) rune {
	r = unicode.ToLower(r)
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// SameRepository reports whether an image is of the same repository as the catalog or its mirror, whatever the registry and the tag.
func (o *Operator) SameRepository(image string) bool {
	r, err := parseReference(o.Catalog.Value)
	other, otherErr := parseReference(image)
	if err != nil || otherErr != nil {
		return false
	}
	last := func(path string) string { return path[strings.LastIndex(path, "/")+1:] }
	return last(other.path) == last(r.path) || o.TargetCatalog.Value != "" && last(other.path) == last(o.TargetCatalog.Value)
}
