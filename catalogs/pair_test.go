package catalogs

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

// counting is a file system that tells of each file that is opened.
type counting struct {
	fstest.MapFS
	opened func(name string)
}

func (c counting) Open(name string) (fs.File, error) {
	c.opened(name)
	return c.MapFS.Open(name)
}

// TestPairReadIsCancelled gives up wherever a comparison is: what it has found by then is no answer.
func TestPairReadIsCancelled(t *testing.T) {
	const same = "schema: olm.package\nname: same\n"
	read := func(until int) (opened int, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		open := func(text string) *Catalog {
			files := fstest.MapFS{"a.yaml": {Data: []byte(text)}, "b.yaml": {Data: []byte(same)}, "c.yaml": {Data: []byte(same + "# 2\n")}}
			s := &source{fsys: counting{files, func(name string) {
				if opened++; opened == until {
					cancel()
				}
			}}}
			c, err := openFolder(ctx, s, ".", Options{Later: true})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		p := Pair{Now: open("schema: olm.package\nname: p\ndefaultChannel: a\n"), Base: open("schema: olm.package\nname: p\n")}
		opened = 0
		err = p.Read(ctx)
		return opened, err
	}
	all, err := read(0)
	if err != nil || all == 0 {
		t.Fatal(all, err)
	}
	for until := 1; until <= all; until++ {
		if opened, err := read(until); !errors.Is(err, context.Canceled) || opened > until {
			t.Errorf("cancelled with the %dth file of %d: %d were opened, %v", until, all, opened, err)
		}
	}
}
