package source

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFileSystems(t *testing.T) {
	long := strings.Repeat("kind: ClusterServiceVersion\n", 1000)
	var packed PackedFiles
	packed.Add("a/b.yaml", []byte(long))
	packed.Add("empty", nil)
	below := fstest.MapFS{"x.yaml": {Data: []byte("old")}, "y.yaml": {Data: []byte("kept")}}
	for _, test := range []struct {
		fsys       fs.FS
		name, want string
	}{
		{MemoryFile{Name: "stdin", Text: []byte("text")}, "stdin", "text"},
		{&packed, "a/b.yaml", long},
		{&packed, "empty", ""},
		{overlay{below, "dir", map[string][]byte{"dir/x.yaml": []byte("newer")}}, "x.yaml", "newer"},
		{overlay{below, "dir", map[string][]byte{"dir/x.yaml": []byte("newer")}}, "y.yaml", "kept"},
	} {
		got, err := fs.ReadFile(test.fsys, test.name)
		if err != nil || string(got) != test.want {
			t.Errorf("%T: %s holds %d bytes, want %d: %v", test.fsys, test.name, len(got), len(test.want), err)
		}
		info, err := fs.Stat(test.fsys, test.name)
		if err != nil || info.Size() != int64(len(test.want)) || !info.Mode().IsRegular() {
			t.Errorf("%T: %s: %v, %v", test.fsys, test.name, info, err)
		}
		if _, err := test.fsys.Open("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%T: %v", test.fsys, err)
		}
		if _, err := fs.Stat(test.fsys, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%T: %v", test.fsys, err)
		}
	}
	if unpacked := len(packed.files["a/b.yaml"]); unpacked > len(long)/10 {
		t.Errorf("%d bytes are stored as %d", len(long), unpacked)
	}
}
