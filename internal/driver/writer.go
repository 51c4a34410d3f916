package driver

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// writer writes one driver of a function.
type writer struct {
	f    *finder
	file *file
	fn   *types.Func

	vector       []int // what choices take, in their order: the first value where there is none
	asked        int
	taken        []int // by choices so far
	repeat       []int // what the next choices take that are made again, for another element
	alternatives []int // how many values each choice has
	values       []Value

	param     *ssa.Parameter // whose value is being made
	paramName string         // how valuations call it

	making  map[*types.Func]bool // constructors that are being called
	names   map[string]bool      // of variables
	imports map[string]bool      // paths
	called  []*types.Func        // functions of the packages, besides the one that the driver is for
	how     string               // it calls the function: see howCalled
	beside  *types.Func          // that it calls at the same time
	stubs   []string             // types that stand for an interface
	drains  bool                 // it calls vtraceDrain
	again   bool                 // it calls vtraceAgain
	// zeroReceiver: the receiver is the zero value of its type.
	zeroReceiver bool

	setup strings.Builder
	late  []string // what is done when nothing else can happen any more, or behind the call
	ends  []string // what is done behind the call
	body  strings.Builder
}

func newWriter(f *finder, file *file, fn *types.Func, vector []int) *writer {
	return &writer{f: f, file: file, fn: fn, vector: vector, making: map[*types.Func]bool{}, names: map[string]bool{"t": true}, imports: map[string]bool{}}
}

// choose takes one of several ways for something, and notes it. One of which there is only one is no choice.
func (w *writer) choose(name string, ways ...string) int {
	if len(ways) < 2 {
		return 0
	}
	if len(w.repeat) > 0 {
		n := w.repeat[0]
		w.repeat = w.repeat[1:]
		return n
	}
	n := 0
	if w.asked < len(w.vector) {
		n = w.vector[w.asked]
	}
	w.asked++
	n = min(n, len(ways)-1)
	w.taken, w.alternatives = append(w.taken, n), append(w.alternatives, len(ways))
	v := Value{Name: name, Text: ways[n]}
	if name == w.paramName {
		v.param = w.param
	}
	w.values = append(w.values, v)
	return n
}

// fresh is a name for a variable that nothing in the package has.
func (w *writer) fresh(name string) string {
	free := name
	taken := func() bool {
		return w.names[free] || w.file.pkg.Scope().Lookup(free) != nil || w.file.names[free] || token.IsKeyword(free) || types.Universe.Lookup(free) != nil
	}
	for n := 2; taken(); n++ {
		free = fmt.Sprintf("%s%d", name, n)
	}
	w.names[free] = true
	return free
}

// importName is the name of an imported package.
func (w *writer) importName(path string) string {
	w.imports[path] = true
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, p := range w.f.prog.AllPackages() {
		if p.Pkg.Path() == path {
			name = p.Pkg.Name()
		}
	}
	return w.file.importName(path, name)
}

// typeName is a type as the package writes it.
func (w *writer) typeName(t types.Type) (string, error) {
	var hidden string
	name := types.TypeString(t, func(p *types.Package) string {
		if p == w.file.pkg {
			return ""
		}
		return w.importName(p.Path())
	})
	seen := map[types.Type]bool{}
	var visit func(types.Type)
	visit = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			if o := t.Obj(); o.Pkg() != nil && o.Pkg() != w.file.pkg && !o.Exported() {
				hidden = o.Name()
			}
			if o := t.Obj(); o.Parent() != nil && o.Pkg() != nil && o.Parent() != o.Pkg().Scope() && o.Parent() != types.Universe {
				hidden = o.Name()
			}
			for i := range t.TypeArgs().Len() {
				visit(t.TypeArgs().At(i))
			}
		case *types.Alias:
			visit(types.Unalias(t))
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Signature:
			for v := range t.Params().Variables() {
				visit(v.Type())
			}
			for v := range t.Results().Variables() {
				visit(v.Type())
			}
		}
	}
	visit(t)
	if hidden != "" {
		return "", fmt.Errorf("it needs a value of type %s, which has no name there", hidden)
	}
	return name, nil
}

// shown is a type for people.
func (w *writer) shown(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(w.file.pkg))
}

