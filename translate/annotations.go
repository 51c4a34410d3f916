package translate

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

// A comment "//vtrace:reachable" or "//vtrace:unreachable", in front of a statement
// or at the end of its first line, says that some schedule gets to the statement, or
// that none does. What follows the word says why. The statement has a guard, at
// which the model stops, and a query asks whether somebody gets there.

const (
	reachableLine   = "//vtrace:reachable"
	unreachableLine = "//vtrace:unreachable"
)

// An annotation is one such comment.
type annotation struct {
	pos       token.Pos
	reachable bool
	why       string
	// stmt is the statement, nil if there is none; in is the declaration or the
	// literal of the function that it is in.
	stmt ast.Stmt
	in   ast.Node
	// runs: the function can run at all, from the entry.
	runs bool
}

// readAnnotation reads a comment; ok is false if it is another one.
func readAnnotation(c *ast.Comment) (a *annotation, ok bool) {
	for _, word := range []string{reachableLine, unreachableLine} {
		if rest, ok := strings.CutPrefix(c.Text, word); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			why, _, _ := strings.Cut(rest, "//")
			return &annotation{pos: c.Pos(), reachable: word == reachableLine, why: strings.TrimSpace(why)}, true
		}
	}
	return nil, false
}

// annotations finds the comments of the program, with their statements.
func (p *program) annotations() []*annotation {
	var all []*annotation
	for _, pkg := range p.src.Packages {
		for _, file := range pkg.Syntax {
			var found []*annotation
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
func (p *program) attach(a *annotation, lists []stmtList) {
	line := func(pos token.Pos) int { return p.src.Fset.Position(pos).Line }
	inner := stmtList{}
	for _, l := range lists {
		if l.start < a.pos && a.pos < l.end && l.start > inner.start {
			inner = l
		}
	}
	a.in = inner.in
	for _, s := range inner.list {
		if line(s.Pos()) == line(a.pos) && s.Pos() < a.pos {
			a.stmt = s
		}
	}
	for _, s := range inner.list {
		if a.stmt == nil && s.Pos() > a.pos {
			a.stmt = s
		}
	}
}

// mark finds the instructions at which annotated statements begin, and asks for
// what decides whether they are reached.
func (s *slice) mark() {
	s.annotated = s.prog.annotations()
	s.marks = map[ssa.Instruction]*annotation{}
	for _, a := range s.annotated {
		if a.stmt == nil {
			continue
		}
		for _, f := range s.prog.funcs {
			if f.Syntax() != a.in {
				continue
			}
			a.runs = true
			if instr := s.prog.beginning(f, a.stmt); instr != nil {
				s.marks[instr] = a
				s.needBlock(instr.Block())
			}
		}
	}
}

// beginning is the first instruction of a statement, or if it has none the one
// behind it.
func (p *program) beginning(f *ssa.Function, stmt ast.Stmt) ssa.Instruction {
	in := p.info(f)
	for _, b := range f.Blocks {
		for i, instr := range b.Instrs {
			pos := in.pos[instr]
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

// annotatedSite is the guard of an annotated statement, 0 if there is none.
func (x *translator) annotatedSite(a *annotation) sites.ID {
	if a.stmt == nil {
		return 0
	}
	s, ok := x.idx.Stmt(a.stmt.Pos())
	if !ok {
		return 0
	}
	return s.ID
}

// placeAnnotations makes guards of the annotated statements. It refuses comments
// that say nothing of a statement.
func (x *translator) placeAnnotations() {
	for _, a := range x.sl.annotated {
		switch s := x.annotatedSite(a); {
		case a.stmt == nil:
			x.unsupported(a.pos, "annotation", "no statement of a function follows in its block")
		case s == 0:
			x.unsupported(a.pos, "annotation", "its statement has no guard")
		default:
			x.access[s] = true
		}
	}
}

// marked returns the guard of the annotated statement that an instruction begins,
// 0 if there is none or it has been passed.
func (x *translator) marked(f *frame, instr ssa.Instruction) sites.ID {
	a := x.sl.marks[instr]
	if a == nil {
		return 0
	}
	if s := x.annotatedSite(a); s != f.passed {
		return s
	}
	return 0
}

// reachability asks whether somebody gets to the annotated statements.
func (e *emitter) reachability(add func(q artifact.Query, category string) int) {
	x := e.x
	for _, a := range x.sl.annotated {
		s := x.annotatedSite(a)
		if s == 0 || !a.runs {
			continue
		}
		var at []string
		for _, t := range x.templates {
			for _, l := range t.locs {
				if _, ok := e.kept[l]; !ok || l.kind != atStmt || l.site != s {
					continue
				}
				for _, p := range e.processes[t] {
					at = append(at, p+"."+l.name)
				}
			}
		}
		there := "false"
		if len(at) > 0 {
			there = disjunction(at)
		}
		why := ""
		if a.why != "" {
			why = fmt.Sprintf(" (%s)", a.why)
		}
		if a.reachable {
			add(artifact.Query{Formula: "E<> " + there, Kind: artifact.KindNeverReached, Site: int(s),
				Description: "no schedule gets to a statement that is said to be reachable" + why}, CategoryReachability)
			continue
		}
		add(artifact.Query{Formula: "A[] not " + there, Kind: artifact.KindReachable, Site: int(s),
			Description: "a statement is reached that is said to be unreachable" + why}, CategoryReachability)
	}
}
