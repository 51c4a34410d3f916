package artifact

import (
	"bytes"
	"encoding/json"
	"flag"
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
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact/schema"
	"github.com/vtrace/vtrace/internal/storage"
)

var update = flag.Bool("update", false, "rewrite the schemas and the tables of docs/bundle.md")

// documents are the JSON files of a bundle by the names of their schemas, with their types.
func documents() map[string]reflect.Type {
	all := maps.Clone(forms)
	all["trace.json"] = traceForm
	all[manifestPath] = reflect.TypeFor[Manifest]()
	return all
}

// inside is what a field holds as JSON that Go leaves as it is.
func inside(owner reflect.Type, f reflect.StructField) reflect.Type {
	if owner == reflect.TypeFor[Manifest]() && f.Name == "Options" {
		return reflect.TypeFor[Options]()
	}
	return f.Type
}

// declared is the type that says what a struct is: of one that is a file's form of another, that of the other.
func declared(form reflect.Type) string {
	if name := form.Name(); ast.IsExported(name) || form.NumField() == 0 || !form.Field(0).Anonymous {
		return name
	}
	return form.Field(0).Name
}

// nameOf is the name of a struct in schemas and documents.
func nameOf(form reflect.Type) string {
	name := declared(form)
	return strings.ToUpper(name[:1]) + name[1:]
}

// field is a field as it is in JSON.
type field struct {
	name      string
	omitempty bool
	form      reflect.Type
	owner     string // the type that declares it
	goName    string
	words     string // what the tag "schema" says
}

// fieldsOf are the fields of a struct, those of embedded ones among them.
func fieldsOf(t *testing.T, s reflect.Type) (out []field) {
	t.Helper()
	for i := range s.NumField() {
		f := s.Field(i)
		if f.Anonymous {
			out = append(out, fieldsOf(t, f.Type)...)
			continue
		}
		tag, ok := f.Tag.Lookup("json")
		name, more, _ := strings.Cut(tag, ",")
		require.True(t, ok && f.IsExported() && regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`).MatchString(name), "%s.%s: a field of a bundle has a name of its own in JSON", s, f.Name)
		require.Contains(t, []string{"", "omitempty"}, more, "%s.%s", s, f.Name)
		out = append(out, field{name, more == "omitempty", inside(s, f), s.Name(), f.Name, f.Tag.Get("schema")})
	}
	return out
}

// structsOf are the structs below a type, in the order in which they are met.
func structsOf(t *testing.T, form reflect.Type, out []reflect.Type) []reflect.Type {
	switch form.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return structsOf(t, form.Elem(), out)
	case reflect.Struct:
		if slices.Contains(out, form) {
			return out
		}
		out = append(out, form)
		for _, f := range fieldsOf(t, form) {
			out = structsOf(t, f.form, out)
		}
	}
	return out
}

// comments are what the source of the package says of its types, of their fields, as
// "Type.Field", and of its constants.
type comments struct {
	of        map[string]string
	constants []constants
}

// constants are a group of constants, with what the group is.
type constants struct {
	title string
	rows  [][2]string // value, meaning
}

func words(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}

func readComments(t *testing.T) *comments {
	t.Helper()
	c := &comments{of: map[string]string{}}
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			group := constants{title: words(decl.Doc)}
			for _, spec := range decl.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					c.of[s.Name.Name] = words(s.Doc, decl.Doc)
					if st, ok := s.Type.(*ast.StructType); ok {
						for _, f := range st.Fields.List {
							for _, n := range f.Names {
								c.of[s.Name.Name+"."+n.Name] = words(f.Doc, f.Comment)
							}
						}
					}
				case *ast.ValueSpec:
					if value, ok := s.Values, decl.Tok == token.CONST && len(s.Values) == 1; ok {
						if lit, ok := value[0].(*ast.BasicLit); ok && lit.Kind == token.STRING && s.Names[0].IsExported() {
							text := strings.TrimPrefix(words(s.Comment, s.Doc), s.Names[0].Name+": ")
							group.rows = append(group.rows, [2]string{strings.Trim(lit.Value, `"`), text})
						}
					}
				}
			}
			complete := !slices.ContainsFunc(group.rows, func(r [2]string) bool { return r[1] == "" })
			if group.title != "" && len(group.rows) > 1 && complete {
				c.constants = append(c.constants, group)
			}
		}
	}
	return c
}

