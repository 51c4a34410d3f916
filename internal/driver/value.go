package driver

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"
)

// deepest is how many values within values are made: what lies deeper is zero.
const deepest = 4

// ready are values of types of libraries whose zero value is of no use, by type: an expression, in which
// $PATH$ stands for the name of an imported package.
var ready = map[string]string{
	"*log.Logger":      "$log$.New($io$.Discard, \"\", 0)",
	"*log/slog.Logger": "$log/slog$.New($log/slog$.DiscardHandler)",
	"*math/rand.Rand":  "$math/rand$.New($math/rand$.NewSource(1))",
	"*time.Location":   "$time$.UTC",
	"io.Reader":        "$strings$.NewReader(\"a\")",
	"io.Writer":        "$io$.Discard",
	"sync.Locker":      "new($sync$.Mutex)",
	"testing.TB":       "t",
	"*testing.T":       "t",
	"time.Time":        "$time$.Now()",
}

// want says what is known of a value that is to be made.
type want struct {
	name    string // how the valuation calls it
	matters bool   // it decides what the code does with concurrency
	canNil  bool   // the code asks whether it is nil
	// elements: what is in it matters, not only how much.
	elements    bool
	receiver    bool // of the method
	nilElements bool // the code asks whether something in it is nil
	depth       int
}

func (w want) part(name string) want {
	return want{name: w.name + name, matters: w.matters, depth: w.depth + 1}
}

// value makes a value of a type: an expression, behind statements of the driver if it needs some.
func (w *writer) value(t types.Type, as want) (string, error) {
	if text, ok := ready[types.TypeString(t, nil)]; ok {
		return w.expand(text), nil
	}
	if types.TypeString(t, nil) == "context.Context" {
		return w.context(as), nil
	}
	if isError(t) {
		return w.failure(as), nil
	}
	if as.canNil && nilable(t) && w.choose(as.name, "is set", "nil") == 1 {
		return "nil", nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return w.basic(t, u, as)
	case *types.Slice:
		return w.slice(t, u.Elem(), as)
	case *types.Map:
		return w.mapOf(t, u, as)
	case *types.Array:
		return w.zero(t)
	case *types.Chan:
		return w.channel(u, as)
	case *types.Signature:
		text, err := w.funcOf(u, as)
		if n, ok := types.Unalias(t).(*types.Named); ok && err == nil { // it may have methods
			var name string
			name, err = w.typeName(n)
			text = name + "(" + text + ")"
		}
		return text, err
	case *types.Interface:
		return w.interfaceOf(t, u, as)
	case *types.Pointer:
		if n := namedOf(t); n != nil {
			return w.made(t, n, as)
		}
		name, err := w.typeName(u.Elem())
		return "new(" + name + ")", err
	case *types.Struct:
		if n := namedOf(t); n != nil {
			return w.made(t, n, as)
		}
		return w.literal(t, u, as)
	}
	return "", fmt.Errorf("%s has type %s, of which no value is made", as.name, w.shown(t))
}

// expand writes the names of packages into an expression.
func (w *writer) expand(text string) string {
	parts := strings.Split(text, "$")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = w.importName(parts[i])
	}
	return strings.Join(parts, "")
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Pointer:
		return true
	}
	return false
}

// converted is a constant as a value of a type, where the type does not follow from where it stands.
func (w *writer) converted(t types.Type, text string) (string, error) {
	b, ok := types.Unalias(t).(*types.Basic)
	if ok && (b.Kind() == types.Int || b.Kind() == types.String || b.Kind() == types.Bool || b.Kind() == types.Float64) {
		return text, nil
	}
	name, err := w.typeName(t)
	return name + "(" + text + ")", err
}

