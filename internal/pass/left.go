package pass

import (
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/left"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/sites"
)

// A goroutine that a test leaves behind is an error if nothing can ever wake it: a
// result that nobody takes, a lock that nobody gives back. A worker of a service that
// the test has started and not stopped is none: it waits for work, until the process
// ends. Package left tells them apart. What depends on the schedule is an error in any
// case: that a service is left running in some runs, and ends in others, is no intention.

// leftovers count what runs have left behind that ended otherwise well.
type leftovers struct {
	runs int
	by   map[string]int // by the function in which a goroutine was blocked
}

// add counts a way in which runs have ended.
func (l *leftovers) add(e orchestrate.End, funcOf func(string) string) {
	if e.Kind != "" && e.Kind != artifact.KindLeak {
		return
	}
	l.runs += e.Count
	in := map[string]bool{}
	if e.Kind == artifact.KindLeak {
		for _, at := range e.Plan.Expect.Goroutines {
			in[funcOf(at.Site)] = true
		}
	}
	if l.by == nil {
		l.by = map[string]int{}
	}
	for f := range in {
		l.by[f] += e.Count
	}
}

// always reports that no run has ended without a goroutine that was blocked in a
// function.
func (l *leftovers) always(function string) bool { return l.by[function] == l.runs }

// gradeLeak makes a note of a leak of the test that is a worker of a service.
func (d *deep) gradeLeak(f *artifact.Finding, v *orchestrate.Verdict) {
	if f.Verdict != artifact.Real || f.Kind != artifact.KindLeak || !d.target.IsTest() {
		return
	}
	if d.goleak == nil {
		d.goleak = goleakOf(d.program)
	}
	stuck := d.stuckAt(f, v)
	if len(stuck) == 0 {
		return
	}
	if !slices.ContainsFunc(stuck, func(g orchestrate.Goroutine) bool { return !d.goleak.ignores(g) }) {
		f.Verdict, f.Reason = artifact.Note, "the test has goleak ignore it"
		return
	}
	if d.goleak.asked {
		return
	}
	// Every goroutine there has to have a reason.
	reason := ""
	for _, g := range stuck {
		if reason = d.whyLeft(g, v); reason == "" {
			return
		}
	}
	f.Verdict, f.Reason = artifact.Note, reason+"; no run ends without it"
}

// whyLeft says why a goroutine is left that is no error, "" if it is one.
func (d *deep) whyLeft(g orchestrate.Goroutine, v *orchestrate.Verdict) string {
	p, err := d.leftProgram()
	if err != nil {
		return ""
	}
	at, ok := d.leftAt(g, v)
	if !ok {
		return ""
	}
	always := d.left.always(d.funcOf(g.Site))
	if of := p.Worker(at); of != "" && always {
		return fmt.Sprintf("a worker that waits for work, of a service that %s has and nothing has stopped", of)
	}
	if always && p.Watcher(at) {
		return "it waits for what the test does not expect"
	}
	switch d.kindOf(g.Site) {
	case sites.WaitGroupWait.String():
		if d.startedWorkers(p, g, v) {
			return "it waits for workers that it has started, of a service that nothing has stopped"
		}
		if of, group := p.Waits(at); of != "" && always && d.awaited(p, group, v) {
			return fmt.Sprintf("it waits for the workers of a service that %s has and nothing has stopped", of)
		}
		return ""
	case sites.Lock.String(), sites.RLock.String():
	default:
		return ""
	}
	// Who is in the function whose lock it waits for, and waits for work there.
	for _, h := range v.Goroutines {
		if h.G == g.G || h.State != artifact.StateBlocked || len(g.Stack) == 0 || !within(h.Stack, g.Stack[0]) {
			continue
		}
		if d.isWorker(p, h, v) {
			return "it waits for a lock that a worker has, of a service that nothing has stopped"
		}
	}
	return ""
}

// isWorker: a goroutine is a worker, and left in every run.
func (d *deep) isWorker(p *left.Program, g orchestrate.Goroutine, v *orchestrate.Verdict) bool {
	at, ok := d.leftAt(g, v)
	return ok && d.left.always(d.funcOf(g.Site)) && p.Worker(at) != ""
}

// startedWorkers: of the goroutines that one has started some are left, and all of these
// are workers.
func (d *deep) startedWorkers(p *left.Program, g orchestrate.Goroutine, v *orchestrate.Verdict) bool {
	n := 0
	for _, h := range v.Goroutines {
		if creator(h.G) != g.G || h.State == artifact.StateFinished {
			continue
		}
		if n++; h.State != artifact.StateBlocked || !d.isWorker(p, h, v) {
			return false
		}
	}
	return n > 0
}

// awaited: of the goroutines that are done with a wait group when they end some are left,
// and all of these are workers.
func (d *deep) awaited(p *left.Program, group *types.Var, v *orchestrate.Verdict) bool {
	n := 0
	for _, h := range v.Goroutines {
		at, ok := d.leftAt(h, v)
		if h.State == artifact.StateFinished || !ok || !p.IsOf(at, group) {
			continue
		}
		if n++; h.State != artifact.StateBlocked || !d.isWorker(p, h, v) {
			return false
		}
	}
	return n > 0
}

