package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/olmgraph/olmgraph/cli/schema"
	"github.com/olmgraph/olmgraph/render/text"
)

// answers are the types of the answers of each command as JSON, as FOLDER.TYPE.
var answers = map[string][]string{
	"lint":      {"render/report.jsonReport"},
	"history":   {"render.History"},
	"path":      {"render.jsonPath", "render.jsonTable"},
	"list":      {"render.jsonList"},
	"crds":      {"render.CRDs"},
	"cluster":   {"render.jsonCluster"},
	"plan":      {"render.jsonClusterPlan"},
	"readiness": {"render.jsonReadiness"},
	"diff":      {"render.jsonDiff"},
	"release":   {"render.jsonRelease"},
	"mirror":    {"render.jsonMirror"},
	"rules":     {"render.jsonRules"},
	"explain":   {"render.jsonExplanation"},
	"error":     {"render/text.errorDocument"},
}

// TestSchemas compares the schemas with the types of which they are made. With -update it writes them, but not where that would break
// programs that read the JSON: for that the version has to change.
func TestSchemas(t *testing.T) {
	t.Chdir(os.Getenv("ROOT"))
	for name, roots := range answers {
		made := newSchemaMaker().rootSchema(name, roots)
		was, _ := schema.Read(name)
		if bytes.Equal(was, made) {
			continue
		}
		if broken := breaks(t, was, made); len(broken) > 0 {
			t.Errorf("the JSON of %s breaks programs that read version %d:\n  %s\nKeep what was there and add the new beside it, or raise JSONVersion in render/text/json.go", name, text.JSONVersion, strings.Join(broken, "\n  "))
			continue
		}
		if !*update {
			t.Errorf("cli/schema/%s.json is not what the types say: run go test ./cli/e2e -run TestSchemas -update", name)
		} else if err := os.WriteFile(filepath.Join("cli", "schema", name+".json"), made, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if known := slices.Sorted(maps.Keys(answers)); !*update && !slices.Equal(known, schema.Names()) {
		t.Errorf("schemas of %v, want of %v", schema.Names(), known)
	}
}

// schemaMaker makes JSON Schemas of the declarations of Go types.
type schemaMaker struct {
	folders map[string][]*ast.File // by folder
	defs    map[string]any
	owner   map[string]string // the type that a definition is made of
}

func newSchemaMaker() *schemaMaker {
	return &schemaMaker{folders: map[string][]*ast.File{}, defs: map[string]any{}, owner: map[string]string{}}
}

// part is a part of a JSON Schema.
type part = map[string]any

func (m *schemaMaker) rootSchema(name string, roots []string) []byte {
	out := part{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":   "https://raw.githubusercontent.com/olmgraph/olmgraph/main/cli/schema/" + name + ".json",
		"title": "olmgraph " + name + " -o json", "$defs": m.defs}
	var all []any
	for _, root := range roots {
		at := strings.LastIndex(root, ".")
		one := m.definition(root[:at], root[at+1:])
		m.addDocument(strings.TrimPrefix(one["$ref"].(string), "#/$defs/"))
		all = append(all, one)
	}
	if len(all) == 1 {
		maps.Copy(out, all[0].(part))
	} else {
		out["oneOf"] = all
	}
	var written bytes.Buffer
	enc := json.NewEncoder(&written)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		panic(err)
	}
	return written.Bytes()
}

// addDocument adds what text.Document begins each answer with.
func (m *schemaMaker) addDocument(key string) {
	def := m.defs[key].(part)
	def["properties"].(part)["version"] = part{"const": text.JSONVersion}
	def["properties"].(part)["tool"] = part{"const": "olmgraph"}
	def["required"] = append([]string{"version", "tool"}, def["required"].([]string)...)
}

// files returns the syntax of a folder's files that are no tests.
func (m *schemaMaker) files(folder string) []*ast.File {
	if m.folders[folder] == nil {
		names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				panic(err)
			}
			m.folders[folder] = append(m.folders[folder], file)
		}
	}
	return m.folders[folder]
}

// typeSpec returns the declaration of a type.
func (m *schemaMaker) typeSpec(folder, name string) (spec *ast.TypeSpec, doc string, in *ast.File) {
	for _, file := range m.files(folder) {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, s := range group.Specs {
				if spec := s.(*ast.TypeSpec); spec.Name.Name == name {
					return spec, group.Doc.Text() + spec.Doc.Text(), file
				}
			}
		}
	}
	panic(fmt.Sprintf("no type %s in %s", name, folder))
}

