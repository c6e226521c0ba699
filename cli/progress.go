package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

const (
	progressDelay    = time.Second // a command that is faster shows no progress
	progressInterval = 100 * time.Millisecond
)

// progress shows on one line of a terminal what a command does and how much of it is done. Its methods can be called concurrently.
// What is shown last ends when the answer begins. The zero value shows nothing.
type progress struct {
	w     io.Writer // nil if standard error is not a terminal on which a line can be erased
	start time.Time

	mutex       sync.Mutex
	what        string // is done at present; "" if nothing is shown
	unit        string
	done, total int64 // of the unit; total is 0 if it is not known
	read, size  int64 // bytes of all references
	visible     bool  // the line is on the terminal
	stopped     bool
}

// newProgress returns a progress that ends with the context.
func newProgress(ctx context.Context, w io.Writer) *progress {
	p := &progress{start: time.Now()}
	if !isTerminal(w) || os.Getenv("TERM") == "dumb" {
		return p
	}
	p.w = streamFile(w)
	context.AfterFunc(ctx, p.stop)
	go func() {
		for range time.Tick(progressInterval) {
			if !p.redraw() {
				return
			}
		}
	}()
	return p
}

// startReading begins to show how much of a reference and of those before is read; of how much, if they are files or folders.
func (p *progress) startReading(ctx context.Context, ref string) {
	if p.w == nil {
		return
	}
	p.set("reading", "MiB", 0, 0)
	go func() {
		size := diskSize(ctx, ref)
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.size += size
	}()
}

// add counts bytes that were read: perhaps of a reference that was opened long before.
func (p *progress) add(bytes int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.what, p.unit = "reading", "MiB"
	p.read += bytes
}

// set shows what is done, and how many units of how many.
func (p *progress) set(what, unit string, done, total int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.what, p.unit, p.done, p.total = what, unit, int64(done), int64(total)
}

// step counts one more unit as done.
func (p *progress) step() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done++
}

// redraw shows the line if there is something to show. It reports false after the end.
func (p *progress) redraw() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.stopped && p.what != "" && time.Since(p.start) >= progressDelay {
		fmt.Fprintf(p.w, "\r\x1b[K%s", p.line())
		p.visible = true
	}
	return !p.stopped
}

// line describes what is done, in less than 60 columns.
func (p *progress) line() string {
	done, total := p.done, p.total
	if p.what == "reading" {
		done, total = p.read>>20, p.size>>20
	}
	if total > 0 && done <= total {
		return fmt.Sprintf("%s: %d of %d %s …", p.what, done, total, p.unit)
	}
	if p.unit == "" {
		return p.what + " …"
	}
	return fmt.Sprintf("%s: %d %s …", p.what, done, p.unit)
}

// erase erases the line, which is drawn again later.
func (p *progress) erase() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.visible {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.visible = false
	}
}

// end erases the line, since output follows.
func (p *progress) end() {
	p.mutex.Lock()
	p.what = ""
	p.mutex.Unlock()
	p.erase()
}

// stop is end, and shows nothing any more.
func (p *progress) stop() {
	p.mutex.Lock()
	p.stopped = true
	p.mutex.Unlock()
	p.end()
}

// printDuration prints how long the command took, if standard error is a terminal.
func (p *progress) printDuration() {
	if p.end(); p.w != nil {
		fmt.Fprintf(p.w, "in %.2f s\n", time.Since(p.start).Seconds())
	}
}

// diskSize returns the bytes of a file, or of the files in a folder; 0 if they are not known.
func diskSize(ctx context.Context, ref string) int64 {
	if info, err := disk.Stat(ref); err == nil && !info.IsDir() {
		return info.Size()
	}
	var size int64
	err := fs.WalkDir(disk.Folder(ref), ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	if err != nil {
		return 0
	}
	return size
}

// showChecked shows how many packages are checked.
func (p *progress) showChecked(done, total int) { p.set("checking", "packages", done, total) }
