package orchestrate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/sites"
)

// How a condition has turned out shows in where its goroutine comes next: the runtime does not see it. Where
// that may be the same either way nothing is said.

// AddOutcomes adds to steps how the conditions have turned out that they evaluate, in a run that has done them, among
// others. Read gives the files of the program.
func AddOutcomes(side *artifact.Sidecar, steps []artifact.FindingStep, trace []artifact.PlanStep, read func(file string) ([]byte, bool)) {
	byKey := SitesByKey(side)
	files := map[string]*conditions{}
	passed := map[string]bool{} // keys of sites
	for _, s := range trace {
		passed[s.Site] = true
	}
	for i, k := range matched(steps, trace) {
		if k < 0 {
			continue
		}
		next := slices.IndexFunc(trace[k+1:], func(s artifact.PlanStep) bool { return s.G == trace[k].G })
		if next < 0 {
			continue
		}
		at, then := byKey[trace[k].Site], byKey[trace[k+1+next].Site]
		if at.File == "" {
			continue
		}
		if files[at.File] == nil {
			text, _ := read(at.File)
			files[at.File] = parsed(text)
		}
		same := at.File == then.File && at.Func == then.Func
		if same && !returns(then) {
			steps[i].Outcome = files[at.File].outcome(at, then)
			continue
		}
		stops := func(n ast.Node) bool { // a run does there, as another goroutine has, or this one before
			return len(callsIn(n)) <= 1 && slices.ContainsFunc(side.Sites, func(s artifact.Site) bool {
				return passed[s.Key] && s.File == at.File && within(n, files[at.File].pos(s))
			})
		}
		steps[i].Outcome = files[at.File].outcomeElsewhere(at, same, stops)
	}
}

// callsIn are the calls of a statement, but for those in a body that it has.
func callsIn(nodes ...ast.Node) (all []*ast.CallExpr) {
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				all = append(all, c)
			}
			_, body := n.(*ast.BlockStmt)
			return !body
		})
	}
	return all
}

// matched are the indexes in a trace of steps that are among it, in their order; -1 is one that is not.
func matched(steps []artifact.FindingStep, trace []artifact.PlanStep) []int {
	out := make([]int, len(steps))
	next := 0
	for i, s := range steps {
		for next < len(trace) && (trace[next].G != s.G || trace[next].Site != s.Site) {
			next++
		}
		if out[i] = next; next >= len(trace) {
			out[i] = -1
		}
		next++
	}
	return out
}

// returns reports whether a site is passed when a function returns: from wherever in it.
func returns(s artifact.Site) bool {
	switch sites.Named(s.Kind) {
	case sites.End, sites.Join:
		return true
	}
	return s.Kind == "cleanup" || strings.HasPrefix(s.Text, "defer ")
}

// conditions are those of a file of the program; the zero value knows nothing.
type conditions struct {
	file  *token.File
	text  []byte
	nodes []ast.Node // statements with conditions, and what a break or continue may leave
	next  map[*ast.IfStmt]ast.Stmt
}

// parsed reads a file. What cannot be parsed has no statements.
func parsed(text []byte) *conditions {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return &conditions{}
	}
	s := &conditions{file: fset.File(f.FileStart), text: text, next: map[*ast.IfStmt]ast.Stmt{}}
	ast.Inspect(f, func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok {
			for i := range len(block.List) - 1 {
				if n, ok := block.List[i].(*ast.IfStmt); ok {
					s.next[n] = block.List[i+1]
				}
			}
		}
		switch n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			s.nodes = append(s.nodes, n)
		}
		return true
	})
	return s
}

// pos is the position of a site, NoPos if the file has none such.
func (s *conditions) pos(at artifact.Site) token.Pos {
	if s.file == nil || at.Line < 1 || at.Line > s.file.LineCount() || at.Col < 1 {
		return token.NoPos
	}
	return s.file.LineStart(at.Line) + token.Pos(at.Col-1)
}

// outcome says how a condition that is evaluated at a site has turned out if its goroutine comes to another one next,
// in the same call: "true" or "false", or the case of a switch; "" if that is not known, or there is no condition.
func (s *conditions) outcome(at, then artifact.Site) string {
	from, to := s.pos(at), s.pos(then)
	if !from.IsValid() || !to.IsValid() {
		return ""
	}
	// The last one that has the site in its header is the innermost.
	for _, n := range slices.Backward(s.nodes) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Pos() <= from && from < n.Body.Pos() {
				return s.ofIf(n, to)
			}
		case *ast.ForStmt:
			if n.Pos() <= from && from < n.Body.Pos() && n.Cond != nil {
				return ofFor(n, to)
			}
		case *ast.SwitchStmt:
			if n.Pos() <= from && from < n.Body.Pos() {
				return s.ofSwitch(n, to)
			}
		}
	}
	return ""
}

