// Olmgraph analyses and lints the upgrade graphs of operator catalogs, offline.
package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/olmgraph/olmgraph/cli"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
)

// The scripts that test the rules are what explains them, too.
//
//go:embed testdata/script/lint/*.txtar
var testdata embed.FS

func ruleScripts() fs.FS {
	dir, err := fs.Sub(testdata, "testdata/script/lint")
	if err != nil {
		panic(err) // it is embedded above
	}
	return dir
}

func main() {
	if graphviz.IsChild() {
		os.Exit(graphviz.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("GOGC") == "" {
		paceCollector()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(time.Second) // for a work to be left in order; what takes longer, or waits for its input, is cut off
		fmt.Fprintln(os.Stderr, "olmgraph: interrupted")
		os.Exit(cli.StatusCancelled)
	})
	os.Exit(cli.Run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr, ruleScripts()))
}