// definition returns a reference to the definition of a struct, or what another type is.
func (m *schemaMaker) definition(folder, name string) part {
	spec, doc, file := m.typeSpec(folder, name)
	fields, ok := spec.Type.(*ast.StructType)
	if m.isText(folder, name) {
		return part{"type": "string"}
	}
	if !ok {
		return withEnum(m.typeSchema(folder, file, spec.Type), m.constants(folder, name))
	}
	key := strings.TrimPrefix(name, "json")
	key = strings.ToLower(key[:1]) + key[1:]
	switch owner := folder + "." + name; m.owner[key] {
	case "":
		m.owner[key] = owner
		def := part{"type": "object", "additionalProperties": false}
		if !ast.IsExported(name) {
			doc = withoutSubject(name, doc)
		}
		describe(def, doc)
		m.defs[key] = def
		def["properties"], def["required"] = part{}, []string{}
		m.addFields(def, folder, file, fields)
	case owner:
	default:
		panic(fmt.Sprintf("%s and %s have the same name in a schema", owner, m.owner[key]))
	}
	return part{"$ref": "#/$defs/" + key}
}

// isText reports whether a type is written as a string.
func (m *schemaMaker) isText(folder, name string) bool {
	return slices.ContainsFunc(m.files(folder), func(file *ast.File) bool {
		return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "MarshalText" {
				return false
			}
			of := f.Recv.List[0].Type
			if pointer, ok := of.(*ast.StarExpr); ok {
				of = pointer.X
			}
			return of.(*ast.Ident).Name == name
		})
	})
}

// addFields adds the fields of a struct to a definition. Of those that can be absent one is there.
func (m *schemaMaker) addFields(def part, folder string, file *ast.File, fields *ast.StructType) {
	var choices []any
	for _, f := range fields.Fields.List {
		if len(f.Names) == 0 || f.Tag != nil && strings.Contains(f.Tag.Value, `json:",inline"`) {
			from, embedded := folder, f.Type
			if pointer, ok := embedded.(*ast.StarExpr); ok {
				embedded = pointer.X
			}
			if t, ok := embedded.(*ast.SelectorExpr); ok {
				from, embedded = importedBy(file, t.X.(*ast.Ident).Name), t.Sel
			}
			spec, _, in := m.typeSpec(from, embedded.(*ast.Ident).Name)
			m.addFields(def, from, in, spec.Type.(*ast.StructType))
			continue
		}
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		name, option, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name == "-" {
			continue
		}
		one := m.typeSchema(folder, file, f.Type)
		if values := reflect.StructTag(tag).Get("enum"); values != "" {
			one = withEnum(one, m.enum(folder, values))
		}
		describe(one, withoutSubject(f.Names[0].Name, f.Doc.Text()+f.Comment.Text()))
		def["properties"].(part)[name] = one
		switch option {
		case "omitzero":
			delete(one, "anyOf")
			maps.Copy(one, m.typeSchema(folder, file, f.Type.(*ast.StarExpr).X))
			choices = append(choices, part{"required": []string{name}})
		case "omitempty":
		default:
			def["required"] = append(def["required"].([]string), name)
		}
	}
	if choices != nil {
		def["oneOf"] = choices
	}
}

// typeSchema returns the schema of a type.
func (m *schemaMaker) typeSchema(folder string, file *ast.File, of ast.Expr) part {
	switch t := of.(type) {
	case *ast.StarExpr:
		if of := m.typeSchema(folder, file, t.X); of["type"] == "string" {
			return of // the name of what is never nil
		}
		return part{"anyOf": []any{m.typeSchema(folder, file, t.X), part{"type": "null"}}}
	case *ast.ArrayType:
		return part{"type": "array", "items": m.typeSchema(folder, file, t.Elt)}
	case *ast.MapType:
		return part{"type": "object", "additionalProperties": m.typeSchema(folder, file, t.Value)}
	case *ast.SelectorExpr:
		return m.definition(importedBy(file, t.X.(*ast.Ident).Name), t.Sel.Name)
	case *ast.Ident:
		switch t.Name {
		case "string":
			return part{"type": "string"}
		case "bool":
			return part{"type": "boolean"}
		case "int", "int64":
			return part{"type": "integer"}
		}
		return m.definition(folder, t.Name)
	}
	panic(fmt.Sprintf("no schema of %T", of))
}

// importedBy returns the folder of a package that a file imports.
func importedBy(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); strings.HasSuffix(path, "/"+name) {
			return strings.TrimPrefix(path, module+"/")
		}
	}
	panic("no import of " + name)
}