// arguments makes the arguments of a call.
func (w *writer) arguments(fn *types.Func, sig *types.Signature, label func(string) string, depth int) ([]string, error) {
	s := w.f.prog.FuncValue(fn)
	skip := 0
	if fn.Signature().Recv() != nil {
		skip = 1
	}
	var out []string
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("argument %d", i+1)
		}
		variadic := sig.Variadic() && i == sig.Params().Len()-1
		if variadic && depth > 0 {
			break // options of a constructor: none
		}
		as := want{name: label(name), matters: w.f.matters.parameter(s, i+skip), canNil: w.f.matters.nilParameter(s, i+skip), elements: w.f.matters.elementsOf(s, i+skip), nilElements: w.f.matters.nilElementsOf(s, i+skip), depth: depth}
		if pointsTo(p.Type(), "sync", "WaitGroup") || pointsTo(p.Type(), "sync", "Cond") {
			return nil, fmt.Errorf("works on a %s that its callers give it, and is checked with them", w.shown(p.Type()))
		}
		outer, outerName := w.param, w.paramName
		if s != nil && i+skip < len(s.Params) {
			w.param, w.paramName = s.Params[i+skip], as.name
		}
		text, err := w.value(p.Type(), as)
		w.param, w.paramName = outer, outerName
		if err != nil {
			return nil, err
		}
		if variadic {
			text += "..."
		}
		out = append(out, text)
	}
	return out, nil
}

func pointsTo(t types.Type, pkg, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n := namedOf(p)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// instance chooses type arguments.
func (w *writer) instance(params *types.TypeParamList) (args []types.Type, err error) {
	for i := range params.Len() {
		constraint, _ := params.At(i).Constraint().Underlying().(*types.Interface)
		found := types.Type(nil)
		for _, t := range []types.Type{types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Float64]} {
			if types.Satisfies(t, constraint) {
				found = t
				break
			}
		}
		if found == nil {
			return nil, fmt.Errorf("no type is made for its type parameter %s", params.At(i).Obj().Name())
		}
		args = append(args, found)
	}
	return args, nil
}

// write writes the driver.
func (w *writer) write() error {
	sig := w.fn.Signature()
	call, receiver := w.fn.Name(), ""
	w.how = once
	if recv := sig.Recv(); recv != nil {
		t := recv.Type()
		n := namedOf(t)
		if n == nil {
			return errors.New("its receiver has no defined type")
		}
		if n.TypeParams().Len() > 0 {
			args, err := w.instance(n.TypeParams())
			if err != nil {
				return err
			}
			inst, err := types.Instantiate(nil, n.Origin(), args, true)
			if err != nil {
				return err
			}
			n = inst.(*types.Named)
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, w.file.pkg, w.fn.Name())
			m, ok := obj.(*types.Func)
			if !ok {
				return fmt.Errorf("%s has no such method", w.shown(n))
			}
			sig = m.Signature()
			if _, ok := types.Unalias(t).(*types.Pointer); ok {
				t = types.NewPointer(n)
			} else {
				t = n
			}
		}
		text, err := w.receiver(t, n)
		if err != nil {
			return err
		}
		receiver = text
		call = text + "." + call
		// Who calls a method that is not exported, or one of an internal package, may hold a lock.
		private := !w.f.isExported(w.fn) || isInternal(n.Obj().Pkg()) && w.f.isCalled(w.f.prog.FuncValue(w.fn))
		if isShared(n) && !private && !w.f.ends(w.fn) && !isStop(w.fn) {
			ways := []string{once, twice}
			if r := sig.Results(); r.Len() > 0 && isError(r.At(r.Len()-1).Type()) {
				ways = append(ways, afterError)
			}
			others := w.f.beside(n, w.fn)
			for _, m := range others {
				ways = append(ways, "while "+m.Name()+" is")
			}
			i := w.choose(howCalled, ways...)
			w.how = ways[i]
			if i -= len(ways) - len(others); i >= 0 {
				w.beside = others[i]
			}
		}
	} else if sig.TypeParams().Len() > 0 {
		args, err := w.instance(sig.TypeParams())
		if err != nil {
			return err
		}
		inst, err := types.Instantiate(nil, sig, args, true)
		if err != nil {
			return err
		}
		sig = inst.(*types.Signature)
		var list []string
		for _, a := range args {
			list = append(list, w.shown(a))
		}
		call += "[" + strings.Join(list, ", ") + "]"
	}
	args, err := w.arguments(w.fn, sig, func(p string) string { return p }, 0)
	if err != nil {
		return err
	}
	if receiver != "" && len(w.late) == 0 {
		if wait := w.f.waitOf(w.fn); wait != nil && !slices.Contains(w.called, wait) {
			w.ends = append(w.ends, w.stopCall(receiver, wait))
		}
	}
	other := ""
	if w.beside != nil {
		if other, err = w.other(receiver, sig.Recv().Type(), w.beside); err != nil {
			return err
		}
	}
	w.after(fmt.Sprintf("%s(%s)", call, strings.Join(args, ", ")), sig, other)
	return nil
}