func (w *writer) basic(t types.Type, u *types.Basic, as want) (string, error) {
	values := []string{}
	switch info := u.Info(); {
	case types.TypeString(t, nil) == "time.Duration":
		time := w.importName("time")
		values = []string{time + ".Second", "0"}
		if !as.matters {
			values = values[:1]
		}
		return values[w.choose(as.name, []string{"= 1s", "= 0"}[:len(values)]...)], nil
	case info&types.IsBoolean != 0:
		values = []string{"false", "true"}
	case info&types.IsInteger != 0:
		for _, n := range w.f.opts.Numbers {
			if n >= 0 || info&types.IsUnsigned == 0 {
				values = append(values, strconv.Itoa(n))
			}
		}
		if !as.matters {
			values = []string{"1"}
		}
	case info&types.IsFloat != 0:
		values = []string{"1", "0"}
	case info&types.IsString != 0:
		values = []string{`"a"`, `""`}
	default:
		return w.zero(t)
	}
	text := values[0]
	if as.matters {
		text = values[w.choose(as.name, values...)]
	}
	return w.converted(t, text)
}

// failure is an error.
func (w *writer) failure(as want) string {
	if w.choose(as.name, "nil", "is an error") == 0 {
		return "nil"
	}
	return w.expand(`$errors$.New("error")`)
}

// context is one that is cancelled when nothing else can happen any more, or at any moment.
func (w *writer) context(as want) string {
	name, cancel := w.fresh("ctx"), w.fresh("cancel")
	fmt.Fprintf(&w.setup, "%s, %s := %s.WithCancel(%s.Background())\n", name, cancel, w.importName("context"), w.importName("context"))
	switch w.choose(as.name, isCancelled+"late", isCancelled+"at some moment", isCancelled+behindCall) {
	case 1:
		fmt.Fprintf(&w.setup, "go %s()\n", cancel)
		w.ends = append(w.ends, cancel+"()")
		return name
	case 2:
		w.ends = append(w.ends, cancel+"()")
		return name
	}
	w.late = append(w.late, cancel+"()")
	return name
}

// length chooses how many elements there are.
func (w *writer) length(as want) int {
	if !as.matters {
		return 1
	}
	var texts []string
	var numbers []int
	for _, n := range w.f.opts.Numbers {
		if n >= 0 {
			numbers, texts = append(numbers, n), append(texts, strconv.Itoa(n))
		}
	}
	if len(numbers) == 0 {
		return 1
	}
	return numbers[w.choose("len("+as.name+")", texts...)]
}

func (w *writer) slice(t, elem types.Type, as want) (string, error) {
	n := w.length(as)
	name, err := w.typeName(t)
	if err != nil || n == 0 {
		return name + "{}", err
	}
	elements, err := w.elements(elem, n, as)
	if err != nil {
		return "", err
	}
	return name + "{" + strings.Join(elements, ", ") + "}", nil
}

