package graphviz

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// worker is a child process, as its parent sees it. Not safe for concurrent use.
type worker struct {
	timeout  time.Duration // of a picture
	process  *exec.Cmd
	in       io.Closer
	requests *gob.Encoder
	replies  *gob.Decoder
	stderr   bytes.Buffer // what it has written on stderr, once it has ended
	release  func() error // waits for its end
	worked   time.Duration
	pictures int
}

// startWorker starts a child.
func startWorker(timeout time.Duration) (*worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program to do it: %w", err)
	}
	w := &worker{timeout: timeout, process: exec.Command(program)}
	w.process.Env, w.process.Stderr, w.process.WaitDelay = environment(timeout+grace), &w.stderr, grace
	in, err := w.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.in, w.requests, w.replies = in, gob.NewEncoder(in), gob.NewDecoder(out)
	w.release, err = start(w.process)
	return w, err
}

// draw has the child draw a picture. After an error the child has ended.
func (w *worker) draw(ctx context.Context, r request) ([]byte, error) {
	begin := time.Now()
	stop := context.AfterFunc(ctx, func() { w.process.Process.Kill() })
	err := w.requests.Encode(r)
	var picture []byte
	if err == nil {
		err = w.replies.Decode(&picture)
	}
	if stopped := stop(); err == nil && !stopped {
		err = context.Cause(ctx)
	}
	if err != nil {
		if ended := w.end(); ended != nil {
			err = ended
		}
		return nil, err
	}
	w.worked += time.Since(begin)
	w.pictures++
	return picture, nil
}

// end lets the child end, and returns how it has ended.
func (w *worker) end() error {
	w.in.Close()
	return w.release()
}

// request is a graph to be drawn. The reply is the picture.
type request struct {
	Format Format
	DOT    []byte
}
