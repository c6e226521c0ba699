package catalogs

import (
	"bufio"
	"bytes"
	"slices"
)

// excerptWidth is how much of a line an Excerpt holds at most, in bytes.
const excerptWidth = 512

// Excerpt is a piece of a source line. Col is the 1-based byte of Text at which the place asked for stands; it is the
// place's own column unless the beginning of a long line was cut off.
type Excerpt struct {
	Text string
	Col  int
}

// Excerpts returns the lines of places in the catalog's files, by place; those that are unknown or cannot be read are
// left out, and so are files outside the catalog. Each file is read once, and no more of it kept than is returned.
func (c *Catalog) Excerpts(places []Pos) map[Pos]Excerpt {
	found := map[Pos]Excerpt{}
	byFile := map[string][]Pos{}
	for _, p := range places {
		if p.Known() && p.Line > 0 {
			byFile[p.File] = append(byFile[p.File], p)
		}
	}
	for name, wanted := range byFile {
		slices.SortFunc(wanted, comparePos)
		c.source.excerpts(name, slices.Compact(wanted), found)
	}
	return found
}

func (s *source) excerpts(name string, wanted []Pos, found map[Pos]Excerpt) {
	if s.outside(name) {
		return
	}
	f, err := s.fsys.Open(s.path(name))
	if err != nil {
		return
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	for line := 1; len(wanted) > 0; line++ {
		if wanted[0].Line > line {
			if skipLine(r) != nil {
				return
			}
			continue
		}
		n := 0
		for n < len(wanted) && wanted[n].Line == line {
			n++
		}
		cutLine(r, wanted[:n], found)
		wanted = wanted[n:]
	}
}

func skipLine(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); err != bufio.ErrBufferFull {
			return err
		}
	}
}

// cutLine reads a line and cuts a piece of it out around each of the places, which are sorted.
func cutLine(r *bufio.Reader, places []Pos, found map[Pos]Excerpt) {
	var window []byte // the last bytes read
	off := 0          // of window in the line
	for {
		piece, err := r.ReadSlice('\n')
		window = append(window, piece...)
		ended := err != bufio.ErrBufferFull
		for len(places) > 0 && (ended || places[0].Col+excerptWidth < off+len(window)) {
			if e, ok := cut(window, off, places[0].Col); ok {
				found[places[0]] = e
			}
			places = places[1:]
		}
		if ended {
			return
		}
		if keep := 2 * excerptWidth; len(window) > keep && len(places) > 0 && places[0].Col > off+len(window) {
			off += len(window) - keep
			window = append(window[:0], window[len(window)-keep:]...)
		}
	}
}

// cut returns the piece of a line around a column; window is the part of the line from off on.
func cut(window []byte, off, col int) (Excerpt, bool) {
	text := bytes.TrimRight(window, "\r\n")
	at := max(col-1, 0) - off
	if at < 0 || at > len(text) {
		return Excerpt{}, false
	}
	from := 0
	if at > excerptWidth/2 && len(text) > excerptWidth {
		from = at - excerptWidth/2
	}
	to := min(len(text), from+excerptWidth)
	return Excerpt{Text: string(bytes.ToValidUTF8(text[from:to], []byte("?"))), Col: at - from + 1}, true
}
