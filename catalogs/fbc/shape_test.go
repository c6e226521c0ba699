package fbc

import (
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/schema"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

func TestShapes(t *testing.T) {
	for _, c := range []struct{ kind, value, want string }{
		{catalogs.TypePackage, `{"packageName": "a", "version": 1.0}`, "olm.package.version is the number 1"},
		{catalogs.TypePackage, `null`, ""},
		{catalogs.TypePackage, `"a"`, `olm.package is the string "a", but opm expects an object`},
		{catalogs.TypePackage, `{"packageName": null, "other": [1]}`, ""},
		{catalogs.TypePackage, `{"PackageName": 1}`, "olm.package.packageName is the number 1"},
		{"olm.channel", `{"priority": 1.0}`, ""},
		{"olm.channel", `{"priority": 1.5}`, "a whole number of 64 bits"},
		{catalogs.TypeBundleObject, `{"data": "YQ=="}`, ""},
		{catalogs.TypeBundleObject, `{"data": "YQ="}`, "olm.bundle.object.data is not base64"},
		{catalogs.TypeBundleObject, `{"data": [123, 125]}`, ""},
		{catalogs.TypeBundleObject, `{"data": [97, null]}`, "control characters are not allowed"},
		{catalogs.TypeBundleObject, `{"data": [256]}`, "base64"},
		{catalogs.TypeCSVMetadata, `{"installModes": [{"type": "A", "supported": "true"}]}`, "installModes[0].supported is the string"},
		{catalogs.TypeCSVMetadata, `{"annotations": {"a": true}}`, "olm.csv.metadata.annotations.a is the boolean true"},
		{catalogs.TypeCSVMetadata, `{"annotations": {"a": true, "a": "b"}}`, ""},
		{catalogs.TypeCSVMetadata, `{"apiServiceDefinitions": {"owned": [{"containerPort": 4294967296}]}}`, "32 bits"},
		{catalogs.TypeCSVMetadata, `{"crdDescriptions": {"owned": [{"specDescriptors": [{"value": {"any": 1}, "x-descriptors": [null]}]}]}}`, ""},
	} {
		got := shapeFaults(t, c.kind, c.value)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, c.want)) {
			t.Errorf("%s %s: got %+v, want %q", c.kind, c.value, got, c.want)
		}
	}
}

func shapeFaults(t testing.TB, kind, value string) []catalogs.Problem {
	t.Helper()
	n, _, err := tree.ParseJSON([]byte(value), tree.Place{Line: 1, Col: 1}, nil)
	if err != nil {
		t.Fatal(err.Msg)
	}
	d := form.PartDecoder(&source.File{Name: "x"}, true)
	if kind == catalogs.TypeBundleObject {
		checkBundleObject(d, &n)
	} else {
		checkShape(d, &n, schema.PropertyShapes[kind], &valuePath{key: kind})
	}
	return d.Problems
}
