// Olmgraph analyses and lints the upgrade graphs of operator catalogs, offline.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/olmgraph/olmgraph/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
