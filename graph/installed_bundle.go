package graph

import "github.com/blang/semver/v4"

// InstalledBundle is a bundle that is installed on a cluster, or is to be, whether the catalog has it or not.
type InstalledBundle struct {
	Name    string `json:"name"`
	Version string `json:"version"` // "" if it is not known
}

// String returns the version, or the name if there is none.
func (in InstalledBundle) String() string {
	if in.Version == "" || in.Version == "0.0.0" {
		return in.Name
	}
	return in.Version
}

// HasOnlyVersion reports whether only the version is known: then Name is the version.
func (in InstalledBundle) HasOnlyVersion() bool {
	v, err := semver.ParseTolerant(in.Name)
	return err == nil && v.String() == in.Version
}

// ParseBundleName returns an installed bundle of which only the name is known: its version is the one that the name ends in.
func ParseBundleName(name string) InstalledBundle {
	in := InstalledBundle{Name: name}
	if v, ok := VersionIn(name); ok {
		in.Version = v.String()
	}
	return in
}

// installedEntry returns an entry as an installed bundle. If it has no bundle, the version is the one that its name ends in.
func (g *Graph) installedEntry(i int) InstalledBundle {
	if b := g.Channel.Entries[i].Bundle; b != nil {
		return InstalledBundle{g.Name(i), b.Version.Value}
	}
	return ParseBundleName(g.Name(i))
}

func (pg *PackageGraph) installedBundle(name string) InstalledBundle {
	return InstalledBundle{name, pg.Version(name)}
}
