package text

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// JSONVersion is the version of all JSON formats. Adding a field, or a value of one with few values, does not change it; removing
// one or changing its meaning does. The JSON Schemas in cli/schema are made of the types that are written: their comments are the
// descriptions, and a tag enum has the values of a field, or says what has them: a function, Type.Method, or a type of constants.
const JSONVersion = 2

// errorDocument is what a command writes instead of its answer.
type errorDocument struct {
	Error Failure `json:"error"`
}

// Failure says why a command has no answer.
type Failure struct {
	Kind    string `json:"kind" enum:"misuse,failure,interrupted"` // failure: something could not be read or written
	Status  int    `json:"status"`                                 // the exit status
	Message string `json:"message"`                                // several errors have a line each
	Hint    string `json:"hint"`                                   // a command line to try instead; "" if none is known
}

// WriteFailure writes a failure as JSON.
func WriteFailure(w io.Writer, f Failure) error {
	return JSON(w, NewDocument(errorDocument{f}))
}

// Document is an answer as JSON, with what each begins with.
type Document[T any] struct {
	Version int    `json:"version"`
	Tool    string `json:"tool"`
	Answer  T      `json:",inline"`
}

// NewDocument returns the document of an answer.
func NewDocument[T any](answer T) Document[T] { return Document[T]{JSONVersion, "olmgraph", answer} }

// JSON writes a value as indented JSON, with <, > and & unescaped. Control characters are escaped, so that it is safe to show
// on a terminal or in a log. A list that is nil is written as [].
func JSON(w io.Writer, v any) error {
	text, err := json.Marshal(v, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = w.Write(words.JSON(append(text, '\n')))
	return err
}