// elements are n values, different ones where that is simple, made in one way otherwise.
func (w *writer) elements(t types.Type, n int, as want) ([]string, error) {
	var out []string
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsInteger|types.IsString) != 0 {
		from := 1
		if as.elements && w.choose(as.name, "holds ordinary values", "begins with an odd one") == 1 {
			from = 0
			if b.Info()&types.IsUnsigned == 0 {
				from = -1
			}
		}
		for i := range n {
			text := strconv.Itoa(i + from)
			if b.Info()&types.IsString != 0 {
				text = strconv.Quote(strings.Repeat(string(rune('a'+i%26)), min(1, i+max(from, 0))))
			}
			text, err := w.converted(t, text)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
		return out, nil
	}
	part := as.part(" element")
	part.matters = false
	if as.depth >= deepest {
		text, err := w.zero(t)
		return slices.Repeat([]string{text}, n), err
	}
	if as.nilElements && nilable(t) && w.choose(as.name+" element", "is set", "is nil at first") == 1 {
		out = append(out, "nil")
		if n--; n == 0 {
			return out, nil
		}
	}
	first := w.asked
	text, err := w.value(t, part)
	if err != nil {
		return nil, err
	}
	out = append(out, text)
	// The others are made by the same choices.
	again := slices.Clone(w.taken[first:])
	if len(again) > 0 && n > 1 && w.values[len(w.values)-1].Text == failing && w.choose(as.name+" others", failing, "return") == 1 {
		again[len(again)-1] = 0
	}
	for range n - 1 {
		w.repeat = append(slices.Clone(again), w.repeat...)
		text, err := w.value(t, part)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func (w *writer) mapOf(t types.Type, u *types.Map, as want) (string, error) {
	name, err := w.typeName(t)
	if err != nil {
		return "", err
	}
	b, ok := u.Key().Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsString) == 0 {
		return name + "{}", nil
	}
	n := w.length(as)
	if n == 0 {
		return name + "{}", nil
	}
	keys, err := w.elements(u.Key(), n, as.part(" key"))
	if err != nil {
		return "", err
	}
	elements, err := w.elements(u.Elem(), n, as)
	if err != nil {
		return "", err
	}
	for i := range keys {
		keys[i] += ": " + elements[i]
	}
	return name + "{" + strings.Join(keys, ", ") + "}", nil
}

// room is the capacity of channels that are given to a function to send on: that of a reader who takes
// everything at once.
const room = 16

// channel is a channel that a caller gives to a function. One to receive from has some values and is closed behind
// them, or is closed at some moment if it says only that; one to send on takes all that comes.
func (w *writer) channel(u *types.Chan, as want) (string, error) {
	elem, err := w.typeName(u.Elem())
	if err != nil {
		return "", err
	}
	name := w.fresh(lastPart(as.name, "c"))
	if u.Dir() == types.SendOnly || u.Dir() == types.SendRecv && w.sendsOn(as) {
		fmt.Fprintf(&w.setup, "%s := make(chan %s, %d)\n", name, elem, room)
		return name, nil
	}
	if st, ok := u.Elem().Underlying().(*types.Struct); ok && st.NumFields() == 0 {
		fmt.Fprintf(&w.setup, "%s := make(chan %s)\n", name, elem)
		if w.choose(as.name, "is closed late", "is closed at some moment") == 1 {
			fmt.Fprintf(&w.setup, "go close(%s)\n", name)
		} else {
			w.late = append(w.late, "close("+name+")")
		}
		return name, nil
	}
	as.matters = true
	n := w.length(want{name: as.name, matters: true, depth: as.depth})
	fmt.Fprintf(&w.setup, "%s := make(chan %s, %d)\n", name, elem, n)
	if n > 0 {
		part := as.part(" element")
		values, err := w.elements(u.Elem(), n, want{name: part.name, depth: part.depth})
		if err != nil {
			return "", err
		}
		for _, v := range values {
			if v != "nil" || isError(u.Elem()) { // who receives it expects a value
				fmt.Fprintf(&w.setup, "%s <- %s\n", name, v)
			}
		}
	}
	if !as.receiver {
		fmt.Fprintf(&w.setup, "close(%s)\n", name)
	}
	return name, nil
}

// sendsOn: the function sends on a parameter, or closes it.
func (w *writer) sendsOn(as want) bool {
	f := w.f.prog.FuncValue(w.fn)
	if f == nil {
		return false
	}
	sends := false
	var visit func(*ssa.Function)
	is := func(v ssa.Value) bool {
		for {
			switch x := v.(type) {
			case *ssa.UnOp:
				v = x.X
				continue
			case *ssa.ChangeType:
				v = x.X
				continue
			}
			break
		}
		return v.Name() == as.name || strings.HasSuffix(as.name, "."+v.Name())
	}
	visit = func(f *ssa.Function) {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				switch s := instr.(type) {
				case *ssa.Send:
					sends = sends || is(s.Chan)
				case *ssa.Select:
					for _, st := range s.States {
						sends = sends || st.Dir == types.SendOnly && is(st.Chan)
					}
				case ssa.CallInstruction:
					if b, ok := s.Common().Value.(*ssa.Builtin); ok && b.Name() == "close" {
						sends = sends || is(s.Common().Args[0])
					}
				}
			}
		}
		for _, in := range f.AnonFuncs {
			visit(in)
		}
	}
	visit(f)
	return sends
}

