package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/stream"
)

func TestReadUpTo(t *testing.T) {
	for _, size := range []int{0, 1, 5000} {
		text := strings.Repeat("x", size)
		for _, said := range []int{0, size, 9000} {
			got, err := readUpTo(strings.NewReader(text), new([]byte), int64(said), 5000)
			if err != nil || string(got) != text {
				t.Errorf("%d bytes of %d that are said to be %d, %v", len(got), size, said, err)
			}
		}
		if _, err := readUpTo(strings.NewReader(text+"x"), new([]byte), int64(size), int64(size)); !errors.Is(err, stream.ErrTooLarge) {
			t.Errorf("more than %d bytes: %v", size, err)
		}
	}
}