type object = map[string]any

// schemaOf is the schema of values of a type, as they are written; structs are referred to.
func schemaOf(t *testing.T, form reflect.Type, optional bool) object {
	list := func(s object) object {
		if !optional {
			s["type"] = []string{s["type"].(string), "null"} // nil
		}
		return s
	}
	switch form.Kind() {
	case reflect.Struct:
		return object{"$ref": "#/$defs/" + nameOf(form)}
	case reflect.Pointer:
		require.True(t, optional, "%s", form)
		return schemaOf(t, form.Elem(), true)
	case reflect.Slice:
		return list(object{"type": "array", "items": schemaOf(t, form.Elem(), true)})
	case reflect.Map:
		return list(object{"type": "object", "additionalProperties": schemaOf(t, form.Elem(), true)})
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	}
	require.Fail(t, "no schema", "%s", form)
	return nil
}

// document is the schema of a file.
func document(t *testing.T, name string, c *comments) []byte {
	t.Helper()
	form := documents()[name]
	defs := object{}
	for _, s := range structsOf(t, form, nil) {
		properties, required := object{}, []string{}
		for _, f := range fieldsOf(t, s) {
			p := schemaOf(t, f.form, f.omitempty)
			p["description"] = c.of[f.owner+"."+f.goName]
			switch {
			case f.owner == "Manifest" && f.goName == "Version":
				p["const"] = Version
			case f.words == "digest":
				p["pattern"] = storage.HexDigest.String()
			case f.words != "":
				p["enum"] = strings.Split(f.words, "|")
			}
			properties[f.name] = p
			if !f.omitempty {
				required = append(required, f.name)
			}
		}
		def := object{"type": "object", "description": c.of[declared(s)], "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			def["required"] = required
		}
		defs[nameOf(s)] = def
	}
	root := schemaOf(t, form, true)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = fmt.Sprintf("https://github.com/vtrace/vtrace/artifact/schema/%d/%s", Version, name)
	root["title"] = fmt.Sprintf("%s of a vtrace bundle, version %d", name, Version)
	root["$defs"] = defs
	data, err := storage.EncodeJSON(root)
	require.NoError(t, err)
	return data
}

// The schemas are those of the types.
func TestSchema(t *testing.T) {
	c := readComments(t)
	var names []string
	for name := range documents() {
		names = append(names, name)
		data := document(t, name, c)
		path := filepath.Join("schema", name)
		if *update {
			require.NoError(t, os.WriteFile(path, data, 0o644))
			continue
		}
		want, ok := schema.Read(name)
		require.True(t, ok, name)
		require.Equal(t, string(data), string(want), "run: go test ./artifact -run 'TestSchema|TestBundleDocument' -update")
	}
	if *update {
		t.Skip("what is embedded is that of before")
	}
	slices.Sort(names)
	require.Equal(t, names, schema.Names())
	for name := range forms {
		require.Equal(t, name, schema.For(name))
	}
	for file, want := range map[string]string{manifestPath: manifestPath, TracePath(1, 2): "trace.json", "trace.json": "", "source/findings.json": "", ModelPath: "", oldSweepPath: ""} {
		require.Equal(t, want, schema.For(file), file)
	}
}

// Every type and field of a bundle is described where it is declared.
func TestDescribed(t *testing.T) {
	c := readComments(t)
	n := 0
	for _, form := range documents() {
		for _, s := range structsOf(t, form, nil) {
			require.NotEmpty(t, c.of[declared(s)], s.Name())
			for _, f := range fieldsOf(t, s) {
				n++
				require.NotEmpty(t, c.of[f.owner+"."+f.goName], "%s.%s has no comment", f.owner, f.goName)
			}
		}
	}
	require.Greater(t, n, 200)
}