// within: a stack has the function of a frame, and is somewhere else in it.
func within(stack []string, frame string) bool {
	function, _, _ := strings.Cut(frame, " ")
	return slices.ContainsFunc(stack, func(f string) bool {
		name, _, _ := strings.Cut(f, " ")
		return name == function && f != frame
	})
}

// kindOf is the kind of a site.
func (d *deep) kindOf(key string) string {
	site, _ := d.siteOf(key)
	return site.Kind
}

// stuckAt are the goroutines that are blocked where a finding is, but for those of the
// process.
func (d *deep) stuckAt(f *artifact.Finding, v *orchestrate.Verdict) []orchestrate.Goroutine {
	var out []orchestrate.Goroutine
	for _, g := range v.Goroutines {
		site, ok := d.siteOf(g.Site)
		if ok && site.File == f.File && site.Line == f.Line && site.Col == f.Col && g.State == artifact.StateBlocked && !slices.Contains(v.Daemons, g.G) {
			out = append(out, g)
		}
	}
	return out
}

// leftAt is a goroutine with the stacks of those that have started it.
func (d *deep) leftAt(g orchestrate.Goroutine, v *orchestrate.Verdict) (left.Goroutine, bool) {
	site, ok := d.siteOf(g.Site)
	return left.Goroutine{Site: sites.ID(site.ID), Nil: g.OnNil(), Stack: g.Stack, Created: creators(g, v)}, ok
}

// creators are the stacks of who has started a goroutine, of who has started that one, and so on.
func creators(g orchestrate.Goroutine, v *orchestrate.Verdict) (stacks [][]string) {
	for path := g.G; path != ""; path = creator(path) {
		i := slices.IndexFunc(v.Goroutines, func(o orchestrate.Goroutine) bool { return o.G == path })
		if i < 0 || len(v.Goroutines[i].Created) == 0 {
			break
		}
		stacks = append(stacks, v.Goroutines[i].Created)
	}
	return stacks
}

// creator is the path of the goroutine that has started the one with a path.
func creator(path string) string {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)]
}

// leftProgram prepares the program for questions about what it leaves.
func (d *deep) leftProgram() (*left.Program, error) {
	if d.holders != nil {
		return d.holders, nil
	}
	functions, err := d.functions(context.Background()) // whether a leak is an error is not left open for want of time
	if err != nil {
		return nil, err
	}
	d.holders = left.New(functions, d.program.sites)
	return d.holders, nil
}

// functions prepares the program for questions about stacks of its runs. A check has made the SSA form before, as a rule.
func (d *deep) functions(ctx context.Context) (*frames.Program, error) {
	if d.frames == nil {
		if err := ctx.Err(); err != nil && d.program.prepared == nil {
			return nil, err
		}
		prepared, err := d.program.prepare(ctx, d.opts)
		if err != nil {
			return nil, err
		}
		d.frames = frames.New(d.program.source, prepared.SSA())
	}
	return d.frames, nil
}

// goleak is what a test asks of package go.uber.org/goleak, by the names of its
// functions: whether goroutines are left behind. Who asks wants to know of all of them,
// but for those that it names.
type goleak struct {
	asked bool
	top   []string // to be ignored if it is the innermost function
	any   []string // to be ignored if it is on the stack
}

// goleakOf looks at TestMain and at the entry function, or, of a test suite, at what is
// in their files.
func goleakOf(p *program) *goleak {
	out := &goleak{}
	pkg := p.source.Entry
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			fd, ok := decl.(*ast.FuncDecl)
			options := ok && fd.Body != nil && (fd.Name.Name == "TestMain" || fd == p.source.Decl)
			ast.Inspect(decl, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				var id *ast.Ident
				switch f := ast.Unparen(call.Fun).(type) {
				case *ast.SelectorExpr:
					id = f.Sel
				case *ast.Ident:
					id = f
				default:
					return true
				}
				f, ok := pkg.TypesInfo.Uses[id].(*types.Func)
				if !ok || f.Pkg() == nil || f.Pkg().Path() != "go.uber.org/goleak" {
					return true
				}
				switch f.Name() {
				case "VerifyTestMain", "VerifyNone", "Find":
					out.asked = out.asked || options
				case "IgnoreTopFunction":
					out.top = append(out.top, stringOf(pkg.TypesInfo, call)...)
				case "IgnoreAnyFunction":
					out.any = append(out.any, stringOf(pkg.TypesInfo, call)...)
				}
				return true
			})
		}
	}
	return out
}

// stringOf is the constant string that a function is called with.
func stringOf(info *types.Info, call *ast.CallExpr) []string {
	if len(call.Args) == 1 {
		if v := info.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
			return []string{constant.StringVal(v)}
		}
	}
	return nil
}

// ignores reports whether goleak is told to ignore a goroutine.
func (l *goleak) ignores(g orchestrate.Goroutine) bool {
	for i, frame := range g.Stack {
		name, _, _ := strings.Cut(frame, " ")
		if i == 0 && slices.Contains(l.top, name) || slices.Contains(l.any, name) {
			return true
		}
	}
	return false
}
