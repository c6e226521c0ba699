// Package graphviz draws graphs in the DOT language with Graphviz.
//
// Graphviz is a WebAssembly module inside the program (github.com/goccy/go-graphviz). It has one state for the whole
// process, cannot be stopped, and is lost after an error, so each picture is drawn by a child process: the program itself,
// which must call [Serve] first thing when [IsChild] says so. A child reads and writes no files but the cache of
// [privatecache].
package graphviz

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/render/diagram/graphviz/privatecache"
)

// Format is that of a picture.
type Format string

const (
	SVG Format = "svg"
	PNG Format = "png"
)

// Options are those of one picture.
type Options struct {
	// Timeout is how long the drawing may take, not counting the time that it waits for others; 30 seconds if it is 0.
	Timeout time.Duration
}

const (
	defaultTimeout = 30 * time.Second
	// grace is how long a child outlives its timeout if its parent does not end it.
	grace = 2 * time.Second
)

var (
	// ErrTimeout is what drawing ends with when it takes longer than it may. A smaller graph may do.
	ErrTimeout = errors.New("drawing the graph takes too long")
	// ErrMemory is what drawing ends with when it takes more memory than it may. A smaller graph may do.
	ErrMemory = errors.New("drawing the graph takes too much memory")
)

// The cache is chosen before go-graphviz starts, which is before this package does.
var _ = privatecache.Restore()

// Pool draws pictures, several at once.
type Pool struct {
	free chan struct{}
}

// NewPool returns a pool that draws as many pictures at once as the program may use processors.
func NewPool() *Pool { return &Pool{free: make(chan struct{}, runtime.GOMAXPROCS(0))} }

// Draw returns the picture of a graph, with the same bytes for the same graph. Several goroutines may draw with one pool.
// The error is ErrTimeout, ErrMemory, that of ctx, or says what Graphviz finds wrong with the graph.
//
// SVG is as Graphviz writes it. A PNG looks the same, but has no gradients, no images and only the letters of the Go fonts;
// it has 96 pixels an inch unless the graph's attribute dpi says otherwise, and is not made to fit its attribute size.
//
// Graphviz knows how wide texts are where fontname is Helvetica, Arial, Times, Courier or DejaVu Sans, and no list of names.
// What is to be bold must be so in an HTML-like label: Helvetica-Bold is taken for Times. A node whose label is empty is
// shown with its name.
func (p *Pool) Draw(ctx context.Context, dot []byte, f Format, o Options) ([]byte, error) {
	if f != SVG && f != PNG {
		return nil, fmt.Errorf("draw the graph: no such format: %q", f)
	}
	select {
	case p.free <- struct{}{}:
		defer func() { <-p.free }()
	case <-ctx.Done():
		return nil, fmt.Errorf("draw the graph: %w", context.Cause(ctx))
	}
	timeout := cmp.Or(o.Timeout, defaultTimeout)
	ctx, stop := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer stop()
	return draw(ctx, dot, f, timeout)
}

// draw has a child draw the picture.
func draw(ctx context.Context, dot []byte, f Format, timeout time.Duration) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("draw the graph: find the program to do it: %w", err)
	}
	var picture, complaint bytes.Buffer
	child := exec.CommandContext(ctx, program)
	child.Env = environment(f, timeout+grace)
	child.Stdin, child.Stdout, child.Stderr = bytes.NewReader(dot), &picture, &complaint
	child.WaitDelay = grace
	if err := run(child); err != nil {
		return nil, failure(ctx, err, complaint.String())
	}
	return picture.Bytes(), nil
}

// failure is why a child has not drawn the picture.
func failure(ctx context.Context, err error, complaint string) error {
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

// environment is a child's: what it needs to start and to find the cache, what to do, and how to use memory.
func environment(f Format, timeout time.Duration) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "TMP", "TEMP", "LocalAppData", "USERPROFILE", "SystemRoot"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return append(env, variableFormat+"="+string(f), variableTimeout+"="+timeout.String(),
		// The WebAssembly does not yield. So something else must be able to run beside it, and garbage must not be
		// collected, for which all must stop, before there is very much.
		"GOMAXPROCS=2", "GOGC=off", "GOMEMLIMIT=1GiB")
}
