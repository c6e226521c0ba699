package cli

import (
	"fmt"
	"io"
	"time"
)

// progress shows on a terminal how much has been read, if reading takes longer than a second.
type progress struct {
	w     io.Writer // nil if standard error is not a terminal
	start time.Time
	shown time.Time
	bytes int64
}

func newProgress(w io.Writer) *progress {
	p := &progress{start: time.Now()}
	if isTerminal(w) {
		p.w = fileOf(w)
	}
	return p
}

func (p *progress) add(bytes int64) {
	p.bytes += bytes
	now := time.Now()
	if p.w == nil || now.Sub(p.start) < time.Second || now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	fmt.Fprintf(p.w, "\rread %d MiB …", p.bytes>>20)
}

// end erases the line.
func (p *progress) end() {
	if !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// printDuration prints how long the command took, if standard error is a terminal.
func (p *progress) printDuration() {
	if p.w != nil {
		fmt.Fprintf(p.w, "in %.2f s\n", time.Since(p.start).Seconds())
	}
}
