package parse

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// joined are the files of a package in as few as can be: a new file costs more than what the compiler
// does with it, and the runtime has seventy, for each program that is built. Line directives keep the
// positions. Files whose imports or build constraints are not those of the others stay as they are.
func joined(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	groups := map[string]*fileGroup{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		f, ok := splitFile(name, data)
		if !ok {
			out[name] = data
			continue
		}
		g := groups[f.head]
		if g == nil {
			g = &fileGroup{name: name, imports: map[string]string{}}
			g.text.WriteString(f.head)
			groups[f.head] = g
		}
		if !g.add(name, f) {
			out[name] = data
		}
	}
	for _, g := range groups {
		out[g.name] = g.bytes()
	}
	return out
}

// splitText is a file of Go in parts.
type splitText struct {
	head    string            // build constraints and package clause
	imports map[string]string // paths by name
	line    int               // of the body
	body    []byte
}

// splitFile splits a file, if its declarations may stand behind those of another one.
func splitFile(name string, data []byte) (s splitText, ok bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, data, parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
	// A name with an underscore may be a build constraint.
	if err != nil || strings.Contains(name, "_") || bytes.Contains(data, []byte("//go:embed")) || bytes.Contains(data, []byte("//line ")) {
		return s, false
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				s.head += c.Text + "\n\n"
			}
		}
	}
	s.head += "package " + f.Name.Name + "\n"
	s.imports = map[string]string{}
	end := f.Name.End()
	for _, d := range f.Decls {
		g, isGeneric := d.(*ast.GenDecl)
		if !isGeneric || g.Tok != token.IMPORT {
			break
		}
		end = g.End()
		for _, spec := range g.Specs {
			imported := spec.(*ast.ImportSpec)
			from, err := strconv.Unquote(imported.Path.Value)
			if err != nil || from == "C" {
				return s, false
			}
			as := packageName(from)
			if imported.Name != nil {
				as = imported.Name.Name
			}
			if as == "." || as == "_" || s.imports[as] != "" {
				return s, false
			}
			s.imports[as] = from
		}
	}
	at := fset.Position(end)
	s.line, s.body = at.Line, data[at.Offset:]
	return s, !bytes.HasPrefix(bytes.TrimLeft(s.body, " \t"), []byte(";"))
}

// packageName is the name of a package of the standard library.
func packageName(from string) string {
	name := path.Base(from)
	if version, ok := strings.CutPrefix(name, "v"); ok && version != "" && strings.Trim(version, "0123456789") == "" {
		return path.Base(path.Dir(from))
	}
	return name
}

// fileGroup is what becomes one file.
type fileGroup struct {
	name    string
	imports map[string]string
	text    bytes.Buffer // head
	bodies  bytes.Buffer
}

// add adds a file, if its imports fit.
func (g *fileGroup) add(name string, f splitText) bool {
	for as, from := range f.imports {
		if other, ok := g.imports[as]; ok && other != from {
			return false
		}
	}
	maps.Copy(g.imports, f.imports)
	// The directive is about the line behind it, on which the rest of the last import's stands.
	fmt.Fprintf(&g.bodies, "\n//line %s:%d\n", name, f.line)
	g.bodies.Write(f.body)
	return true
}

func (g *fileGroup) bytes() []byte {
	for _, as := range slices.Sorted(maps.Keys(g.imports)) {
		fmt.Fprintf(&g.text, "import %s %q\n", as, g.imports[as])
	}
	g.text.Write(g.bodies.Bytes())
	return g.text.Bytes()
}
