package program

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
)

// A comment "//vtrace:reachable" or "//vtrace:unreachable", in front of a statement
// or at the end of its first line, says that some schedule gets to the statement, or
// that none does. What follows the word says why. The statement has a guard, at
// which the model stops, and a query asks whether somebody gets there.

const (
	reachableLine   = "//vtrace:reachable"
	unreachableLine = "//vtrace:unreachable"
)

// An Annotation is one such comment.
type Annotation struct {
	Pos       token.Pos
	Reachable bool
	Why       string
	// Stmt is the statement, nil if there is none; in is the declaration or the
	// literal of the function that it is in.
	Stmt ast.Stmt
	In   ast.Node
	// Runs: the function can run at all, from the entry.
	Runs bool
}

// readAnnotation reads a comment; ok is false if it is another one.
func readAnnotation(c *ast.Comment) (a *Annotation, ok bool) {
	for _, word := range []string{reachableLine, unreachableLine} {
		if rest, ok := strings.CutPrefix(c.Text, word); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			why, _, _ := strings.Cut(rest, "//")
			return &Annotation{Pos: c.Pos(), Reachable: word == reachableLine, Why: strings.TrimSpace(why)}, true
		}
	}
	return nil, false
}

// Annotations finds the comments of the program, with their statements.
func (p *Program) Annotations() []*Annotation {
	var all []*Annotation
	for _, pkg := range p.Source.Packages {
		for _, file := range pkg.Syntax {
			var found []*Annotation
			for _, group := range file.Comments {
				for _, c := range group.List {
					if a, ok := readAnnotation(c); ok {
						found = append(found, a)
					}
				}
			}
			if len(found) > 0 {
				lists := stmtLists(file)
				for _, a := range found {
					p.attach(a, lists)
				}
			}
			all = append(all, found...)
		}
	}
	return all
}

// A stmtList is a list of statements with what it reaches over, comments included.
type stmtList struct {
	start, end token.Pos
	list       []ast.Stmt
	in         ast.Node // the function
}

// stmtLists are the lists of statements of a file: of blocks, and of the clauses of
// a switch or select, which reach to the next one.
func stmtLists(file *ast.File) []stmtList {
	var out []stmtList
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return false
		}
		stack = append(stack, n)
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		var in ast.Node
		for _, outer := range stack {
			switch outer.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				in = outer
			}
		}
		var plain []ast.Stmt
		for i, s := range block.List {
			end := block.Rbrace
			if i+1 < len(block.List) {
				end = block.List[i+1].Pos()
			}
			switch s := s.(type) {
			case *ast.CaseClause:
				out = append(out, stmtList{s.Colon, end, s.Body, in})
			case *ast.CommClause:
				out = append(out, stmtList{s.Colon, end, s.Body, in})
			default:
				plain = append(plain, s)
			}
		}
		out = append(out, stmtList{block.Lbrace, block.Rbrace, plain, in})
		return true
	})
	return out
}

// attach finds the statement of an annotation: the one that ends its line in front
// of it, or the next one of the list that it is in.
func (p *Program) attach(a *Annotation, lists []stmtList) {
	line := func(pos token.Pos) int { return p.Source.Fset.Position(pos).Line }
	inner := stmtList{}
	for _, l := range lists {
		if l.start < a.Pos && a.Pos < l.end && l.start > inner.start {
			inner = l
		}
	}
	a.In = inner.in
	for _, s := range inner.list {
		if line(s.Pos()) == line(a.Pos) && s.Pos() < a.Pos {
			a.Stmt = s
		}
	}
	for _, s := range inner.list {
		if a.Stmt == nil && s.Pos() > a.Pos {
			a.Stmt = s
		}
	}
}

// Beginning is the first instruction of a statement, or if it has none the one
// behind it.
func (p *Program) Beginning(f *ssa.Function, stmt ast.Stmt) ssa.Instruction {
	in := p.Function(f)
	for _, b := range f.Blocks {
		for i, instr := range b.Instrs {
			pos := in.Positions[instr]
			switch d := instr.(type) {
			case *ssa.Phi:
				continue
			case *ssa.Alloc:
				if !d.Heap {
					continue // stands where the function begins
				}
			case *ssa.DebugRef:
				pos = d.Expr.Pos()
			}
			if pos < stmt.Pos() || stmt.End() <= pos {
				continue
			}
			for _, next := range b.Instrs[i:] {
				if _, ok := next.(*ssa.DebugRef); !ok {
					return next
				}
			}
		}
	}
	return nil
}

// Guard is the guard of the annotated statement, 0 if there is none.
func (a *Annotation) Guard(idx *sites.Index) sites.ID {
	if a.Stmt == nil {
		return 0
	}
	s, ok := idx.Stmt(a.Stmt.Pos())
	if !ok {
		return 0
	}
	return s.ID
}
