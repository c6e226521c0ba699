// Package excerpt reads pieces of the lines of a text, however long the text and its lines are.
package excerpt

import (
	"bufio"
	"bytes"
	"io"
)

// width is how much of a line is returned at most, in bytes.
const width = 512

// place is a place in a text. Both are 1-based, Col counts bytes.
type place struct{ Line, Col int }

// Excerpt is the piece of a line around a place. Col is the 1-based byte of Text at which the place is: the place's own column, unless
// the beginning of a long line is left out. Text is valid UTF-8.
type Excerpt struct {
	Text string
	Col  int
}

// read returns the excerpts for places, which are sorted and unique. It reads the text once. Places that the text does not have are
// left out.
func read(text io.Reader, places []place) map[place]Excerpt {
	found := map[place]Excerpt{}
	r := bufio.NewReaderSize(text, 64<<10)
	for line := 1; len(places) > 0; line++ {
		if places[0].Line > line {
			if skipLine(r) != nil {
				break
			}
			continue
		}
		n := 0
		for n < len(places) && places[n].Line == line {
			n++
		}
		readLine(r, places[:n], found)
		places = places[n:]
	}
	return found
}

func skipLine(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); err != bufio.ErrBufferFull {
			return err
		}
	}
}

// readLine reads a line and adds the excerpts for the places in it.
func readLine(r *bufio.Reader, places []place, found map[place]Excerpt) {
	var window []byte // the last bytes read
	off := 0          // of window in the line
	for {
		piece, err := r.ReadSlice('\n')
		window = append(window, piece...)
		ended := err != bufio.ErrBufferFull
		for len(places) > 0 && (ended || places[0].Col+width < off+len(window)) {
			if e, ok := cut(window, off, places[0].Col); ok {
				found[places[0]] = e
			}
			places = places[1:]
		}
		if ended {
			return
		}
		if keep := 2 * width; len(window) > keep && len(places) > 0 && places[0].Col > off+len(window) {
			off += len(window) - keep
			window = append(window[:0], window[len(window)-keep:]...)
		}
	}
}

// cut returns the excerpt for a column; window is the part of the line from off on.
func cut(window []byte, off, col int) (Excerpt, bool) {
	text := bytes.TrimRight(window, "\r\n")
	at := max(col-1, 0) - off
	if at < 0 || at > len(text) {
		return Excerpt{}, false
	}
	from := 0
	if at > width/2 && len(text) > width {
		from = at - width/2
	}
	to := min(len(text), from+width)
	return Excerpt{Text: string(bytes.ToValidUTF8(text[from:to], []byte("?"))), Col: at - from + 1}, true
}
