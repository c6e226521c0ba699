package catalogs

import "testing"

// TestDeprecationObjects reads the first olm.deprecations object of a package only, and of several entries about one object the
// first.
func TestDeprecationObjects(t *testing.T) {
	entry := func(schema, name, message string) Deprecation {
		return Deprecation{Schema: Text{Value: schema}, Name: Text{Value: name}, Message: Text{Value: message}}
	}
	p := &Package{Deprecations: []*Deprecations{
		{Entries: []Deprecation{entry(SchemaBundle, "a.v1", "first"), entry(SchemaBundle, "a.v1", "again"), entry(SchemaPackage, "", "all"),
			entry(SchemaChannel, "a.v2", "a channel")}},
		{Entries: []Deprecation{entry(SchemaBundle, "a.v2", "second object"), entry(SchemaChannel, "beta", "second object")}},
	}}
	for key, want := range map[[2]string]string{
		{SchemaBundle, "a.v1"}: "first", {SchemaBundle, "a.v2"}: "", {SchemaChannel, "beta"}: "", {SchemaChannel, "a.v2"}: "a channel",
		{SchemaPackage, ""}: "all", {SchemaPackage, "whatever"}: "all",
	} {
		got := ""
		if d := p.Deprecation(key[0], key[1]); d != nil {
			got = d.Message.Value
		}
		if got != want {
			t.Errorf("%v: %q, want %q", key, got, want)
		}
	}
	if all := p.DeprecatedBundles(); len(all) != 1 || all["a.v1"].Message.Value != "first" {
		t.Errorf("deprecated bundles: %v", all)
	}
	if n := len(p.DeprecationEntries()); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	if p := (&Package{}); p.Deprecation(SchemaPackage, "") != nil || len(p.DeprecatedBundles()) > 0 || p.DeprecationEntries() != nil {
		t.Error("a package without olm.deprecations deprecates something")
	}
}
