// Package lifecycle reads the lifecycle metadata of catalogs: until when a version of an operator is supported, and for which OpenShift versions
// (openshift/enhancements: lifecycle-and-compatibility). OLM does not read it.
package lifecycle

import (
	"encoding/json"
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
)

// schema is that of its objects.
const schema = "io.openshift.operators.lifecycles.v1alpha1"

// Lifecycles are the lifecycles of versions, by package and then by "MAJOR.MINOR".
type Lifecycles map[string]map[string]*Lifecycle

// Lifecycle is that of the versions MAJOR.MINOR of a package.
type Lifecycle struct {
	Phases    []Phase  `json:"phases"`
	OpenShift []string `json:"openshift"` // the versions that it is for, as "4.18"; none: it is not known
}

// Phase is a phase of support. Its dates, as "2026-06-30", are part of it; they may be empty.
type Phase struct {
	Name  string `json:"name"`
	Start string `json:"startDate"`
	End   string `json:"endDate"`
}

// blob is an object of lifecycle metadata.
type blob struct {
	Schema   string `json:"schema"`
	Package  string `json:"package"`
	Versions []struct {
		Name      string  `json:"name"`
		Phases    []Phase `json:"phases"`
		Platforms []struct {
			Name     string   `json:"name"`
			Versions []string `json:"versions"`
		} `json:"platformCompatibility"`
	} `json:"versions"`
}

// Read reads the lifecycles of a catalog. A package with several objects, or with one that cannot be read, has none, and so has a file of which a
// document cannot be read, which is a Problem of the catalog. An error is of a file that cannot be read any more.
func Read(c *catalogs.Catalog) (Lifecycles, error) {
	all, read := Lifecycles{}, map[string]bool{}
	for i := range c.Others {
		file := c.Others[i].Pos.File
		if c.Others[i].Schema.Value != schema || read[file] {
			continue
		}
		read[file] = true
		text, err := c.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := bundled.ParseObjects(text)
		if err != nil {
			continue
		}
		for _, o := range objects {
			all.add(o.JSON())
		}
	}
	return all, nil
}

// add adds what an object says, if it is one of lifecycle metadata.
func (l Lifecycles) add(text []byte) {
	var b blob
	if json.Unmarshal(text, &b) != nil || b.Schema != schema || b.Package == "" {
		return
	}
	first := l[b.Package] == nil
	l[b.Package] = map[string]*Lifecycle{}
	for _, v := range b.Versions {
		of := &Lifecycle{Phases: v.Phases}
		for _, p := range v.Platforms {
			if p.Name == "openshift" {
				of.OpenShift = append(of.OpenShift, p.Versions...)
			}
		}
		if first {
			l[b.Package][v.Name] = of
		}
	}
}

// Find returns the lifecycle of a version of a package, nil if it is not known.
func (l Lifecycles) Find(pkg string, v semver.Version) *Lifecycle {
	return l[pkg][fmt.Sprintf("%d.%d", v.Major, v.Minor)]
}