// failing is what a function does that is to fail.
const failing = "returns an error"

// funcOf is a function that does nothing, fails, or waits for the end of its context.
func (w *writer) funcOf(sig *types.Signature, as want) (string, error) {
	ways := []string{"returns"}
	fails := sig.Results().Len() > 0 && isError(sig.Results().At(sig.Results().Len()-1).Type())
	ctx := -1
	for i := range sig.Params().Len() {
		if types.TypeString(sig.Params().At(i).Type(), nil) == "context.Context" {
			ctx = i
		}
	}
	if fails {
		ways = append(ways, failing)
	}
	if ctx >= 0 {
		ways = append(ways, "waits for its context")
	}
	truth := sig.Results().Len() > 0 && types.Identical(sig.Results().At(sig.Results().Len()-1).Type(), types.Typ[types.Bool])
	if truth {
		ways = []string{"returns false", "returns true"}
	}
	way := ways[w.choose(as.name, ways...)]
	var params, results, values []string
	for i := range sig.Params().Len() {
		t, err := w.typeName(sig.Params().At(i).Type())
		if err != nil {
			return "", err
		}
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		if way == "waits for its context" {
			name := "_"
			if i == ctx {
				name = "ctx"
			}
			t = name + " " + t
		}
		params = append(params, t)
	}
	for i := range sig.Results().Len() {
		r := sig.Results().At(i).Type()
		t, err := w.typeName(r)
		if err != nil {
			return "", err
		}
		value := ""
		switch last := i == sig.Results().Len()-1; {
		case last && way == failing:
			value = w.expand(`$errors$.New("error")`)
		case last && way == "waits for its context" && fails:
			value = "ctx.Err()"
		case last && truth:
			value = strconv.FormatBool(way == "returns true")
		default:
			if value, err = w.quiet(r, as); err != nil {
				return "", err
			}
		}
		results, values = append(results, t), append(values, value)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "func(%s)", strings.Join(params, ", "))
	switch len(results) {
	case 0:
	case 1:
		out.WriteString(" " + results[0])
	default:
		fmt.Fprintf(&out, " (%s)", strings.Join(results, ", "))
	}
	var body []string
	if way == "waits for its context" {
		body = append(body, "<-ctx.Done()")
	}
	if len(values) > 0 {
		body = append(body, "return "+strings.Join(values, ", "))
	}
	fmt.Fprintf(&out, " { %s }", strings.Join(body, "; "))
	return out.String(), nil
}

// quiet is a value that is made without a choice and without statements: what a function of the driver returns.
func (w *writer) quiet(t types.Type, as want) (string, error) {
	if isError(t) {
		return "nil", nil
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		name, err := w.typeName(t)
		return name + "{}", err
	case *types.Pointer:
		name, err := w.typeName(u.Elem())
		return "new(" + name + ")", err
	case *types.Chan: // nothing comes on it, or it takes what comes
		elem, err := w.typeName(u.Elem())
		if err != nil {
			return "", err
		}
		of, err := w.typeName(t)
		if u.Dir() == types.RecvOnly {
			return fmt.Sprintf("func() %s { c := make(chan %s); close(c); return c }()", of, elem), err
		}
		return fmt.Sprintf("make(chan %s, %d)", elem, room), err
	case *types.Signature:
		if u.Results().Len() == 0 {
			return w.funcOf(u, as)
		}
	}
	if text, ok := ready[types.TypeString(t, nil)]; ok {
		return w.expand(text), nil
	}
	return w.zero(t)
}

// zero is the zero value of a type.
func (w *writer) zero(t types.Type) (string, error) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return "false", nil
		case info&types.IsNumeric != 0:
			return "0", nil
		case info&types.IsString != 0:
			return `""`, nil
		}
		return "nil", nil
	case *types.Struct, *types.Array:
		name, err := w.typeName(t)
		return name + "{}", err
	}
	return "nil", nil
}

