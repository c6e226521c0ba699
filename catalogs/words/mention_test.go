package words

import (
	"slices"
	"testing"
)

func TestPossible(t *testing.T) {
	for _, test := range []struct {
		text, name string
		want       bool
	}{
		{"package: a.b", "a.b", true},
		{"package: a-b", "a.b", false},
		{`"a\x2eb"`, "a.b", true},
		{`"a\u002eb"`, "a.b", true},
		{`"a\u002fb"`, "a.b", false},
		{`"a\uzz`, "a.b", true}, // not an escape: the parser reports it
		{"\"a\\\n  b\"", "ab", true},
		{`"a\nb"`, "ab", false},
		{"other", "it''s", true}, // could be written with other quotes
		{"trailing \\", "ab", false},
	} {
		if got := MayContain([]byte(test.text), test.name); got != test.want {
			t.Errorf("%q in %q: %v", test.name, test.text, got)
		}
	}
}

func TestNames(t *testing.T) {
	names := Names{"etcd": true}
	for text, want := range map[string]bool{
		"package: etcd\n":       true,
		`{"package":"etcd"}`:    true,
		"- etcd\n":              true,
		"key: !tag etcd\n":      true,
		"text: needs etcd to\n": false,
		"package: etcd-ng\n":    false,
		"package:etcd\n":        false, // not a key
		"etcd":                  true,
		"":                      false,
	} {
		if got := names.OccurIn([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestImages(t *testing.T) {
	images := NewImages(slices.Values([]string{"quay.io/red/bundle:1.0.0", "[::1]:5000/red@sha256:00"}))
	for text, want := range map[string]bool{
		"image: quay.io/red/bundle:1.0.0\n":         true,
		`{"image":"quay.io/red/bundle:1.0.0"}`:      true,
		"image: quay.io/red/bundle:1.0.0-1\n":       false,
		"images: [quay.io/red/bundle:1.0.0, other]": true,
		"image: '[::1]:5000/red@sha256:00'":         true,
		"":                                          false,
	} {
		if got := images.OccurIn([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestWords(t *testing.T) {
	var w Words
	w.Add([]byte("- name:red.v1.0.0\n-name: 'blue-1'\n"))
	for name, want := range map[string]bool{"red.v1.0.0": true, "blue-1": true, "name": true, "red": false, "": false, "a b": true} {
		if w.Has(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
	var none, all Words
	if none.Has("a b") {
		t.Error("there is no word")
	}
	all.Add([]byte("\xff\xfer\x00e\x00d\x00"))
	none.Merge(&w)
	none.Merge(&all)
	if !none.Has("anything") {
		t.Error("a text in UTF-16 may have any word")
	}
}
