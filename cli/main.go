package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/olmgraph/olmgraph/render/drawing"
)

// Main is a process of olmgraph, from its arguments to its exit: the program itself, or the child that draws for it. For rules see
// Run.
func Main(rules fs.FS) {
	if drawing.IsChild() {
		os.Exit(drawing.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("GOGC") == "" {
		// A process is short and keeps little: collecting less often saves a fifth of the time for a few megabytes. Where a
		// catalog holds something huge, memory matters more.
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(256 << 20)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(time.Second) // to end in order; what takes longer, or waits for its input, is cut off
		fmt.Fprintln(os.Stderr, "olmgraph: interrupted")
		os.Exit(statusCancelled)
	})
	os.Exit(Run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr, rules))
}
