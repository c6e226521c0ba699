package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// Main is a process of olmgraph, from its arguments to its exit: the program itself, or the child that draws for it. For rules see
// Run.
func Main(rules fs.FS) {
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("GOGC") == "" {
		tuneCollector()
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
