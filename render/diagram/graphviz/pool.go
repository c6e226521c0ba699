// Package graphviz draws graphs in the DOT language with Graphviz.
//
// Graphviz is a WebAssembly module (github.com/goccy/go-graphviz). It has one state for the process, cannot be interrupted, and
// is unusable after an error. So pictures are drawn by child processes: the program itself, which must call [Serve] first if
// [IsChild] is true. A child draws one picture after the other until one fails: starting it takes as long as drawing 20 small
// pictures. It reads and writes no files except the cache of [privatecache].
package graphviz

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/olmgraph/olmgraph/render/diagram/graphviz/privatecache"
)

// Format is the format of a picture.
type Format string

const (
	SVG Format = "svg"
	PNG Format = "png"
)

const (
	defaultTimeout = 30 * time.Second
	// grace is the time that a child outlives its timeout if its parent does not end it.
	grace = 2 * time.Second
	// workTime is the time after which a child gets no further picture: the memory of Graphviz does not shrink.
	workTime = 2 * time.Second
	// idleTime is the time after which a child without a picture to draw ends.
	idleTime = time.Second
)

var (
	// ErrTimeout is returned if drawing exceeds its timeout. A smaller graph may succeed.
	ErrTimeout = errors.New("drawing the graph takes too long")
	// ErrMemory is returned if drawing exceeds its memory limit. A smaller graph may succeed.
	ErrMemory = errors.New("drawing the graph takes too much memory")
)

// The cache is chosen before go-graphviz is initialized, which is before this package.
var _ = privatecache.Restore()

// Pool draws pictures concurrently.
type Pool struct {
	slots chan struct{}
	mu    sync.Mutex
	idle  []*worker
}

// NewPool returns a pool that draws at most GOMAXPROCS pictures at once.
func NewPool() *Pool { return &Pool{slots: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// Draw returns the picture of a graph, with the same bytes for the same graph. Several goroutines may draw with one pool. timeout limits the
// time of drawing, without the time in the queue; 0 is 30 seconds.
// The error is ErrTimeout, ErrMemory, that of ctx, or says what Graphviz finds wrong with the graph.
//
// SVG is as Graphviz writes it. A PNG looks the same, but has no gradients, no images and only the letters of the Go fonts;
// it has 96 pixels an inch unless the graph's attribute dpi says otherwise, and is not made to fit its attribute size.
//
// Graphviz knows how wide texts are where fontname is Helvetica, Arial, Times, Courier or DejaVu Sans, and no list of names.
// What is to be bold must be so in an HTML-like label: Helvetica-Bold is taken for Times. A node whose label is empty is
// shown with its name.
func (p *Pool) Draw(ctx context.Context, dot []byte, f Format, timeout time.Duration) ([]byte, error) {
	if f != SVG && f != PNG {
		return nil, fmt.Errorf("draw the graph: no such format: %q", f)
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("draw the graph: %w", context.Cause(ctx))
	}
	timeout = cmp.Or(timeout, defaultTimeout)
	ctx, stop := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer stop()
	for {
		w, err := p.worker(timeout)
		if err != nil {
			return nil, fmt.Errorf("draw the graph: %w", err)
		}
		picture, err := w.draw(ctx, request{f, dot})
		switch {
		case err == nil:
			p.keep(w)
			return picture, nil
		case w.pictures == 0 || ctx.Err() != nil:
			return nil, drawError(ctx, err, w.stderr.String())
		}
		// It may be due to an earlier picture: a new child decides.
	}
}

// worker returns an idle child with this timeout, or a new one.
func (p *Pool) worker(timeout time.Duration) (*worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range slices.Backward(p.idle) {
		if w.timeout == timeout {
			p.idle = slices.Delete(p.idle, i, i+1)
			return w, nil
		}
	}
	return startWorker(timeout)
}

// keep keeps a child for the next picture, or ends it: at once if it has worked for long, or if it stays idle.
func (p *Pool) keep(w *worker) {
	if w.worked > workTime {
		w.end()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
	pictures := w.pictures
	time.AfterFunc(idleTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := slices.Index(p.idle, w); i >= 0 && w.pictures == pictures {
			p.idle = slices.Delete(p.idle, i, i+1)
			go w.end()
		}
	})
}

// drawError returns the error of a child that has not drawn the picture.
func drawError(ctx context.Context, err error, complaint string) error {
	var exit *exec.ExitError
	complaint, _, _ = strings.Cut(strings.TrimSpace(complaint), "\n")
	switch cause := context.Cause(ctx); {
	case cause == ErrTimeout:
		return cause
	case cause != nil:
		return fmt.Errorf("draw the graph: %w", cause)
	case errors.As(err, &exit) && exit.ExitCode() == statusTimeout:
		return ErrTimeout
	case errors.As(err, &exit) && exit.ExitCode() == statusMemory:
		return ErrMemory
	case complaint != "":
		return fmt.Errorf("draw the graph: %s", complaint)
	}
	return fmt.Errorf("draw the graph: %w", err)
}

// environment returns the environment of a child: what it needs to start and to find the cache, the timeout of a picture, and
// settings of the Go runtime.
func environment(timeout time.Duration) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "TMP", "TEMP", "LocalAppData", "USERPROFILE", "SystemRoot"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return append(env, timeoutVariable+"="+timeout.String(),
		// The WebAssembly does not yield: watch needs a second processor, and a garbage collection would stop the world, so it runs
		// only between pictures, or near the memory limit.
		"GOMAXPROCS=2", "GOGC=off", "GOMEMLIMIT=1GiB")
}
