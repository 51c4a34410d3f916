package output

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
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/artifact/schema"
	"github.com/vtrace/vtrace/internal/storage"
	"github.com/vtrace/vtrace/report"
)

var update = flag.Bool("update", false, "rewrite output.schema.json")

type object = map[string]any

// said are the comments of the types of this package and of their fields, as "Type.Field".
func said(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	text := func(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }
	for _, name := range []string{"output.go", "../../report/accept.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range decl.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				out[s.Name.Name] = text(decl.Doc)
				if st, ok := s.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, n := range f.Names {
							out[s.Name.Name+"."+n.Name] = text(f.Doc)
						}
					}
				}
			}
			return false
		})
	}
	return out
}

// generator makes definitions of the types of this package. Those of package artifact are those of the
// schemas of bundles.
type generator struct {
	t       *testing.T
	said    map[string]string
	bundles object
	defs    object
}

func (g *generator) of(form reflect.Type) object {
	switch form.Kind() {
	case reflect.Pointer:
		return g.of(form.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": g.of(form.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Struct:
		if form.PkgPath() == reflect.TypeFor[artifact.Bundle]().PkgPath() {
			g.take(form.Name())
		} else if g.defs[form.Name()] == nil {
			def := object{"type": "object", "description": g.said[form.Name()], "additionalProperties": false, "properties": object{}, "required": []string{}}
			require.NotEmpty(g.t, def["description"], form.Name())
			g.defs[form.Name()] = def
			g.fields(form, def)
		}
		return object{"$ref": "#/$defs/" + form.Name()}
	}
	require.Fail(g.t, "no schema", "%s", form)
	return nil
}

// take takes a definition of a bundle's schema, with those that it refers to.
func (g *generator) take(name string) {
	if g.defs[name] != nil {
		return
	}
	def, ok := g.bundles[name]
	require.True(g.t, ok, name)
	g.defs[name] = def
	text, err := json.Marshal(def)
	require.NoError(g.t, err)
	for _, part := range strings.Split(string(text), `"#/$defs/`)[1:] {
		other, _, _ := strings.Cut(part, `"`)
		g.take(other)
	}
}

func (g *generator) fields(form reflect.Type, def object) {
	for i := range form.NumField() {
		f := form.Field(i)
		if f.Anonymous {
			g.fields(f.Type, def)
			continue
		}
		name, more, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := g.of(f.Type)
		p["description"] = g.said[form.Name()+"."+f.Name]
		require.NotEmpty(g.t, p["description"], "%s.%s", form.Name(), f.Name)
		switch words := f.Tag.Get("schema"); {
		case f.Name == "Version":
			p["const"] = OutputVersion
		case words == "digest":
			p["pattern"] = "^[0-9a-f]{64}$"
		case words != "":
			p["enum"] = strings.Split(words, "|")
		}
		def["properties"].(object)[name] = p
		if more == "" {
			def["required"] = append(def["required"].([]string), name)
		}
	}
}

// bundleDefinitions are those of all schemas of bundles, by name. Reports have whole lists, where the files of bundles say what
// repeats itself.
func bundleDefinitions(t *testing.T) object {
	t.Helper()
	out := object{}
	for _, name := range schema.Names() {
		data, _ := schema.Read(name)
		var doc struct {
			Defs object `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(data, &doc))
		for name, def := range doc.Defs {
			delete(def.(object)["properties"].(object), "repeats")
			if old, ok := out[name]; ok {
				require.Equal(t, old, def, name)
			}
			out[name] = def
		}
	}
	return out
}

// The schema is that of the types.
func TestOutputSchema(t *testing.T) {
	g := &generator{t, said(t), bundleDefinitions(t), object{}}
	var forms []object
	for _, form := range []reflect.Type{reflect.TypeFor[SingleOutput](), reflect.TypeFor[SeveralOutput](), reflect.TypeFor[LineOutput](), reflect.TypeFor[FunctionsOutput]()} {
		forms = append(forms, g.of(form))
	}
	// A line has what its type says, and nothing else.
	var lines []object
	for _, l := range []struct{ word, field string }{{LineBegin, "count"}, {LineEntry, "entry"}, {LineRefused, "refused"}, {LineLeftOut, "leftOut"}, {LineEnd, "code"}} {
		lines = append(lines, object{"required": []string{l.field}, "maxProperties": 3, "properties": object{"type": object{"const": l.word}}})
	}
	g.defs["LineOutput"].(object)["oneOf"] = lines
	data, err := storage.EncodeJSON(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     fmt.Sprintf("https://github.com/vtrace/vtrace/report/output/%d", OutputVersion),
		"title":   fmt.Sprintf("output of vtrace check -json, also with -functions, or a line of that of vtrace check -json=stream, version %d", OutputVersion),
		"oneOf":   forms, "$defs": g.defs,
	})
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("../../report/output.schema.json", data, 0o644))
		return
	}
	require.Equal(t, string(data), string(report.OutputSchema()), "run: go test ./internal/output -run TestOutputSchema -update")
}

// The schema tells the forms apart, and refuses what is wrong.
func TestOutputSchemaRefuses(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.OutputSchema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("output", doc))
	s, err := c.Compile("output")
	require.NoError(t, err)
	valid := func(v any) error {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		return s.Validate(doc)
	}
	n := 2
	entry := EntryOutput{Pass: artifact.PassDeep, Entry: artifact.Entry{Package: "m", Func: "TestA"}, Digest: strings.Repeat("0a", 32), Found: []artifact.Finding{}, Limits: []string{}, Verdict: []artifact.Verdict{}}
	good := []any{
		SingleOutput{OutputVersion, entry},
		SeveralOutput{OutputVersion, []EntryOutput{entry}, []RefusedOutput{{"m", "TestB", []string{"why"}}}, []LeftOutOutput{{"m", "TestC", "why"}}},
		FunctionsOutput{OutputVersion, []FunctionOutput{{
			Package: "m", Func: "F", File: "m.go", Line: 1, Valuations: []ValuationOutput{{"Test_F_1", []ValueOutput{{"n", "0"}}, "open", []string{"why"}}},
			Errors: []FunctionErrorOutput{{Class: "alarm", Shown: 1, Of: 1, In: []string{"Test_F_1"}, Finding: artifact.Finding{Number: 1, Verdict: artifact.Real, Kind: artifact.KindLeak}}},
		}}},
		LineOutput{Version: OutputVersion, Type: LineBegin, Count: &n}, LineOutput{Version: OutputVersion, Type: LineEntry, Entry: &entry},
		LineOutput{Version: OutputVersion, Type: LineRefused, Refused: &RefusedOutput{Errors: []string{}}},
		LineOutput{Version: OutputVersion, Type: LineLeftOut, LeftOut: &LeftOutOutput{}}, LineOutput{Version: OutputVersion, Type: LineEnd, Code: &n},
	}
	for _, v := range good {
		require.NoError(t, valid(v))
		text, err := json.Marshal(v)
		require.NoError(t, err)
		for _, change := range []func(o object){
			func(o object) { o["version"] = OutputVersion + 1 }, func(o object) { delete(o, "version") }, func(o object) { o["more"] = 1 },
			func(o object) { delete(o, slices.Sorted(maps.Keys(o))[0]) },
		} {
			var o object
			require.NoError(t, json.Unmarshal(text, &o))
			change(o)
			require.Error(t, valid(o), "%v", o)
		}
	}
	require.Error(t, valid(LineOutput{Version: OutputVersion, Type: LineEnd, Count: &n}))
	require.Error(t, valid(LineOutput{Version: OutputVersion, Type: LineBegin, Count: &n, Code: &n}))
	require.Error(t, valid(LineOutput{Version: OutputVersion, Type: "other", Code: &n}))
}
