package lsp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// entryPoint is an entry point in the text of a file.
type entryPoint struct {
	name       string
	line       int // from 1
	start, end int // of its name, in bytes of the line, from 1
}

// entriesOf finds the entry points in a text, of which the syntax alone is looked at: it need
// not be complete. The line of the package clause is 0 if the file has no tests.
func entriesOf(path string, text []byte) (entries []entryPoint, clause int) {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution) // what can be parsed
	if file == nil {
		return nil, 0
	}
	isTest := strings.HasSuffix(path, "_test.go")
	for _, d := range file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Recv != nil || fd.Body == nil || fd.Type.TypeParams != nil || fd.Type.Results != nil {
			continue
		}
		name := fd.Name.Name
		switch params := fd.Type.Params; {
		case name == "main" && !isTest && file.Name.Name == "main" && params.NumFields() == 0:
		case isTest && params.NumFields() == 1 && (takes(params, "T") && source.NameOf(name, "Test") || takes(params, "F") && source.NameOf(name, "Fuzz") || takes(params, "B") && source.NameOf(name, "Benchmark")):
		default:
			continue
		}
		from, to := fset.PositionFor(fd.Name.Pos(), false), fset.PositionFor(fd.Name.End(), false)
		entries = append(entries, entryPoint{name, from.Line, from.Column, to.Column})
		if isTest && source.NameOf(name, "Test") {
			clause = fset.PositionFor(file.Package, false).Line
		}
	}
	return entries, clause
}

// takes reports whether the only parameter is a pointer to a type of that name.
func takes(params *ast.FieldList, name string) bool {
	star, ok := params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch t := star.X.(type) {
	case *ast.SelectorExpr:
		return t.Sel.Name == name
	case *ast.Ident:
		return t.Name == name // with a dot import
	}
	return false
}

// lenses are the commands over the entry points of a document.
func (s *server) lenses(path string) []codeLens {
	out := []codeLens{}
	if filepath.Ext(path) != ".go" {
		return out
	}
	s.mu.Lock()
	doc, trusted := s.docs[path], s.trusted
	var uri string
	var text []byte
	if doc != nil {
		uri, text = doc.uri, doc.text
	}
	s.mu.Unlock()
	if doc == nil {
		return out
	}
	entries, clause := entriesOf(path, text)
	add := func(at textRange, title, name string, arg commandArgument) {
		arg.URI = uri
		out = append(out, codeLens{at, command{title, name, []commandArgument{arg}}})
	}
	if clause > 0 && trusted {
		add(s.rangeOf(text, clause, 0), "check all tests of the package", commandCheck, commandArgument{})
	}
	for _, e := range entries {
		line := lineOf(text, e.line)
		at := textRange{position{e.line - 1, s.column(line, e.start-1)}, position{e.line - 1, s.column(line, e.end-1)}}
		what := "check this test"
		switch {
		case e.name == "main":
			what = "check main"
		case source.NameOf(e.name, "Fuzz"):
			what = "check this fuzz test"
		case source.NameOf(e.name, "Benchmark"):
			what = "check this benchmark"
		}
		if trusted {
			add(at, what, commandCheck, commandArgument{Entry: e.name})
		}
		r := s.resultOf(filepath.Dir(path), e.name)
		if r == nil {
			continue
		}
		if trusted && firstReal(r.Bundle) != nil {
			add(at, "replay", commandReplay, commandArgument{Entry: e.name})
		}
		add(at, "show: "+s.opts.Headline(r.Bundle), commandShow, commandArgument{Entry: e.name})
	}
	return out
}

// firstReal is the first finding that a replay shows again, nil if there is none.
func firstReal(b *artifact.Bundle) *artifact.Finding {
	for _, f := range b.Findings() {
		if f.Test != "" && (f.Verdict == artifact.Real || f.Verdict == artifact.TimingDependent || f.Verdict == artifact.Note) {
			return &f
		}
	}
	return nil
}