// outcomeElsewhere is outcome where the goroutine comes next to where its function returns, or, if not same, to another
// function: it has not come to a statement in front of which it would have stopped. Of the first one in the body of the
// condition this says that the condition does not hold, of one behind a body that leaves the function that it does. Another
// function may be one that the condition itself calls, unless all that it calls is the operation of the site.
func (s *conditions) outcomeElsewhere(at artifact.Site, same bool, stops func(ast.Node) bool) string {
	from := s.pos(at)
	for _, n := range slices.Backward(s.nodes) {
		n, ok := n.(*ast.IfStmt)
		if !ok || !from.IsValid() || from < n.Pos() || from >= n.Body.Pos() {
			continue
		}
		if !same && !callsOnly(n, at) {
			return ""
		}
		next := s.next[n]
		switch {
		case len(n.Body.List) > 0 && stops(n.Body.List[0]):
			return truth(false)
		case n.Else == nil && next != nil && s.leaves(n.Body) > s.file.Pos(s.file.Size()) && stops(next):
			return truth(true)
		}
		return ""
	}
	return ""
}

// callsOnly reports whether what a condition calls, and the statement in front of it, is at most the operation of a site,
// or code that is not instrumented, neither of which is given a function to call.
func callsOnly(n *ast.IfStmt, at artifact.Site) bool {
	header := []ast.Node{n.Cond}
	if n.Init != nil {
		header = append(header, n.Init)
	}
	all := callsIn(header...)
	if len(all) == 0 {
		return true
	}
	operation := at.Kind == sites.Atomic.String() || orcruntime.IsCall(at.Key)
	return operation && len(all) == 1 && len(all[0].Args) == 0
}

func within(n ast.Node, p token.Pos) bool { return n.Pos() <= p && p < n.End() }

// truth is an outcome.
func truth(holds bool) string {
	if holds {
		return "true"
	}
	return "false"
}

func (s *conditions) ofIf(n *ast.IfStmt, to token.Pos) string {
	switch {
	case within(n.Body, to):
		return truth(true)
	case n.Else != nil && within(n.Else, to):
		return truth(false)
	case to < n.End(): // in the header, or in front
		return ""
	case to < s.leaves(n.Body):
		return truth(false)
	}
	if b, ok := n.Else.(*ast.BlockStmt); ok && to < s.leaves(b) {
		return truth(true)
	}
	return ""
}

// leaves is up to where a goroutine does not come that has done a block, since it ends with a jump or return: NoPos if it
// goes on behind it.
func (s *conditions) leaves(b *ast.BlockStmt) token.Pos {
	if len(b.List) == 0 {
		return token.NoPos
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return token.Pos(s.file.Base() + s.file.Size() + 1)
	case *ast.ExprStmt:
		if call, ok := last.X.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" {
				return token.Pos(s.file.Base() + s.file.Size() + 1)
			}
		}
	case *ast.BranchStmt:
		if last.Label == nil && (last.Tok == token.BREAK || last.Tok == token.CONTINUE) {
			for _, n := range slices.Backward(s.nodes) { // what is left, or goes on behind its end
				if _, ok := n.(*ast.IfStmt); !ok && within(n, b.Pos()) {
					return n.End()
				}
			}
		}
	}
	return token.NoPos
}

func ofFor(n *ast.ForStmt, to token.Pos) string {
	switch {
	case within(n.Body, to):
		return truth(true)
	case to < n.End():
		return ""
	}
	jumps := false
	ast.Inspect(n.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BranchStmt:
			jumps = jumps || n.Tok != token.CONTINUE || n.Label != nil
		case *ast.FuncLit:
			return false
		}
		return true
	})
	if jumps {
		return ""
	}
	return truth(false)
}

func (s *conditions) ofSwitch(n *ast.SwitchStmt, to token.Pos) string {
	for _, c := range n.Body.List {
		c, ok := c.(*ast.CaseClause)
		if !ok || to < c.Colon || to >= c.End() {
			continue
		}
		return strings.Join(strings.Fields(string(s.text[s.file.Offset(c.Pos()):s.file.Offset(c.Colon)])), " ")
	}
	return ""
}