// enum returns the values that a tag lists, or says where they are: a function of the folder, or FOLDER.Type.Method or FOLDER.Type.
func (m *schemaMaker) enum(folder, tag string) []string {
	if strings.Contains(tag, ",") {
		return strings.Split(tag, ",")
	}
	at := strings.LastIndex(tag, "/") + 1
	words := strings.Split(tag[at:], ".")
	if len(words) == 2 {
		return m.constants(tag[:at]+words[0], words[1])
	}
	if len(words) == 3 {
		folder = tag[:at] + words[0]
	}
	for _, file := range m.files(folder) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Name.Name == words[len(words)-1] && (len(words) == 1) == (f.Recv == nil) && (f.Recv == nil || f.Recv.List[0].Type.(*ast.Ident).Name == words[1]) {
				return texts(f.Body)
			}
		}
	}
	panic("nothing has the values of " + tag)
}

// constants returns the values of the constants of a type of strings.
func (m *schemaMaker) constants(folder, name string) []string {
	var all []string
	for _, file := range m.files(folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				if of, ok := spec.Type.(*ast.Ident); ok && of.Name == name {
					all = append(all, texts(spec)...)
				}
			}
			return true
		})
	}
	return all
}

// texts returns the strings in a piece of source.
func texts(in ast.Node) []string {
	var all []string
	ast.Inspect(in, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, _ := strconv.Unquote(lit.Value)
			all = append(all, value)
		}
		return true
	})
	return all
}

// withEnum restricts a string, or the items of an array, to values.
func withEnum(of part, values []string) part {
	if of["type"] == "array" {
		return part{"type": "array", "items": withEnum(of["items"].(part), values)}
	}
	if len(values) > 0 {
		of["enum"] = values
	}
	return of
}

// withoutSubject drops the name of a field from the beginning of its comment.
func withoutSubject(name, comment string) string {
	rest, ok := strings.CutPrefix(comment, name+" ")
	if !ok {
		return comment
	}
	return strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
}

// subject is the name of a type at the beginning of its comment.
var subject = regexp.MustCompile(`^(json[A-Z]\w*|JSON[A-Z]\w*|Failure) (?:(?:is|are) )?`)

// describe adds the comment of a type or field, without the name of a type.
func describe(of part, comment string) {
	words := strings.Join(strings.Fields(subject.ReplaceAllString(comment, "")), " ")
	if words != "" {
		of["description"] = strings.ToUpper(words[:1]) + words[1:]
	}
}

// breaks returns what programs lose that read the JSON of a schema when it becomes that of another: what is no longer there, can be absent,
// or has other types or values. A new version may break them.
func breaks(t *testing.T, was, now []byte) []string {
	t.Helper()
	if len(was) == 0 {
		return nil // of a new command
	}
	var c comparison
	for text, root := range map[*part][]byte{&c.was: was, &c.now: now} {
		if err := json.Unmarshal(root, text); err != nil {
			t.Fatal(err)
		}
	}
	if c.was["$defs"] == nil || versionIn(c.was) != versionIn(c.now) {
		return nil
	}
	c.compare("", c.was, c.now)
	slices.Sort(c.broken)
	return c.broken
}

// versionIn returns the version that a schema demands.
func versionIn(root part) any {
	for _, def := range root["$defs"].(part) {
		if properties := def.(part)["properties"].(part); properties["tool"] != nil {
			return properties["version"].(part)["const"]
		}
	}
	return nil
}

type comparison struct {
	was, now part // the whole schemas
	broken   []string
}

func (c *comparison) say(at, format string, args ...any) {
	c.broken = append(c.broken, strings.TrimPrefix(at, ".")+" "+fmt.Sprintf(format, args...))
}

// alternatives returns the schemas of which a value has to match one, without references, by the name of what they are.
func alternatives(root, of part) map[string]part {
	all := map[string]part{}
	for _, key := range []string{"anyOf", "oneOf"} {
		branches, _ := of[key].([]any)
		for _, one := range branches {
			maps.Copy(all, alternatives(root, one.(part)))
		}
	}
	if ref, ok := of["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		all["object "+name] = root["$defs"].(part)[name].(part)
	} else if len(all) == 0 {
		all[fmt.Sprint(of["type"])] = of
	}
	return all
}

// compare compares what a value at a path was with what it is. Objects are compared by their fields, whatever their names.
func (c *comparison) compare(at string, was, now part) {
	before, after := alternatives(c.was, was), alternatives(c.now, now)
	if len(before) == 1 && len(after) == 1 || sameBut(before, after) {
		before, after = unnamed(before), unnamed(after)
	}
	for name := range after {
		if before[name] == nil {
			c.say(at, "can be of the type %s", name)
		}
	}
	for name, of := range before {
		if after[name] == nil {
			c.say(at, "is no longer of the type %s", name)
			continue
		}
		c.compareOne(at, of, after[name])
	}
}

