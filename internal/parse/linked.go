package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// A function without a body may be one of the Go runtime that is linked by its name. Those that read the clock or draw
// random numbers become functions of the runtime of runs; others that block, or wake somebody, are said to be outside.

// linked are such functions, with those of the runtime of runs, and how many results they have.
var linked = map[string]struct {
	function string
	results  int
}{
	"time.now":         {"LinkedNow", 3},
	"time.runtimeNano": {"LinkedNano", 1}, "time.runtimeNow": {"LinkedNow", 3},
	"runtime.nanotime": {"LinkedNano", 1}, "runtime.nanotime1": {"LinkedNano", 1}, "runtime.cputicks": {"LinkedNano", 1},

	"runtime.rand": {"LinkedRandom", 1}, "runtime.fastrand": {"LinkedRandom", 1}, "runtime.fastrand64": {"LinkedRandom", 1},
	"runtime.cheaprand": {"LinkedRandom", 1}, "runtime.cheaprand64": {"LinkedRandom", 1},
	"math/rand.runtime_rand": {"LinkedRandom", 1}, "math/rand/v2.runtime_rand": {"LinkedRandom", 1}, "math/rand.fastrand64": {"LinkedRandom", 1},
	"runtime.fastrandn": {"LinkedRandomN", 1}, "runtime.cheaprandn": {"LinkedRandomN", 1}, "runtime.randn": {"LinkedRandomN", 1},
}

// linkedOutside begin the names of functions of the Go runtime by which goroutines wait, or start.
var linkedOutside = []string{
	"runtime.gopark", "runtime.goready", "runtime.sema", "runtime.ready", "runtime.newproc", "runtime.notify", "runtime.note",
	"runtime.lock", "runtime.unlock", "runtime.chan", "runtime.select", "runtime.usleep", "runtime.mcall", "sync.runtime_Sem", "sync.runtime_notify",
	"sync.(*", "time.Sleep", "time.newTimer", "time.startTimer", "time.stopTimer", "time.resetTimer", "internal/poll.runtime_Sem", "net.runtime_",
}

// linknames are what a file links by name, with the directives.
func linknames(f *ast.File) map[string]*ast.Comment {
	var out map[string]*ast.Comment
	for _, g := range f.Comments {
		for _, c := range g.List {
			if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
				if out == nil {
					out = map[string]*ast.Comment{}
				}
				out[words[1]] = c
			}
		}
	}
	return out
}

// link gives a function without a body that of the runtime, if it is linked to one that the environment decides, and
// names those by which goroutines wait.
func (r *rewriter) link(fd *ast.FuncDecl) {
	directive := r.linknames[fd.Name.Name]
	f, ok := r.info.Defs[fd.Name].(*types.Func)
	if directive == nil || !ok || fd.Recv != nil {
		return
	}
	words := strings.Fields(directive.Text)
	if len(words) < 3 {
		return // others name it
	}
	target := words[2]
	for _, prefix := range linkedOutside {
		if strings.HasPrefix(target, prefix) {
			r.diag(fd.Pos(), "%s is %s of the Go runtime, linked by its name: what waits for each other by it is not under control", fd.Name.Name, target)
			return
		}
	}
	to, ok := linked[target]
	sig := f.Signature()
	if !ok {
		return
	}
	if sig.Results().Len() > to.results || sig.Results().Len() == 0 || !r.numbers(sig.Results()) || !r.numbers(sig.Params()) {
		r.diag(fd.Pos(), "%s is %s, linked by its name, with other types than that has: what it returns is not under control", fd.Name.Name, target)
		return
	}
	arg := ""
	if to.function == "LinkedRandomN" {
		if sig.Params().Len() != 1 || sig.Params().At(0).Name() == "" || sig.Params().At(0).Name() == "_" {
			r.diag(fd.Pos(), "%s is %s, linked by its name, and its parameter has no name: what it returns is not under control", fd.Name.Name, target)
			return
		}
		arg = "uint64(" + sig.Params().At(0).Name() + ")"
	}
	var names, values []string
	for i := range to.results {
		if i >= sig.Results().Len() {
			names = append(names, "_")
			continue
		}
		name := r.name()
		names = append(names, name)
		values = append(values, fmt.Sprintf("%s(%s)", sig.Results().At(i).Type(), name))
	}
	r.after(fd.End(), fmt.Sprintf(" { %s := %s.%s(%s); return %s }", strings.Join(names, ", "), r.zz, to.function, arg, strings.Join(values, ", ")))
	r.blank(directive)
	if fd.Doc != nil {
		for _, c := range fd.Doc.List {
			if c != directive && strings.HasPrefix(c.Text, "//go:") {
				r.blank(c) // it is for functions without a body
			}
		}
	}
}

// blank takes a directive away.
func (r *rewriter) blank(c *ast.Comment) {
	r.replace(r.file.Offset(c.Pos()), r.file.Offset(c.End()), "//")
}

// numbers reports whether all variables are of predeclared types of integers, which nothing hides.
func (r *rewriter) numbers(list *types.Tuple) bool {
	for v := range list.Variables() {
		b, ok := v.Type().(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 || r.shadowed[b.Name()] {
			return false
		}
	}
	return true
}
