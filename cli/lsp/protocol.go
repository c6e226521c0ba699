package lsp

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The types of the Language Server Protocol 3.17, as far as they are used.

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

type initializeParams struct {
	RootURI      string   `json:"rootUri"`
	Folders      []folder `json:"workspaceFolders"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
	} `json:"capabilities"`
}

type folder struct {
	URI string `json:"uri"`
}

type foldersParams struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}

type documentParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type changeParams struct {
	TextDocument textDocument    `json:"textDocument"`
	Changes      []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *textRange `json:"range"` // nil: all of the text
	Text  string     `json:"text"`
}

type watchedParams struct {
	Changes []folder `json:"changes"`
}

type positionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     position     `json:"position"`
}

type actionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Range        textRange    `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type cancelParams struct {
	ID any `json:"id"`
}

type diagnostic struct {
	Range    textRange      `json:"range"`
	Severity int            `json:"severity"`
	Code     string         `json:"code"`
	About    *codeAbout     `json:"codeDescription,omitempty"`
	Source   string         `json:"source"`
	Message  string         `json:"message"`
	Related  []relatedPlace `json:"relatedInformation,omitempty"`
}

type codeAbout struct {
	Href string `json:"href"`
}

type relatedPlace struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type completionItem struct {
	Label  string   `json:"label"`
	Kind   int      `json:"kind"`
	Detail string   `json:"detail,omitempty"`
	Sort   string   `json:"sortText"`
	Filter string   `json:"filterText"`
	Edit   textEdit `json:"textEdit"`
}

const itemValue = 12 // CompletionItemKind.Value

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