// sameBut reports whether two values are one kind of part, or null.
func sameBut(before, after map[string]part) bool {
	return len(before) == len(after) && before["null"] != nil && after["null"] != nil && len(before) == 2
}

// unnamed drops the names of objects.
func unnamed(all map[string]part) map[string]part {
	out := map[string]part{}
	for name, of := range all {
		name, _, _ = strings.Cut(name, " ")
		out[name] = of
	}
	return out
}

// compareOne compares two schemas of the same type.
func (c *comparison) compareOne(at string, was, now part) {
	if enum, ok := now["enum"].([]any); ok || was["enum"] != nil {
		values, _ := was["enum"].([]any)
		for _, value := range values {
			if !slices.Contains(enum, value) {
				c.say(at, "is no longer %q", value)
			}
		}
	}
	if !reflect.DeepEqual(was["const"], now["const"]) {
		c.say(at, "is %v, and was %v", now["const"], was["const"])
	}
	if items, ok := was["items"].(part); ok {
		c.compare(at+"[]", items, now["items"].(part))
	}
	fields, ok := was["properties"].(part)
	if !ok {
		return
	}
	have := now["properties"].(part)
	for name, field := range fields {
		if have[name] == nil {
			c.say(at+"."+name, "is removed")
			continue
		}
		if slices.Contains(was["required"].([]any), any(name)) && !slices.Contains(now["required"].([]any), any(name)) {
			c.say(at+"."+name, "can be absent")
		}
		c.compare(at+"."+name, field.(part), have[name].(part))
	}
}

// TestBreaks checks what breaks programs, and what does not.
func TestBreaks(t *testing.T) {
	was, ok := schema.Read("lint")
	if !ok {
		t.Fatal("no schema of lint")
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"a removed field", `        "fix": {`, `        "remedy": {`, `[findings[].fix is removed]`},
		{"another type", `"line": {
          "description": "1-based",
          "type": "integer"`, `"line": {
          "description": "1-based",
          "type": "string"`, `[findings[].line can be of the type string findings[].line is no longer of the type integer]`},
		{"a field that can be absent", `        "fix",
`, ``, `[findings[].fix can be absent]`},
		{"a value that is gone", `            "info",
`, ``, `[findings[].severity is no longer "info"]`},
		{"an object that can be null", `        "summary": {
          "$ref": "#/$defs/summary"
        }`, `        "summary": {"anyOf": [{"$ref": "#/$defs/summary"}, {"type": "null"}]}`, `[summary can be of the type null]`},
		{"a new field", `        "fix": {`, `        "more": {"type": "string"}, "fix": {`, `[]`},
		{"a new version", `"const": 2`, `"const": 3`, `[]`},
		{"another description", `"1-based"`, `"Counted from 1"`, `[]`},
	} {
		now := bytes.Replace(was, []byte(c.old), []byte(c.new), 1)
		if bytes.Equal(now, was) {
			t.Errorf("%s: the schema of lint has no %q", c.name, c.old)
			continue
		}
		if got := fmt.Sprint(breaks(t, was, now)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// wrongJSON returns what is wrong with the JSON that a command line wrote to standard output and to files; "" if nothing is.
func wrongJSON(args []string, stdout []byte) string {
	if len(args) == 0 || args[0] == "template" {
		return ""
	}
	var wrong []string
	for i, arg := range args[1:] {
		if arg != "-o" && arg != "--output" || i+2 >= len(args) {
			continue
		}
		value := args[i+2]
		file, named := strings.CutPrefix(value, "json=")
		written := stdout
		switch {
		case value == "json" || named && (file == "-" || file == "/dev/stdout"):
			if len(stdout) == 0 {
				continue
			}
		case named || !strings.Contains(value, "=") && strings.HasSuffix(value, ".json") && !strings.HasSuffix(value, ".sarif.json"):
			text, err := os.ReadFile(file)
			if err != nil {
				continue // nothing was written
			}
			written = text
		default:
			continue
		}
		if err := checkJSON(args[0], written); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", value, err))
		}
	}
	return strings.Join(wrong, "\n")
}

// checkJSON checks JSON that a command wrote against its schema.
func checkJSON(command string, written []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
	if err != nil {
		return err
	}
	if of, ok := value.(part); ok && of["error"] != nil && command != "template" {
		command = "error"
	}
	wanted, ok := schema.Read(command)
	if !ok {
		return fmt.Errorf("olmgraph %s writes JSON and has no schema", command)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(wanted))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(command, root); err != nil {
		return err
	}
	compiled, err := compiler.Compile(command)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}
