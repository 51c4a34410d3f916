package program

import (
	"fmt"
	"go/types"
	"maps"
	slashed "path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsErrorsIs recognises a call of errors.Is.
func IsErrorsIs(call *ssa.Call) bool { return LibraryName(call) == "errors.Is" }

// textFuncs are functions of the library whose results depend on nothing but
// their arguments, which are texts, integers and booleans.
var textFuncs = map[string]func(a []any) []any{
	"strings.HasPrefix":   twoTexts(strings.HasPrefix),
	"strings.HasSuffix":   twoTexts(strings.HasSuffix),
	"strings.Contains":    twoTexts(strings.Contains),
	"strings.ContainsAny": twoTexts(strings.ContainsAny),
	"strings.EqualFold":   twoTexts(strings.EqualFold),
	"strings.Index":       twoTexts(strings.Index),
	"strings.LastIndex":   twoTexts(strings.LastIndex),
	"strings.Count":       twoTexts(strings.Count),
	"strings.Compare":     twoTexts(strings.Compare),
	"strings.TrimPrefix":  twoTexts(strings.TrimPrefix),
	"strings.TrimSuffix":  twoTexts(strings.TrimSuffix),
	"strings.Trim":        twoTexts(strings.Trim),
	"strings.TrimLeft":    twoTexts(strings.TrimLeft),
	"strings.TrimRight":   twoTexts(strings.TrimRight),
	"strings.TrimSpace":   oneText(strings.TrimSpace),
	"strings.ToLower":     oneText(strings.ToLower),
	"strings.ToUpper":     oneText(strings.ToUpper),
	"path.Base":           oneText(slashed.Base),
	"path.Dir":            oneText(slashed.Dir),
	"path.Ext":            oneText(slashed.Ext),
	"strconv.Quote":       oneText(strconv.Quote),
	"strconv.Itoa":        func(a []any) []any { return []any{strconv.Itoa(a[0].(int))} },
	"strings.ReplaceAll": func(a []any) []any {
		return []any{strings.ReplaceAll(a[0].(string), a[1].(string), a[2].(string))}
	},
	"strings.Cut": func(a []any) []any {
		before, after, found := strings.Cut(a[0].(string), a[1].(string))
		return []any{before, after, found}
	},
}

func oneText[R any](f func(string) R) func([]any) []any {
	return func(a []any) []any { return []any{f(a[0].(string))} }
}

func twoTexts[R any](f func(string, string) R) func([]any) []any {
	return func(a []any) []any { return []any{f(a[0].(string), a[1].(string))} }
}

// formats are the functions that print their arguments.
var formats = map[string]func(a []any) string{
	"fmt.Sprint":   func(a []any) string { return fmt.Sprint(a...) },
	"fmt.Sprintln": func(a []any) string { return fmt.Sprintln(a...) },
	"fmt.Sprintf":  func(a []any) string { return fmt.Sprintf(a[0].(string), a[1:]...) },
}

// TextFunc is what such a function computes, nil for other functions.
func TextFunc(name string) func(a []any) []any {
	if f := textFuncs[name]; f != nil {
		return f
	}
	if print := formats[name]; print != nil {
		return func(a []any) []any { return []any{print(a)} }
	}
	return nil
}

// TextFunctions are the names of these functions.
func TextFunctions() []string {
	return slices.Concat(slices.Sorted(maps.Keys(textFuncs)), slices.Sorted(maps.Keys(formats)))
}

// TextArgs lists what the result of a call is computed from, if it is a call of a
// function that computes with texts; ok is false if it is none, or one that is
// given something else.
func TextArgs(call *ssa.Call) (args []ssa.Value, ok bool) {
	name := LibraryName(call)
	switch {
	case textFuncs[name] != nil:
		return call.Call.Args, true
	case formats[name] == nil:
		return nil, false
	}
	last, isSlice := call.Call.Args[len(call.Call.Args)-1].(*ssa.Slice)
	args = Arguments(call)
	if isSlice {
		// Each element has been set once.
		array, ok := last.X.(*ssa.Alloc)
		if !ok || array.Comment != "varargs" || len(args) != len(call.Call.Args)-1+arrayLen(array) {
			return nil, false
		}
	} else if c, isConst := call.Call.Args[len(call.Call.Args)-1].(*ssa.Const); !isConst || c.Value != nil {
		return nil, false
	} else {
		args = args[:len(args)-1] // there are none
	}
	for i, a := range args {
		if m, isBoxed := a.(*ssa.MakeInterface); isBoxed {
			a = m.X
		}
		switch a.Type().String() {
		case "string", "int", "bool": // another type may have a method to print it
		default:
			return nil, false
		}
		args[i] = a
	}
	return args, true
}

func arrayLen(a *ssa.Alloc) int {
	return int(Pointee(a.Type()).Underlying().(*types.Array).Len())
}

// KnownArgs lists what the result of a call is computed from, if the model may
// compute it.
func KnownArgs(call *ssa.Call) []ssa.Value {
	if IsErrorsIs(call) {
		return call.Call.Args
	}
	args, _ := TextArgs(call)
	return args
}
