package lsp

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage is the size of the largest message that is read, in bytes. A catalog of 100 MiB that is opened is about that as JSON.
const maxMessage = 256 << 20

// forward copies messages to w as long as their headers are in order: what reads them allocates what they ask for.
func forward(w io.Writer, r io.Reader) error {
	in := bufio.NewReaderSize(r, 8<<10)
	for {
		size := int64(-1)
		for {
			line, err := in.ReadSlice('\n')
			switch {
			case err == io.EOF && len(line) == 0 && size < 0:
				return io.EOF
			case err != nil:
				return fmt.Errorf("the header of a message: %w", err)
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
			text := strings.TrimRight(string(line), "\r\n")
			if text == "" {
				break
			}
			if key, value, _ := strings.Cut(text, ":"); strings.EqualFold(key, "content-length") {
				if size, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || size < 0 || size > maxMessage {
					return fmt.Errorf("the size of a message is %.40q; the largest that is read is %d", value, maxMessage)
				}
			}
		}
		if size < 0 {
			return fmt.Errorf("a message has no Content-Length")
		}
		if _, err := io.CopyN(w, in, size); err != nil {
			return fmt.Errorf("a message of %d bytes: %w", size, err)
		}
	}
}

// output is where messages are written. Closing it ends reading, too, for which nothing has to be sent by the client.
type output struct {
	io.Writer
	in *io.PipeReader
}

func (o output) Close() error { return o.in.Close() }
