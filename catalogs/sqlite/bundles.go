package sqlite

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// bundleSeen has what channels and packages need of a bundle.
type bundleSeen struct {
	skipRange  string
	deprecated bool
	icon       *icon // if it is the head of a package's default channel
}

type icon struct {
	Data      []byte `json:"base64data"`
	MediaType string `json:"mediatype"`
}

// csv has the fields of a ClusterServiceVersion that are read.
type csv struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Annotations struct {
			SkipRange string `json:"olm.skipRange"`
		} `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Version string `json:"version"`
		Icon    []struct {
			Data      string `json:"base64data"`
			MediaType string `json:"mediatype"`
		} `json:"icon"`
		RelatedImages []image `json:"relatedImages"`
	} `json:"spec"`
}

type image struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

type bundleObject struct {
	Schema        string     `json:"schema"`
	Name          string     `json:"name"`
	Package       string     `json:"package"`
	Image         string     `json:"image"`
	Properties    []property `json:"properties"`
	RelatedImages []image    `json:"relatedImages,omitempty"`
}

// manifest is the value of an olm.bundle.object.
type manifest struct {
	Data []byte `json:"data"` // in base64, as encoding/json writes it
}

type packageObject struct {
	Schema         string `json:"schema"`
	Name           string `json:"name"`
	DefaultChannel string `json:"defaultChannel"`
	Icon           *icon  `json:"icon,omitempty"`
}

// readBundles emits the bundles one at a time, since they are nearly all of an index.
func (r *reader) readBundles() error {
	r.bundles = map[string]bundleSeen{}
	heads := r.iconHeads()
	return r.scan(bundleTable, func(row int64, c []cell) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if c[0].null() {
			r.problem(Problem{Table: bundleTable.name, Row: row, Message: "it has no name"})
			return nil
		}
		return r.readBundle(row, c, heads)
	})
}

func (r *reader) readBundle(row int64, c []cell, heads map[string]bool) error {
	name := c[0].text()
	e := r.extras[name]
	if e == nil {
		e = &extra{}
	}
	note := func(message string) {
		r.problem(Problem{Table: bundleTable.name, Row: row, Note: true, Bundle: name, Message: name + " " + message})
	}
	documents := r.documents(row, c[1].text(), c[2].text())
	v := r.clusterServiceVersion(row, c[1].text(), documents)
	seen := bundleSeen{skipRange: orElse(c[4], v.Metadata.Annotations.SkipRange), deprecated: e.isDeprecated()}
	if heads[name] {
		seen.icon = r.icon(row, v)
	}
	r.bundles[name] = seen
	if err := r.retain(name, seen.skipRange); err != nil {
		return err
	}
	switch {
	case seen.deprecated:
		note("is deprecated (olm.deprecated): it is left out, as opm leaves it out of a file-based catalog")
		return nil
	case len(r.graph.packages[name]) == 0:
		note("is in no channel: it is left out, since neither OLM nor opm sees it")
		return nil
	}
	b := bundleObject{Schema: "olm.bundle", Name: name, Image: c[3].text(), RelatedImages: e.relatedImages(v.Spec.RelatedImages)}
	return r.emitBundle(row, b, e, orElse(c[5], v.Spec.Version), documents)
}

// emitBundle emits a bundle for each package that has it in a channel.
func (r *reader) emitBundle(row int64, b bundleObject, e *extra, version string, documents []json.RawMessage) error {
	for i, pkg := range r.graph.packages[b.Name] {
		b.Package, b.Properties = pkg, e.list(pkg, version)
		for _, d := range documents {
			b.Properties = append(b.Properties, property{"olm.bundle.object", manifest{d}})
			if i == 0 {
				continue // the row itself was counted
			}
			if err := r.spend(int64(len(d))); err != nil {
				return err
			}
		}
		if err := r.send(bundleTable.name, row, b, b.Name); err != nil {
			return err
		}
	}
	return nil
}

// orElse returns a cell, or the value of the CSV if an old file has no such column or null in it.
func orElse(c cell, fromCSV string) string {
	if c.null() {
		return fromCSV
	}
	return c.text()
}

// documents returns the manifests of a bundle: those in the column bundle, or else the CSV.
func (r *reader) documents(row int64, csvText, bundleText string) []json.RawMessage {
	column := "bundle"
	if bundleText == "" {
		column, bundleText = "csv", csvText
	}
	var documents []json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(bundleText))
	for {
		var d json.RawMessage
		err := decoder.Decode(&d)
		if err == io.EOF {
			return documents
		}
		if err != nil {
			r.problem(Problem{Table: bundleTable.name, Row: row, Message: fmt.Sprintf(
				"document %d of the column %s is not JSON: %v", len(documents)+1, column, err)})
			return documents
		}
		documents = append(documents, d)
	}
}

// clusterServiceVersion returns the CSV of a bundle. Values of a wrong type are left out: they are reported where the manifests are read.
func (r *reader) clusterServiceVersion(row int64, csvText string, documents []json.RawMessage) csv {
	var v csv
	if csvText != "" {
		if err := json.Unmarshal([]byte(csvText), &v); syntax(err) {
			r.problem(Problem{Table: bundleTable.name, Row: row, Message: fmt.Sprintf("the column csv is not JSON: %v", err)})
		}
		return v
	}
	for _, d := range documents {
		v = csv{}
		if err := json.Unmarshal(d, &v); !syntax(err) && v.Kind == "ClusterServiceVersion" {
			return v
		}
	}
	return csv{}
}

func syntax(err error) bool {
	_, wrongType := errors.AsType[*json.UnmarshalTypeError](err)
	return err != nil && !wrongType
}

// relatedImages returns the related images of the CSV and those that only the table has, which has no names.
func (e *extra) relatedImages(fromCSV []image) []image {
	images := slices.Clone(fromCSV)
	seen := map[string]bool{}
	for _, i := range images {
		seen[i.Image] = true
	}
	for _, i := range e.images {
		if !seen[i] {
			seen[i] = true
			images = append(images, image{Image: i})
		}
	}
	slices.SortStableFunc(images, func(a, b image) int { return cmp.Compare(a.Image, b.Image) })
	return images
}

// iconHeads returns the bundles whose icons are read: the heads of default channels.
func (r *reader) iconHeads() map[string]bool {
	defaults, heads := map[channelKey]bool{}, map[string]bool{}
	for _, p := range r.packages {
		defaults[channelKey{p.name, p.defaultChannel}] = true
	}
	for _, ch := range r.channels {
		if defaults[ch.key] {
			heads[ch.head] = true
		}
	}
	return heads
}

// icon returns the first icon of a CSV, or nil. Spaces in its base64 are ignored (opm: pkg/sqlite populatePackageIcons).
func (r *reader) icon(row int64, v csv) *icon {
	if len(v.Spec.Icon) == 0 || v.Spec.Icon[0].Data == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(v.Spec.Icon[0].Data, " ", ""))
	if err != nil {
		r.problem(Problem{Table: bundleTable.name, Row: row, Message: "the icon in its CSV is not base64"})
		return nil
	}
	return &icon{data, v.Spec.Icon[0].MediaType}
}

// emitPackages emits the packages. They have no description: neither the index nor opm's conversion has one.
func (r *reader) emitPackages() error {
	heads := map[channelKey]string{}
	for _, ch := range r.channels {
		heads[ch.key] = ch.head
	}
	for _, p := range r.packages {
		object := packageObject{"olm.package", p.name, p.defaultChannel, r.bundles[heads[channelKey{p.name, p.defaultChannel}]].icon}
		if err := r.send(packageTable.name, p.row, object, p.name); err != nil {
			return err
		}
	}
	return nil
}

// marshal returns JSON in which < and & are not escaped.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// segment returns a name as one segment of a path.
func segment(name string) string {
	switch name {
	case "", ".", "..":
		return strings.Repeat("%2E", len(name)) + "%"
	}
	return url.PathEscape(name)
}
