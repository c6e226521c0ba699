package snapshot

import (
	"bytes"
	"fmt"
	"io"
)

// jsonSplitter splits JSON objects that follow each other, and the lists under their key items. It looks at brackets, commas and strings
// only: what is not in order is emitted for a parser to report it.
type jsonSplitter struct {
	from io.Reader
	emit func(text []byte, line int) error

	text  []byte // what was read and not emitted
	line  int    // of its first byte
	at    int    // the next byte
	ended error  // io.EOF, or why no more is read
}

// more reads more text and reports whether there is any.
func (s *jsonSplitter) more() bool {
	if s.ended == nil && len(s.text) > maxItem {
		s.ended = tooLarge(s.line)
	}
	if s.ended != nil {
		return false
	}
	const chunk = 256 << 10
	if free := cap(s.text) - len(s.text); free < chunk {
		s.text = append(make([]byte, 0, 2*cap(s.text)+chunk), s.text...)
	}
	n, err := s.from.Read(s.text[len(s.text):cap(s.text)])
	s.text, s.ended = s.text[:len(s.text)+n], err
	return n > 0 || s.more()
}

// drop forgets the text before the next byte.
func (s *jsonSplitter) drop() {
	s.line += bytes.Count(s.text[:s.at], []byte("\n"))
	s.text, s.at = s.text[s.at:], 0
}

// peek returns the next byte that is no white space, which stays the next one; 0 at the end.
func (s *jsonSplitter) peek() byte {
	for {
		for ; s.at < len(s.text); s.at++ {
			if c := s.text[s.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return c
			}
		}
		if !s.more() {
			return 0
		}
	}
}

func (s *jsonSplitter) run() error {
	for s.peek() == '{' {
		s.drop()
		if ok, err := s.object(); err != nil {
			return err
		} else if !ok {
			break
		}
	}
	for s.more() {
		s.at = len(s.text) // a parser says what is wrong with the rest
	}
	if s.ended != nil && s.ended != io.EOF {
		return s.ended
	}
	return s.emit(s.text, s.line)
}

// object emits an object or its items. It is false if it is not in order.
func (s *jsonSplitter) object() (ok bool, err error) {
	kind, list := "", 0
	for more := s.member('{', '}'); more; more = s.member(',', '}') {
		if s.peek() != '"' {
			return false, s.disorder(list)
		}
		key, ok := s.key()
		if !ok {
			return false, s.disorder(list)
		}
		if key == "items" && s.peek() == '[' {
			line := s.line + bytes.Count(s.text[:s.at], []byte("\n"))
			if list != 0 {
				return false, &textError{Line: line, Msg: `the key "items" is repeated`}
			}
			list = line
			if ok, err = s.items(list); !ok || err != nil {
				return false, err
			}
			continue
		}
		value := s.at
		if !s.value() {
			return false, s.disorder(list)
		}
		if key == "kind" {
			kind = string(bytes.Trim(bytes.TrimSpace(s.text[value:s.at]), `"`))
		}
	}
	if s.peek() != '}' {
		return false, s.disorder(list)
	}
	s.at++
	if list == 0 {
		err = s.emit(s.text[:s.at], s.line)
	} else {
		err = checkList(kind, list, s.line)
	}
	s.drop()
	return true, err
}

// member passes over what is before a member of an object or a list: the bracket that opens it, or a comma. It is false, and passes over
// nothing, if there is something else. No member follows the bracket of an empty one.
func (s *jsonSplitter) member(before, end byte) bool {
	if s.peek() != before {
		return false
	}
	s.at++
	return before == ',' || s.peek() != end
}

// disorder returns why no more is read, or the error for what is next behind the items of a list, without which a parser would not see what
// is wrong.
func (s *jsonSplitter) disorder(list int) error {
	if s.ended != nil && s.ended != io.EOF {
		return s.ended
	}
	if list == 0 {
		return nil
	}
	line := s.line + bytes.Count(s.text[:s.at], []byte("\n"))
	if s.at == len(s.text) {
		return checkList("", list, line)
	}
	return &textError{Line: line, Msg: fmt.Sprintf("not JSON: %q is not expected here", s.text[s.at])}
}

// key reads a key with the colon after it.
func (s *jsonSplitter) key() (key string, ok bool) {
	begin := s.at
	if !s.value() {
		return "", false
	}
	key = string(bytes.Trim(s.text[begin:s.at], `"`))
	if s.peek() != ':' {
		return "", false
	}
	s.at++
	return key, true
}

// items emits the items of a list that begins in a line.
func (s *jsonSplitter) items(list int) (ok bool, err error) {
	for more := s.member('[', ']'); more; more = s.member(',', ']') {
		if s.peek() == 0 {
			return false, s.disorder(list)
		}
		s.drop()
		switch {
		case !s.value():
			return false, nil
		case s.at == 0: // no value begins with a comma, a colon or a bracket that closes
			return false, s.disorder(list)
		}
		if err := s.emit(s.text[:s.at], s.line); err != nil {
			return false, err
		}
		s.drop()
	}
	if s.peek() != ']' {
		return false, s.disorder(list)
	}
	s.at++
	s.drop()
	return true, nil
}

// value passes over a value, and is false if the text ends before.
func (s *jsonSplitter) value() bool {
	s.peek()
	depth := 0
	for {
		for s.at < len(s.text) {
			switch c := s.text[s.at]; c {
			case '"':
				if !s.str() {
					return false
				}
				if depth == 0 {
					return true
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth == 0 {
					return true // of a number or a word: this ends what is around it
				}
				if depth--; depth == 0 {
					s.at++
					return true
				}
			case ',', ':':
				if depth == 0 {
					return true
				}
			}
			s.at++
		}
		if !s.more() {
			return false
		}
	}
}

// str passes over a string.
func (s *jsonSplitter) str() bool {
	s.at++
	for from := s.at; ; {
		end := bytes.IndexByte(s.text[from:], '"')
		if end < 0 {
			if from = len(s.text); !s.more() {
				s.at = len(s.text)
				return false
			}
			continue
		}
		end += from
		slashes := 0
		for end-slashes > s.at && s.text[end-slashes-1] == '\\' {
			slashes++
		}
		if from = end + 1; slashes%2 == 0 {
			s.at = from
			return true
		}
	}
}
