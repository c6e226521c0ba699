package graphviz

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"
)

// timeoutVariable is the environment variable that the parent sets for a child: the timeout of a picture.
const timeoutVariable = "OLMGRAPH_DRAW_TIMEOUT"

// Exit statuses of a child. 2 is the status of a panic in Go.
const (
	statusDrawn   = 0
	statusFailed  = 1
	statusTimeout = 11
	statusMemory  = 12
)

// maxMemory is the memory limit of a child in bytes: three times that of a picture of maxPixels.
const maxMemory = 2 << 30

// maxIdle is the heap of a child between pictures in bytes.
const maxIdle = 16 << 20

// IsChild reports whether the process was started to draw pictures.
func IsChild() bool { return os.Getenv(timeoutVariable) != "" }

// Serve draws the graphs on stdin to stdout, and returns the exit status after the last graph or an error. Errors are one line on
// stderr. It exits the process if drawing exceeds its limit of time or memory.
func Serve(stdin io.Reader, stdout, stderr io.Writer) int {
	timeout, err := time.ParseDuration(os.Getenv(timeoutVariable))
	if err != nil {
		timeout = defaultTimeout
	}
	limitCPU(workTime + 2*timeout) // on two processors
	var c child
	go c.watch(timeout)
	if err := c.serve(stdin, stdout); err != nil {
		fmt.Fprintln(stderr, strings.ReplaceAll(err.Error(), "\n", " "))
		if errors.Is(err, errPixels) {
			return statusMemory
		}
		return statusFailed
	}
	return statusDrawn
}

// child is this process as a child.
type child struct {
	begin atomic.Int64 // of the picture that is drawn, in nanoseconds of Unix time; or 0
}

func (c *child) serve(stdin io.Reader, stdout io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil { // go-graphviz panics if its callbacks fail
			err = fmt.Errorf("graphviz: %v", p)
		}
	}()
	layouter, err := newLayouter()
	if err != nil {
		return err
	}
	requests, replies := gob.NewDecoder(stdin), gob.NewEncoder(stdout)
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the graph: %w", err)
		}
		c.begin.Store(time.Now().UnixNano())
		picture, err := layouter.picture(r)
		if err != nil {
			return err
		}
		if err := replies.Encode(picture); err != nil {
			return err
		}
		c.begin.Store(0)
		freeMemory()
	}
}

// freeMemory frees memory if there is much to free.
func freeMemory() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Uint64() > maxIdle {
		runtime.GC()
	}
}

// watch exits the process if a picture exceeds the timeout or uses too much memory. The WebAssembly does not yield, so this needs
// a second processor and no garbage collection at that moment; limitCPU needs neither.
func (c *child) watch(timeout time.Duration) {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	for now := range time.Tick(50 * time.Millisecond) {
		if metrics.Read(memory); memory[0].Value.Uint64() > maxMemory {
			os.Exit(statusMemory)
		}
		if begin := c.begin.Load(); begin != 0 && now.UnixNano()-begin > int64(timeout) {
			os.Exit(statusTimeout)
		}
	}
}