// spoken is a type in words, as docs/bundle.md has it.
func spoken(form reflect.Type) string {
	switch form.Kind() {
	case reflect.Struct:
		return fmt.Sprintf("[%s](#%s)", nameOf(form), strings.ToLower(nameOf(form)))
	case reflect.Pointer:
		return spoken(form.Elem())
	case reflect.Slice:
		return "list of " + spoken(form.Elem())
	case reflect.Map:
		return "object of " + spoken(form.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "integer"
}

// cell is text in a table of Markdown.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s) }

// tables describe all types and constants.
func tables(t *testing.T) string {
	t.Helper()
	c := readComments(t)
	var out strings.Builder
	var all []reflect.Type
	for _, name := range append([]string{manifestPath}, slices.Sorted(maps.Keys(documents()))...) {
		all = structsOf(t, documents()[name], all)
	}
	for _, s := range all {
		fmt.Fprintf(&out, "### %s\n\n%s\n\n| field | type | meaning |\n|---|---|---|\n", nameOf(s), cell(c.of[declared(s)]))
		for _, f := range fieldsOf(t, s) {
			form := spoken(f.form)
			if f.omitempty {
				form += ", optional"
			}
			text := c.of[f.owner+"."+f.goName]
			if f.words != "" && f.words != "digest" {
				text += " (" + strings.Join(strings.Split(f.words, "|"), ", ") + ")"
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", f.name, form, cell(text))
		}
		out.WriteString("\n")
	}
	out.WriteString("## Words\n\n")
	for _, g := range c.constants {
		fmt.Fprintf(&out, "%s\n\n| word | meaning |\n|---|---|\n", cell(g.title))
		for _, r := range g.rows {
			fmt.Fprintf(&out, "| `%s` | %s |\n", r[0], cell(r[1]))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// The tables of docs/bundle.md are those of the types.
func TestBundleDocument(t *testing.T) {
	const path = "../docs/bundle.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const begin, end = "<!-- Generated from package artifact: go test ./artifact -run TestBundleDocument -update -->\n\n", "<!-- End of what is generated. -->"
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	got := head + begin + tables(t) + end + tail
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	require.Equal(t, got, string(text), "run: go test ./artifact -run 'TestSchema|TestBundleDocument' -update")
}

// compiled are the schemas, by a library that knows nothing of this package.
func compiled(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	out := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names() {
		data, _ := schema.Read(name)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		c := jsonschema.NewCompiler()
		require.NoError(t, c.AddResource(name, doc))
		out[name], err = c.Compile(name)
		require.NoError(t, err)
	}
	return out
}

// storedBundles are those of the current version that package main keeps.
func storedBundles(t *testing.T) map[string]*Bundle {
	t.Helper()
	out := map[string]*Bundle{}
	dir := fmt.Sprintf("../cmd/vtrace/testdata/bundles/v%d", Version)
	for _, name := range []string{"translate", "first.vtz", "second.vtz", "deep.vtz"} {
		b, err := Load(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, Version, b.Manifest().Version)
		out[name] = b
	}
	return out
}

// What bundles have is what the schemas say.
func TestSchemaOfBundles(t *testing.T) {
	schemas := compiled(t)
	seen := map[string]bool{}
	for name, b := range storedBundles(t) {
		for _, p := range append(b.Paths(), manifestPath) {
			data, ok := b.Read(p)
			if !ok {
				data = b.encoded
			}
			s := schemas[schema.For(p)]
			if s == nil {
				continue
			}
			seen[schema.For(p)] = true
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			require.NoError(t, err)
			require.NoError(t, s.Validate(doc), "%s: %s", name, p)
		}
	}
	for _, name := range []string{manifestPath, QueriesPath, SidecarPath, VerdictsPath, RefutationsPath, FactsPath, FindingsPath, RunsPath, "trace.json"} {
		require.True(t, seen[name], name)
	}
}

// mutations are changes of a value of JSON, each of which makes it something else than what
// it was: one field is missing, of another type, or too much.
func mutations(v any, change func()) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			old := v[k]
			if _, isObject := old.(map[string]any); isObject {
				v[k] = "text"
			} else {
				v[k] = object{"x": 1}
			}
			change()
			v[k] = old
			mutations(old, change)
		}
		v["unknown"] = 1
		change()
		delete(v, "unknown")
	case []any:
		for i := range v[:min(len(v), 3)] {
			old := v[i]
			v[i] = []any{[]any{}}
			change()
			v[i] = old
			mutations(old, change)
		}
	}
}

// full is a value of a type in which nothing is empty.
func full(t *testing.T, form reflect.Type, words string) any {
	switch form.Kind() {
	case reflect.Struct:
		out := object{}
		for _, f := range fieldsOf(t, form) {
			out[f.name] = full(t, f.form, f.words)
			if f.owner == "Manifest" && f.goName == "Version" {
				out[f.name] = json.Number(fmt.Sprint(Version))
			}
		}
		return out
	case reflect.Pointer:
		return full(t, form.Elem(), words)
	case reflect.Slice:
		return []any{full(t, form.Elem(), "")}
	case reflect.Map:
		return object{"key": full(t, form.Elem(), "")}
	case reflect.Bool:
		return true
	case reflect.String:
		if words == "digest" {
			return strings.Repeat("0a", 32)
		}
		word, _, _ := strings.Cut(words, "|")
		return word
	}
	return json.Number("1")
}

// The schemas, and the validator, refuse what is wrong in any field: a value of another type,
// one that is missing, and one that nobody knows.
func TestSchemaRefuses(t *testing.T) {
	oneGoroutine(t)
	schemas := compiled(t)
	n := 0
	for name, form := range documents() {
		s := schemas[name]
		v := full(t, form, "")
		require.NoError(t, s.Validate(v), name)
		mutations(v, func() {
			n++
			// An object of any keys has no unknown ones.
			if text, _ := json.Marshal(v); bytes.Contains(text, []byte(`"key":1,"unknown":1`)) {
				return
			}
			require.Error(t, s.Validate(v), "%s: %v", name, v)
		})
		require.NoError(t, s.Validate(v), name)
		for _, st := range structsOf(t, form, nil) {
			for _, f := range fieldsOf(t, st) {
				whole := full(t, form, "")
				removed := 0
				var remove func(v any)
				remove = func(v any) {
					switch v := v.(type) {
					case map[string]any:
						if reflect.DeepEqual(slices.Sorted(maps.Keys(v)), namesOf(t, st)) {
							delete(v, f.name)
							removed++
						}
						for _, e := range v {
							remove(e)
						}
					case []any:
						for _, e := range v {
							remove(e)
						}
					}
				}
				remove(whole)
				require.Positive(t, removed, "%s: %s.%s", name, st.Name(), f.name)
				err := s.Validate(whole)
				if f.omitempty {
					require.NoError(t, err, "%s: %s.%s", name, st.Name(), f.name)
				} else {
					require.Error(t, err, "%s: %s.%s", name, st.Name(), f.name)
				}
				n++
			}
		}
	}
	require.Greater(t, n, 600)
}

func namesOf(t *testing.T, st reflect.Type) []string {
	var names []string
	for _, f := range fieldsOf(t, st) {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

// There is a decoder for the options of each version, and all give the same.
func TestOptionsOfVersions(t *testing.T) {
	require.Len(t, optionDecoders, Version)
	want := Options{Model: ModelOptions{Bounds: ModelBounds{Slots: 1, Objects: 2, Recursion: 3, Defers: 4, BufferValues: 5, Slice: 6, Entries: 7, Counter: 8, Numbers: 9}, Flags: []string{"-race"}}, Search: SearchOptions{MaxMemory: 10}, Disallow: "exact", RunDepth: 11}
	old := json.RawMessage(`{"disallow":"exact","model":{"bounds":{"Slots":1,"Objects":2,"Recursion":3,"Defers":4,"BufferValues":5,"Slice":6,"Entries":7,"Counter":8,"Numbers":9},"flags":["-race"]},"runDepth":11,"search":{"maxMemory":10}}`)
	now, err := json.Marshal(want)
	require.NoError(t, err)
	for version := 1; version <= Version; version++ {
		raw := now
		if version < 3 {
			raw = old
		}
		got, err := Manifest{Version: version, Options: raw}.options()
		require.NoError(t, err)
		require.Equal(t, want, got, version)
	}
	_, err = Manifest{Version: 3, Options: json.RawMessage(`{"model":{"bounds":{}},"search":{},"luck":1}`)}.options()
	var c *CorruptError
	require.ErrorAs(t, err, &c)
	require.ErrorContains(t, err, "luck")
}
