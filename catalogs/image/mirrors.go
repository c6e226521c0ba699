package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// mirrored is a source of images and its mirrors, as a cluster has them in ImageDigestMirrorSets, ImageTagMirrorSets and
// ImageContentSourcePolicies.
type mirrored struct {
	source  string // a registry, or a repository or a part of its path; *.example.com is any host in example.com
	mirrors []string
	tags    bool // of images by their tags, not by digests
	only    bool // the source is never asked
}

// Mirrors are where a cluster takes images from instead of the registries that their references name.
type Mirrors []mirrored

// ParseMirrors parses objects of a cluster that name mirrors: YAML documents, or a list of them as kubectl prints it. name is for errors.
func ParseMirrors(name string, text []byte) (Mirrors, error) {
	type set struct {
		Source  string   `yaml:"source"`
		Mirrors []string `yaml:"mirrors"`
		Policy  string   `yaml:"mirrorSourcePolicy"`
	}
	type object struct {
		Kind  string      `yaml:"kind"`
		Items []yaml.Node `yaml:"items"`
		Spec  struct {
			ByDigest []set `yaml:"imageDigestMirrors"`
			ByTag    []set `yaml:"imageTagMirrors"`
			Policy   []set `yaml:"repositoryDigestMirrors"`
		} `yaml:"spec"`
	}
	var all Mirrors
	var add func(n *yaml.Node) error
	add = func(n *yaml.Node) error {
		var o object
		if err := n.Decode(&o); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n.Line, err)
		}
		switch o.Kind {
		case "List", "ImageDigestMirrorSetList", "ImageTagMirrorSetList", "ImageContentSourcePolicyList":
			for i := range o.Items {
				if err := add(&o.Items[i]); err != nil {
					return err
				}
			}
			return nil
		case "ImageDigestMirrorSet", "ImageTagMirrorSet", "ImageContentSourcePolicy":
		default:
			return fmt.Errorf("%s:%d: no ImageDigestMirrorSet, ImageTagMirrorSet or ImageContentSourcePolicy, but kind %q", name, n.Line, o.Kind)
		}
		for _, m := range slices.Concat(o.Spec.ByDigest, o.Spec.ByTag, o.Spec.Policy) {
			if m.Source == "" {
				return fmt.Errorf("%s:%d: mirrors without a source", name, n.Line)
			}
			all = append(all, mirrored{m.Source, m.Mirrors, o.Kind == "ImageTagMirrorSet", m.Policy == "NeverContactSource"})
		}
		return nil
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var n yaml.Node
		if err := d.Decode(&n); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(n.Content) == 0 || n.Content[0].Tag == "!!null" {
			continue
		}
		if err := add(n.Content[0]); err != nil {
			return nil, err
		}
	}
}

// Hosts returns the registries of the mirrors.
func (all Mirrors) Hosts() (hosts []string) {
	for _, m := range all {
		for _, mirror := range m.mirrors {
			host, _, _ := strings.Cut(mirror, "/")
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// references returns the references by which an image is tried, in this order: at the mirrors of the longest source that it has, and at the source
// (containers-registries.conf(5), as the machine-config-operator writes it of these objects).
func (all Mirrors) references(ref string) []string {
	digest := strings.Contains(ref, "@")
	var refs []string
	longest, only := "", false
	for _, m := range all {
		rest, ok := m.cutSource(ref)
		if !ok || m.tags == digest || len(m.source) < len(longest) {
			continue
		}
		if len(m.source) > len(longest) {
			refs, longest, only = nil, m.source, false
		}
		for _, mirror := range m.mirrors {
			refs = append(refs, mirror+rest)
		}
		only = only || m.only
	}
	if !only {
		refs = append(refs, ref)
	}
	return slices.Compact(refs)
}

// cutSource returns what follows the source in a reference.
func (m *mirrored) cutSource(ref string) (string, bool) {
	rest, ok := strings.CutPrefix(ref, m.source)
	if suffix, any := strings.CutPrefix(m.source, "*."); any {
		host, path, _ := strings.Cut(ref, "/")
		rest, ok = "/"+path, strings.HasSuffix(host, "."+suffix)
	}
	return rest, ok && rest != "" && strings.ContainsRune("/:@", rune(rest[0]))
}