// interfaceOf is the program's own implementation of an interface, or one that does nothing.
func (w *writer) interfaceOf(t types.Type, u *types.Interface, as want) (string, error) {
	if u.NumMethods() == 0 {
		return "1", nil
	}
	if as.depth < deepest {
		if text, err := w.implementation(u, as); err == nil && text != "" && text != "nil" {
			return text, nil
		}
	}
	return w.stub(t, u, as)
}

// implementation is a value of the first type of the package that implements an interface, "" if none does.
func (w *writer) implementation(u *types.Interface, as want) (string, error) {
	type in struct {
		*file
		*types.Interface
	}
	found := remember(w.f, in{w.file, u}, func() *types.TypeName {
		return w.file.implementation(u, func(n *types.Named) bool { return !isOpaque(n) || len(w.candidates(n.Obj())) > 0 })
	})
	if found == nil {
		return "", nil
	}
	t := found.Type()
	maker := w.constructor(t.(*types.Named))
	if isOpaque(t) && (maker == nil || w.making[maker]) {
		return "", nil // only the function itself makes such values, or what is being called for it
	}
	if !types.Implements(t, u) || maker != nil && w.makesPointer(maker) {
		t = types.NewPointer(t)
	}
	part := as.part("")
	part.matters = false
	return w.value(t, part)
}

// makesPointer: what a function makes is a pointer.
func (w *writer) makesPointer(fn *types.Func) bool {
	_, ok := types.Unalias(w.f.makes(fn)).(*types.Pointer)
	return ok
}

// stub is a value of a type of the driver whose methods do nothing.
func (w *writer) stub(t types.Type, u *types.Interface, as want) (string, error) {
	fails := false
	for m := range u.Methods() {
		if !m.Exported() && m.Pkg() != w.file.pkg {
			return "", fmt.Errorf("%s has type %s, which only its own package can implement", as.name, w.shown(t))
		}
		r := m.Signature().Results()
		fails = fails || r.Len() > 0 && isError(r.At(r.Len()-1).Type())
	}
	way := 0
	if fails {
		way = w.choose(as.name, "returns", "returns an error")
	}
	key := fmt.Sprint(w.shown(t), way)
	name := w.file.stubs[key]
	if name == "" {
		base := "vtrace" + strings.ToUpper(lastPart(w.shown(t), "value")[:1]) + lastPart(w.shown(t), "value")[1:]
		for n := 1; ; n++ {
			name = base
			if n > 1 {
				name += strconv.Itoa(n)
			}
			if w.file.types[name] == "" {
				break
			}
		}
		var out strings.Builder
		fmt.Fprintf(&out, "// %s does nothing.\ntype %s struct{}\n", name, name)
		for m := range u.Methods() {
			sig := m.Signature()
			text, err := w.method(name, m.Name(), sig, way == 1)
			if err != nil {
				return "", err
			}
			out.WriteString("\n" + text)
		}
		w.file.stubs[key], w.file.types[name] = name, out.String()
	} else {
		// What its methods name is imported for this driver, too.
		for m := range u.Methods() {
			if _, err := w.method(name, m.Name(), m.Signature(), way == 1); err != nil {
				return "", err
			}
		}
	}
	w.stubs = append(w.stubs, name)
	return name + "{}", nil
}