// isInternal reports whether only packages of the same module can import one.
func isInternal(p *types.Package) bool {
	return slices.Contains(strings.Split(p.Path(), "/"), "internal")
}

// other is the call of another method of a receiver, with what its caller does with the results.
func (w *writer) other(receiver string, t types.Type, fn *types.Func) (string, error) {
	obj, _, _ := types.LookupFieldOrMethod(t, true, w.file.pkg, fn.Name())
	m, ok := obj.(*types.Func)
	if !ok {
		return "", fmt.Errorf("%s has no method %s", w.shown(t), fn.Name())
	}
	sig := m.Signature()
	args, err := w.arguments(fn, sig, func(p string) string { return fn.Name() + "." + p }, 0)
	if err != nil {
		return "", err
	}
	return w.results(fmt.Sprintf("%s.%s(%s)", receiver, fn.Name(), strings.Join(args, ", ")), sig, false), nil
}

// receiver makes what a method is called on, as a variable.
func (w *writer) receiver(t types.Type, n *types.Named) (string, error) {
	as := want{name: lower(n.Obj().Name()), receiver: true}
	if _, ok := n.Underlying().(*types.Interface); ok {
		return "", errors.New("it is a method of an interface")
	}
	if w.constructor(n) == nil && w.f.own[n.Obj().Pkg()] {
		if !n.Obj().Exported() {
			return "", errors.New("its receiver is made by other functions, and it is checked with them")
		}
		w.zeroReceiver = true
	}
	text, err := w.value(t, as)
	if err != nil {
		return "", err
	}
	_, isStruct := n.Underlying().(*types.Struct)
	_, isPointer := types.Unalias(t).(*types.Pointer)
	if token.IsIdentifier(text) && (isStruct || isPointer) {
		return text, nil
	}
	name := w.fresh(lower(n.Obj().Name()))
	if isStruct || isPointer {
		fmt.Fprintf(&w.setup, "%s := %s\n", name, text)
	} else {
		of, err := w.typeName(t)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&w.setup, "var %s %s = %s\n", name, of, text)
	}
	w.stops(name, w.stopOf(t))
	return name, nil
}

// stops has a value stopped: late, or only behind the call if the function itself sends on a channel that stopping
// closes, or stops the value.
func (w *writer) stops(name string, stop *types.Func) {
	switch {
	case stop == nil || stop == w.fn || stop == w.fn.Origin():
	case w.fn.Signature().Recv() != nil && w.f.ends(w.fn): // it has stopped it
	case w.f.sendsOnClosed(w.fn, stop):
		w.ends = append(w.ends, w.stopCall(name, stop))
	default:
		w.late = append(w.late, w.stopCall(name, stop))
	}
}

