package snapshot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonSplitter splits JSON objects that follow each other, and the lists under their key items. From what is not in order outside of such a
// list on, the text is split as YAML.
type jsonSplitter struct {
	from io.Reader
	emit func(text []byte, line int) error

	decoder *json.Decoder
	text    []byte // what the decoder has read and was not emitted
	begin   int64  // the offset of its first byte
	line    int    // likewise
}

// Read reads for the decoder.
func (s *jsonSplitter) Read(to []byte) (int, error) {
	const ahead = 256 << 10
	n, err := s.from.Read(to[:min(len(to), ahead)])
	if s.text = append(s.text, to[:n]...); len(s.text) > maxItem+ahead {
		return 0, tooLarge(s.line)
	}
	return n, err
}

// drop forgets the text before an offset.
func (s *jsonSplitter) drop(to int64) {
	passed := s.text[:to-s.begin]
	s.line += bytes.Count(passed, []byte("\n"))
	s.text, s.begin = append(s.text[:0], s.text[len(passed):]...), to
}

// currentLine is the line at which the decoder is.
func (s *jsonSplitter) currentLine() int {
	return s.line + bytes.Count(s.text[:s.decoder.InputOffset()-s.begin], []byte("\n"))
}

func (s *jsonSplitter) run() error {
	s.decoder = json.NewDecoder(s)
	for {
		list := 0
		err := s.object(&list)
		var wrong *json.SyntaxError
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err == nil:
			continue
		case !ended && !errors.As(err, &wrong):
			return err
		case list == 0:
			rest := yamlSplitter{from: bufio.NewReader(io.MultiReader(bytes.NewReader(s.text), s.from)), emit: s.emit, line: s.line - 1, start: s.line}
			return rest.run()
		case ended:
			return checkList("", list, s.line+bytes.Count(s.text, []byte("\n")))
		}
		return &textError{Line: s.currentLine(), Msg: fmt.Sprintf("not JSON: %v", wrong)}
	}
}

// object emits an object or its items, and sets the line of the list if it has one.
func (s *jsonSplitter) object(list *int) error {
	if opened, err := s.decoder.Token(); err != nil {
		return err
	} else if opened != json.Delim('{') {
		return io.ErrUnexpectedEOF
	}
	s.drop(s.decoder.InputOffset() - 1)
	kind := ""
	for s.decoder.More() {
		key, err := s.decoder.Token()
		if err != nil {
			return err
		}
		if key == "items" {
			if err := s.emitItems(list); err != nil {
				return err
			}
			continue
		}
		var value json.RawMessage
		if err := s.decoder.Decode(&value); err != nil {
			return err
		}
		if key == "kind" {
			kind = string(bytes.Trim(value, `"`))
		}
	}
	if _, err := s.decoder.Token(); err != nil {
		return err
	}
	defer func() { s.drop(s.decoder.InputOffset()) }()
	if *list > 0 {
		return checkList(kind, *list, s.currentLine())
	}
	return s.emit(s.text[:s.decoder.InputOffset()-s.begin], s.line)
}

// emitItems emits the items of a list; nothing if the value is none.
func (s *jsonSplitter) emitItems(list *int) error {
	opened, err := s.decoder.Token()
	if opened != json.Delim('[') {
		for depth := 0; err == nil; opened, err = s.decoder.Token() {
			switch opened {
			case json.Delim('{'), json.Delim('['):
				depth++
			case json.Delim('}'), json.Delim(']'):
				depth--
			}
			if depth == 0 {
				return nil
			}
		}
	}
	switch {
	case err != nil:
		return err
	case *list > 0:
		return &textError{Line: s.currentLine(), Msg: `the key "items" is repeated`}
	}
	*list = s.currentLine()
	for s.decoder.More() {
		var item json.RawMessage
		if err := s.decoder.Decode(&item); err != nil {
			return err
		}
		end := s.decoder.InputOffset()
		s.drop(end - int64(len(item)))
		if err := s.emit(s.text[:len(item)], s.line); err != nil {
			return err
		}
		s.drop(end)
	}
	_, err = s.decoder.Token()
	return err
}
