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

// Main runs the process and exits: it is either olmgraph or the child process that draws a picture for it. See Run for rules.
func Main(rules fs.FS) {
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("GOGC") == "" {
		tuneGC()
	}
	signal.Ignore(syscall.SIGPIPE) // standard output that is closed changes no status: see ignoreClosedPipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(time.Second) // for an orderly end; a slow command, or one that waits for input, is cut off
		fmt.Fprintln(os.Stderr, "olmgraph: interrupted")
		os.Exit(statusCancelled)
	})
	os.Exit(Run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr, rules))
}