// after writes the call, with what its caller does with the results, what is called at the same time, and what comes behind.
func (w *writer) after(call string, sig *types.Signature, other string) {
	uses := w.results(call, sig, w.how == afterError)
	var late string
	if len(w.late) > 0 {
		late = w.fresh("late")
		all := slices.Clone(w.late)
		slices.Reverse(all)
		if len(all) == 1 {
			fmt.Fprintf(&w.body, "%s := %s.AfterFunc(%s, func() { %s })\n", late, w.importName("time"), lateText(w.importName("time")), all[0])
		} else {
			fmt.Fprintf(&w.body, "%s := %s.AfterFunc(%s, func() {\n%s\n})\n", late, w.importName("time"), lateText(w.importName("time")), strings.Join(all, "\n"))
		}
	}
	switch {
	case other != "":
		one, group := w.fresh("other"), w.fresh("calls")
		if strings.Contains(uses, "return\n") {
			uses = fmt.Sprintf("func() {\n%s}()\n", uses)
		}
		fmt.Fprintf(&w.body, "%s := func() {\n%s}\nvar %s %s.WaitGroup\n%s.Go(%s)\n%s%s.Wait()\n", one, other, group, w.importName("sync"), group, one, uses, group)
	case w.how == afterError:
		w.again = true
		one := w.fresh("call")
		fmt.Fprintf(&w.body, "%s := func() error {\n%sreturn nil\n}\nif %s() != nil {\nvtraceAgain(%s)\n}\n", one, uses, one, one)
	case w.how != twice && strings.Contains(uses, "return\n"):
		fmt.Fprintf(&w.body, "func() {\n%s}()\n", uses)
	case w.how != twice:
		w.body.WriteString(uses)
	default:
		one, group := w.fresh("call"), w.fresh("calls")
		fmt.Fprintf(&w.body, "%s := func() {\n%s}\nvar %s %s.WaitGroup\n%s.Go(%s)\n%s()\n%s.Wait()\n", one, uses, group, w.importName("sync"), group, one, one, group)
	}
	if late != "" {
		all := slices.Clone(w.late)
		slices.Reverse(all)
		fmt.Fprintf(&w.body, "if %s.Stop() {\n%s\n}\n", late, strings.Join(all, "\n"))
	}
	for _, e := range slices.Backward(w.ends) {
		w.body.WriteString(e + "\n")
	}
}

// results is a call with what a caller does with its results: it reads channels, calls functions, and stops what can
// be stopped. After an error it returns, and returns that if it tells.
func (w *writer) results(call string, sig *types.Signature, tells bool) string {
	r := sig.Results()
	names := make([]string, r.Len())
	var uses strings.Builder
	var last []string
	for i := range r.Len() {
		t := r.At(i).Type()
		names[i] = "_"
		name := func(base string) string {
			names[i] = w.fresh(base)
			return names[i]
		}
		switch u := t.Underlying().(type) {
		case *types.Chan:
			if u.Dir() == types.SendOnly {
				continue
			}
			if len(w.late)+len(w.ends) > 0 && w.choose("results", "are read to the end", "are left unread") == 1 {
				// Who asks for the end need not read on.
				if uses.Len() == 0 {
					fmt.Fprintf(&uses, "%s.Sleep(%s)\n", w.importName("time"), lateText(w.importName("time")))
				}
				continue
			}
			w.drains = true
			fmt.Fprintf(&uses, "vtraceDrain(%s)\n", name("results"))
		case *types.Signature:
			if u.Params().Len() == 0 {
				last = append(last, name("stop")+"()")
			}
		default:
			if stop := w.stopOf(t); stop != nil && stop != w.fn {
				v := name(lower(namedOf(t).Obj().Name()))
				text := w.stopCall(v, stop)
				if nilable(t) {
					text = fmt.Sprintf("if %s != nil {\n%s\n}", v, text)
				}
				last = append(last, text)
			}
		}
	}
	if uses.Len() == 0 && len(last) == 0 && !tells {
		return call + "\n"
	}
	failed := ""
	if n := r.Len(); isError(r.At(n - 1).Type()) {
		names[n-1] = w.fresh("err")
		with := ""
		if tells {
			with = " " + names[n-1]
		}
		failed = fmt.Sprintf("if %s != nil {\nreturn%s\n}\n", names[n-1], with)
	}
	assign := ":="
	if !slices.ContainsFunc(names, func(n string) bool { return n != "_" }) {
		assign = "="
	}
	text := fmt.Sprintf("%s %s %s\n%s%s", strings.Join(names, ", "), assign, call, failed, uses.String())
	if len(last) > 0 {
		text += strings.Join(last, "\n") + "\n"
	}
	return text
}

// function is the driver as the text of a test.
func (w *writer) function(name string) string {
	doc := w.fn.Name()
	if v := (Valuation{Values: w.values}).String(); v != "" {
		doc += " with " + v
	}
	return fmt.Sprintf("// %s calls %s.\nfunc %s(t *%s.T) {\n%s%s}\n", name, doc, name, w.file.importName("testing", "testing"), w.setup.String(), w.body.String())
}
