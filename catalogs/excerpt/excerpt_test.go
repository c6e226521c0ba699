package excerpt

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 200000)
	text := "schema: olm.package\nname: red\nlong: " + long + "END\n"
	got := read(strings.NewReader(text), []place{{2, 1}, {2, 7}, {3, 1}, {3, 100000}, {3, 200007}, {9, 1}})
	for at, want := range map[place]string{{2, 7}: "red", {2, 1}: "name", {3, 1}: "long: xxx", {3, 200007}: "END", {3, 100000}: "xxx"} {
		if e, ok := got[at]; !ok || !strings.HasPrefix(e.Text[e.Col-1:], want) || len(e.Text) > width {
			t.Errorf("%v: got %+v", at, e)
		}
	}
	if len(got) != 5 {
		t.Errorf("got %d excerpts", len(got))
	}
}