func (w *writer) method(of, name string, sig *types.Signature, fails bool) (string, error) {
	var params, results, values []string
	for i := range sig.Params().Len() {
		t, err := w.typeName(sig.Params().At(i).Type())
		if err != nil {
			return "", err
		}
		if sig.Variadic() && i == sig.Params().Len()-1 {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		params = append(params, t)
	}
	for i := range sig.Results().Len() {
		r := sig.Results().At(i).Type()
		t, err := w.typeName(r)
		if err != nil {
			return "", err
		}
		value := ""
		if fails && i == sig.Results().Len()-1 && isError(r) {
			value = w.expand(`$errors$.New("error")`)
		} else if value, err = w.quiet(r, want{name: name, depth: deepest}); err != nil {
			return "", err
		}
		results, values = append(results, t), append(values, value)
	}
	text := fmt.Sprintf("func (%s) %s(%s) (%s) {", of, name, strings.Join(params, ", "), strings.Join(results, ", "))
	if len(values) > 0 {
		return text + " return " + strings.Join(values, ", ") + " }\n", nil
	}
	return text + "}\n", nil
}

// made is a value of a defined type that is a struct, or a pointer to one: what its constructor returns, or a
// literal.
func (w *writer) made(t types.Type, n *types.Named, as want) (string, error) {
	pkg := n.Obj().Pkg()
	_, isPointer := types.Unalias(t).(*types.Pointer)
	if w.f.own[pkg] {
		if fn := w.constructor(n); fn != nil && as.depth < deepest && !w.making[fn] && (w.makesPointer(fn) == isPointer || isPointer) {
			w.making[fn] = true
			text, err := w.constructed(fn, n, isPointer, as)
			delete(w.making, fn)
			return text, err
		}
	}
	if st, ok := n.Underlying().(*types.Struct); ok && w.f.own[pkg] && as.depth < deepest {
		if !n.Obj().Exported() && isOpaque(n) {
			return "", fmt.Errorf("it needs a value of type %s, which other functions make, and is checked with them", w.shown(n))
		}
		text, err := w.literal(n, st, as)
		if isPointer {
			text = "&" + text
		}
		return text, err
	}
	if isPointer {
		if as.depth >= deepest {
			return "nil", nil
		}
		name, err := w.typeName(n)
		return "new(" + name + ")", err
	}
	return w.zero(t)
}

// constructor is the function that makes values of a type, nil if there is none: New and the name of the type,
// New, or another one that has the type as its first result, or in the interface that is that, one that begins so before others.
func (w *writer) constructor(n *types.Named) *types.Func {
	var found []*types.Func
	type in struct {
		*file
		*types.TypeName
	}
	for _, fn := range remember(w.f, in{w.file, n.Obj()}, func() []*types.Func { return w.candidates(n.Obj()) }) {
		if fn == w.fn {
			continue
		}
		if args := n.TypeArgs(); fn.Signature().TypeParams().Len() != args.Len() {
			continue
		} else if args.Len() > 0 {
			if _, err := types.Instantiate(nil, fn.Signature(), slices.Collect(args.Types()), true); err != nil {
				continue
			}
		}
		found = append(found, fn)
	}
	of := func(t types.Type) bool { o := namedOf(t); return o != nil && o.Obj() == n.Obj() }
	rank := func(fn *types.Func) int {
		switch name := strings.ToLower(fn.Name()); name {
		case "new" + strings.ToLower(n.Obj().Name()):
			return 0
		case "new":
			return 1
		default:
			n := 2 + fn.Signature().Params().Len()
			if !strings.HasPrefix(name, "new") {
				n += 1000
			}
			if slices.ContainsFunc(slices.Collect(fn.Signature().Params().Variables()), func(p *types.Var) bool { return of(p.Type()) }) {
				n += 1000000 // it copies one
			}
			return n
		}
	}
	slices.SortStableFunc(found, func(a, b *types.Func) int {
		if r := rank(a) - rank(b); r != 0 {
			return r
		}
		return int(a.Pos() - b.Pos())
	})
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// candidates are the functions of the package of a type that make one, and that can be called in the file.
func (w *writer) candidates(of *types.TypeName) []*types.Func {
	var found []*types.Func
	scope := of.Pkg().Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || fn.Pkg() != w.file.pkg && !fn.Exported() || fn.Signature().Results().Len() == 0 {
			continue
		}
		if made := w.f.makes(fn); made != nil && namedOf(made) != nil && namedOf(made).Obj() == of {
			found = append(found, fn)
		}
	}
	return found
}

// constructed calls a constructor, in a statement.
func (w *writer) constructed(fn *types.Func, n *types.Named, pointer bool, as want) (string, error) {
	sig := fn.Signature()
	t := sig.Results().At(0).Type()
	name := w.fresh(lower(n.Obj().Name()))
	if types.IsInterface(t) {
		name = w.fresh("made")
	}
	callee := fn.Name()
	if fn.Pkg() != w.file.pkg {
		callee = w.importName(fn.Pkg().Path()) + "." + callee
	}
	if args := n.TypeArgs(); args.Len() > 0 {
		var list []string
		var inst []types.Type
		for i := range args.Len() {
			text, err := w.typeName(args.At(i))
			if err != nil {
				return "", err
			}
			list, inst = append(list, text), append(inst, args.At(i))
		}
		callee += "[" + strings.Join(list, ", ") + "]"
		s, err := types.Instantiate(nil, sig, inst, true)
		if err != nil {
			return "", fmt.Errorf("%s: %w", fn.Name(), err)
		}
		sig = s.(*types.Signature)
	}
	args, err := w.arguments(fn, sig, func(p string) string { return p }, as.depth+1)
	if err != nil {
		return "", err
	}
	w.called = append(w.called, fn)
	call := fmt.Sprintf("%s(%s)", callee, strings.Join(args, ", "))
	names := []string{name}
	for range sig.Results().Len() - 1 {
		names = append(names, "_")
	}
	if n := len(names); n > 1 && isError(sig.Results().At(n-1).Type()) {
		names[n-1] = w.fresh("err")
		fmt.Fprintf(&w.setup, "%s := %s\nif %s != nil {\nreturn\n}\n", strings.Join(names, ", "), call, names[n-1])
	} else {
		fmt.Fprintf(&w.setup, "%s := %s\n", strings.Join(names, ", "), call)
	}
	t = sig.Results().At(0).Type() // of the instance
	if types.IsInterface(t) {
		t = w.f.makes(fn)
		of, err := w.typeName(t)
		if err != nil {
			return "", err
		}
		inside := w.fresh(lower(n.Obj().Name()))
		fmt.Fprintf(&w.setup, "%s := %s.(%s)\n", inside, name, of)
		name = inside
	}
	w.stops(name, w.stopOf(t))
	if _, ok := types.Unalias(t).(*types.Pointer); pointer && !ok {
		return "&" + name, nil
	}
	return name, nil
}

// isOpaque reports whether a type is a struct with fields of which only the code that makes it knows what they may be.
func isOpaque(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if !f.Exported() && nilable(f.Type()) {
			return true
		}
	}
	return false
}

