package words

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"stable", "stable-v1", "candidate", "tabel", "table"}
	for name, want := range map[string]string{
		"stabel":     "stable", // exchanged
		"stble":      "stable", // of two at the same distance the first in the alphabet
		"candidat":   "candidate",
		"canddiates": "", // two edits are too many for ten bytes
		"fast":       "",
		"stable":     "table", // not itself
		"":           "",
	} {
		if got, ok := Nearest(name, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got, ok := Nearest("stabel", make([]string, maxCandidates+1)); ok {
		t.Errorf("%q among too many", got)
	}
}

func TestNearestVersioned(t *testing.T) {
	known := []string{"etcd.v0.9.4", "etcd.v0.9.2", "etcdoperator.v0.9.4"}
	for name, want := range map[string]string{"etcd.v0.9.5": "", "ectd.v0.9.2": "etcd.v0.9.2", "etcd-v0.9.4": "etcd.v0.9.4"} {
		if got, _ := NearestVersioned(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b        string
		limit, want int
	}{{"", "", 3, 0}, {"abc", "abc", 3, 0}, {"abc", "acb", 3, 1}, {"abc", "ab", 3, 1}, {"abc", "xyz", 9, 3}, {"ca", "abc", 9, 3}} {
		if got := Distance(test.a, test.b, test.limit); got != test.want {
			t.Errorf("%q and %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
	if got := Distance("abcdefgh", "zyxwvuts", 2); got < 2 {
		t.Errorf("%d, which is below the limit", got)
	}
}
