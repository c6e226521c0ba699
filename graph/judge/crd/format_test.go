package crd

import (
	"strings"
	"testing"
)

func TestContrast(t *testing.T) {
	same := strings.Repeat("the same words ", 10)
	for _, test := range []struct{ was, is, shownWas, shownIs string }{
		{"one", "two", "one", "two"},
		{"a  b", "a b", "a b", "a b"}, // white space only
		{same + "one", same + "two", "…ords the same words one", "…ords the same words two"},
		{`"` + same + `one"`, `"` + same + `two"`, `"…ords the same words one"`, `"…ords the same words two"`},
	} {
		if was, is := contrast(test.was, test.is); was != test.shownWas || is != test.shownIs {
			t.Errorf("%s and %s, want %s and %s", was, is, test.shownWas, test.shownIs)
		}
	}
}
