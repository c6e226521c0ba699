package text

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/inert"
)

// JSONVersion is the version of all JSON formats. Adding a field, or a value of one with few values, does not change it; removing
// one or changing its meaning does. The JSON Schemas in cli/schema are made of the types that are written: their comments are the
// descriptions, and a tag enum has the values of a field, or says what has them: a function, Type.Method, or a type of constants.
const JSONVersion = 2

// jsonErrorDocument is what a command writes instead of its answer.
type jsonErrorDocument struct {
	Version int     `json:"version"`
	Tool    string  `json:"tool"`
	Error   Failure `json:"error"`
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
	return JSON(w, jsonErrorDocument{Version: JSONVersion, Tool: "olmgraph", Error: f})
}

// Document is the beginning of each answer as JSON.
type Document struct {
	Version int    `json:"version"`
	Tool    string `json:"tool"`
}

// NewDocument returns the beginning of an answer.
func NewDocument() Document { return Document{JSONVersion, "olmgraph"} }

// JSON writes a value as indented JSON, with <, > and & unescaped. Control characters are escaped, so that it is safe to show
// on a terminal or in a log. A list that is nil is written as [].
func JSON(w io.Writer, v any) error {
	filled := reflect.New(reflect.TypeOf(v)).Elem()
	filled.Set(reflect.ValueOf(v))
	fillLists(filled)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(filled.Interface()); err != nil {
		return err
	}
	_, err := w.Write(inert.JSON(text.Bytes()))
	return err
}

// fillLists makes empty lists of those that are nil in what JSON has of a value.
func fillLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			absent := strings.Contains(f.Tag.Get("json"), ",omit") && v.Field(i).IsZero()
			if (f.IsExported() || f.Anonymous) && !absent {
				fillLists(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	}
}
