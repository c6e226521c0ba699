package graphviz

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"strings"
	"time"
)

// Environment variables that the parent sets for a child.
const (
	variableFormat  = "OLMGRAPH_DRAW"
	variableTimeout = "OLMGRAPH_DRAW_TIMEOUT"
)

// Exit statuses of a child. 2 is the status of a panic in Go.
const (
	statusDrawn   = 0
	statusFailed  = 1
	statusTimeout = 11
	statusMemory  = 12
)

// maxMemory is the memory limit of a child in bytes: three times that of a picture of maxPixels.
const maxMemory = 2 << 30

// IsChild reports whether the process was started to draw a picture.
func IsChild() bool { return os.Getenv(variableFormat) != "" }

// Serve draws the graph on stdin to stdout and returns the exit status. Errors are one line on stderr. It exits the process if
// drawing exceeds its limit of time or memory.
func Serve(stdin io.Reader, stdout, stderr io.Writer) int {
	timeout, err := time.ParseDuration(os.Getenv(variableTimeout))
	if err != nil {
		timeout = defaultTimeout
	}
	limitCPU(timeout)
	go watch(timeout)
	if err := serve(stdin, stdout, Format(os.Getenv(variableFormat))); err != nil {
		fmt.Fprintln(stderr, strings.ReplaceAll(err.Error(), "\n", " "))
		if errors.Is(err, errPixels) {
			return statusMemory
		}
		return statusFailed
	}
	return statusDrawn
}

func serve(stdin io.Reader, stdout io.Writer, f Format) (err error) {
	defer func() {
		if p := recover(); p != nil { // go-graphviz panics if its callbacks fail
			err = fmt.Errorf("graphviz: %v", p)
		}
	}()
	dot, err := io.ReadAll(stdin)
	if err != nil {
		return fmt.Errorf("read the graph: %w", err)
	}
	picture, err := picture(dot, f)
	if err != nil {
		return err
	}
	_, err = io.Copy(stdout, picture)
	return err
}

// watch exits the process after the timeout, or if it uses too much memory. The WebAssembly does not yield, so this needs a
// second processor and no garbage collection at that moment; limitCPU needs neither.
func watch(timeout time.Duration) {
	end := time.Now().Add(timeout)
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	for range time.Tick(50 * time.Millisecond) {
		if metrics.Read(memory); memory[0].Value.Uint64() > maxMemory {
			os.Exit(statusMemory)
		}
		if time.Now().After(end) {
			os.Exit(statusTimeout)
		}
	}
}
