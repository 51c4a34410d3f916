package sites

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A subtest that calls t.Parallel pauses there: t.Run returns, and the rest runs
// beside others once the function around has returned. So a call of t.Run is a
// site where its function may come to a call of t.Parallel, or to such a t.Run:
// it starts a goroutine then. Elsewhere it is a call.
//
// Whether a function may is read off the text: one may that calls t.Parallel, or
// mentions a function or contains a literal that may. A function that is only
// known as a value may if any does that could be it. Functions reached in other
// ways are missed: in these t.Parallel has no site.

const (
	testRun      = "(*testing.T).Run"
	testParallel = "(*testing.T).Parallel"
)

// body is what is known of a function of the program.
type body struct {
	pauses   bool // it may come to t.Parallel or to a t.Run that is a site
	unknown  bool // it calls t.Run with a function that is only known as a value
	subtest  bool // it can be that of a subtest
	mentions []*body
	runs     []subtestCall
}

// subtestCall is a call of t.Run.
type subtestCall struct {
	lparen token.Pos
	f      *body // nil if only known as a value
}

// bodies are the functions of a program.
type bodies struct {
	all      []*body
	declared map[*types.Func]*body
	literals map[*ast.FuncLit]*body
	methods  map[string][]*body // by name
}

// startingRuns finds the calls of t.Run that are sites, by their left parentheses.
func startingRuns(pkgs []Package) map[token.Pos]bool {
	if !imports(pkgs, "testing") {
		return nil
	}
	b := &bodies{declared: map[*types.Func]*body{}, literals: map[*ast.FuncLit]*body{}, methods: map[string][]*body{}}
	for _, p := range pkgs {
		b.declare(p)
	}
	for _, p := range pkgs {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				in := &body{}
				if fd, ok := d.(*ast.FuncDecl); ok {
					if f, ok := p.Info.Defs[fd.Name].(*types.Func); ok {
						in = b.declared[f]
					}
				} else {
					b.all = append(b.all, in)
				}
				b.read(p.Info, d, in)
			}
		}
	}
	b.spread()
	// Those that can be any function are known when all others are. More that pause
	// do not change whether any does.
	any := slices.ContainsFunc(b.all, func(f *body) bool { return f.subtest && f.pauses })
	if any {
		for _, f := range b.all {
			f.pauses = f.pauses || f.unknown
		}
		b.spread()
	}
	out := map[token.Pos]bool{}
	for _, f := range b.all {
		for _, r := range f.runs {
			if r.f == nil && any || r.f != nil && r.f.pauses {
				out[r.lparen] = true
			}
		}
	}
	return out
}

// imports reports whether a package is imported, perhaps by a package that is.
func imports(pkgs []Package, path string) bool {
	seen := map[*types.Package]bool{}
	var search func(p *types.Package) bool
	search = func(p *types.Package) bool {
		if p == nil || seen[p] {
			return false
		}
		seen[p] = true
		return p.Path() == path || slices.ContainsFunc(p.Imports(), search)
	}
	return slices.ContainsFunc(pkgs, func(p Package) bool { return search(p.Types) })
}

// declare makes the bodies of the functions of a package.
func (b *bodies) declare(p Package) {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			obj, ok := p.Info.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			// A test function is called by package testing, hardly as a subtest.
			test := fd.Recv == nil && strings.HasPrefix(obj.Name(), "Test")
			f := &body{subtest: !test && takesT(obj.Signature())}
			b.all = append(b.all, f)
			b.declared[obj] = f
			if fd.Recv != nil {
				b.methods[obj.Name()] = append(b.methods[obj.Name()], f)
			}
		}
	}
}

// takesT reports that a function is one of a subtest.
func takesT(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && sig.Results().Len() == 0 && isT(sig.Params().At(0).Type())
}

func isT(t types.Type) bool { return types.TypeString(types.Unalias(t), nil) == "*testing.T" }

// read finds what is below a node of a function.
func (b *bodies) read(info *types.Info, node ast.Node, in *body) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f := b.literal(info, n)
			in.mentions = append(in.mentions, f)
			b.read(info, n.Body, f)
			return false
		case *ast.CallExpr:
			obj, ok := callee(info, n.Fun).(*types.Func)
			if !ok {
				break
			}
			switch obj.FullName() {
			case testParallel:
				in.pauses = true
			case testRun:
				if len(n.Args) == 2 {
					r := subtestCall{n.Lparen, b.function(info, n.Args[1])}
					in.runs = append(in.runs, r)
					in.unknown = in.unknown || r.f == nil
				}
			}
		case *ast.Ident:
			f, ok := info.Uses[n].(*types.Func)
			if !ok {
				break
			}
			if m := b.declared[f.Origin()]; m != nil {
				in.mentions = append(in.mentions, m)
			} else if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				in.mentions = append(in.mentions, b.methods[f.Name()]...)
			}
		}
		return true
	})
}

// literal is the body of a function literal.
func (b *bodies) literal(info *types.Info, lit *ast.FuncLit) *body {
	f := b.literals[lit]
	if f == nil {
		f = &body{}
		if sig, ok := info.TypeOf(lit).(*types.Signature); ok {
			f.subtest = takesT(sig)
		}
		b.literals[lit] = f
		b.all = append(b.all, f)
	}
	return f
}

// function is the body of the function that an expression denotes, nil if that
// is only known at run time.
func (b *bodies) function(info *types.Info, e ast.Expr) *body {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return b.literal(info, lit)
	}
	if f, ok := callee(info, e).(*types.Func); ok {
		return b.declared[f.Origin()]
	}
	return nil
}

// spread makes those pause that mention one that does.
func (b *bodies) spread() {
	for changed := true; changed; {
		changed = false
		for _, f := range b.all {
			if f.pauses {
				continue
			}
			for _, g := range f.mentions {
				if g.pauses {
					f.pauses, changed = true, true
					break
				}
			}
		}
	}
}

// subtest returns the kind of operation of a call that is one only in some places:
// of t.Run where it starts a goroutine, and of t.Parallel in a program with such
// calls.
func (n *numberer) subtest(c *ast.CallExpr, obj types.Object) Kind {
	f, ok := obj.(*types.Func)
	if !ok || len(n.starting) == 0 {
		return Invalid
	}
	switch f.FullName() {
	case testRun:
		if n.starting[c.Lparen] {
			return Subtest
		}
	case testParallel:
		return Parallel
	}
	return Invalid
}
