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

// What a child is told, in its environment.
const (
	variableFormat  = "OLMGRAPH_DRAW"
	variableTimeout = "OLMGRAPH_DRAW_TIMEOUT"
)

// Exit statuses of a child. Go has 2 for a program that crashes.
const (
	statusDrawn   = 0
	statusWrong   = 1
	statusTimeout = 11
	statusMemory  = 12
)

// mostMemory is how many bytes a child may take: three times what a picture of mostPixels does.
const mostMemory = 2 << 30

// IsChild reports whether the process was started to draw one picture.
func IsChild() bool { return os.Getenv(variableFormat) != "" }

// Serve draws the graph that it reads and returns the exit status; the picture goes to stdout, and one line to stderr if
// there is none. It ends the process when that takes too much time or memory.
func Serve(stdin io.Reader, stdout, stderr io.Writer) int {
	timeout, err := time.ParseDuration(os.Getenv(variableTimeout))
	if err != nil {
		timeout = defaultTimeout
	}
	bound(timeout)
	go watch(timeout)
	if err := serve(stdin, stdout, Format(os.Getenv(variableFormat))); err != nil {
		fmt.Fprintln(stderr, strings.ReplaceAll(err.Error(), "\n", " "))
		if errors.Is(err, errPixels) {
			return statusMemory
		}
		return statusWrong
	}
	return statusDrawn
}

func serve(stdin io.Reader, stdout io.Writer, f Format) (err error) {
	defer func() {
		if p := recover(); p != nil { // the library does so where its callbacks fail
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

// watch ends the process when its time is over or it has taken too much memory. The WebAssembly does not yield, so that
// this needs a second processor, and no garbage collection at that moment; what bound does needs neither.
func watch(timeout time.Duration) {
	end := time.Now().Add(timeout)
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	for range time.Tick(50 * time.Millisecond) {
		if metrics.Read(memory); memory[0].Value.Uint64() > mostMemory {
			os.Exit(statusMemory)
		}
		if time.Now().After(end) {
			os.Exit(statusTimeout)
		}
	}
}