// literal is a struct with the fields that matter, and those that are of no use as zero values.
func (w *writer) literal(t types.Type, st *types.Struct, as want) (string, error) {
	name, err := w.typeName(t)
	if err != nil {
		return "", err
	}
	var fields []string
	for f := range st.Fields() {
		if !f.Exported() {
			continue // the code that makes such values knows what it may be
		}
		part := as.part("." + f.Name())
		part.matters, part.canNil = w.f.matters.field(f), w.f.matters.nilFields[f.Origin()]
		if namedOf(f.Type()) != nil && hasState(f.Type(), nil) && !nilable(f.Type()) {
			continue // a lock, whose zero value is of use, or a struct with one
		}
		switch f.Type().Underlying().(type) {
		case *types.Basic:
			if !part.matters {
				continue
			}
		case *types.Slice:
			if !part.matters {
				continue
			}
		}
		if as.depth+1 >= deepest {
			continue
		}
		text, err := w.value(f.Type(), part)
		if err != nil {
			return "", err
		}
		fields = append(fields, f.Name()+": "+text)
	}
	return name + "{" + strings.Join(fields, ", ") + "}", nil
}

// lastPart is the last identifier in a name, or another one if there is none.
func lastPart(name, other string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, p := range slices.Backward(parts) {
		if token.IsIdentifier(p) {
			return p
		}
	}
	return other
}

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
