package sites

import (
	"go/importer"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every kind has a complete row in the table of operations.
func TestOperations(t *testing.T) {
	words := map[string]Kind{}
	for k := range Kinds() {
		require.Regexp(t, `^[a-z]+$`, k.String(), "the word of kind %d", k)
		require.NotContains(t, words, k.String())
		words[k.String()] = k
		require.Equal(t, k, Named(k.String()))
		require.NotEqual(t, k.String(), operations[k].spoken, "%v: what is spoken like the word is left out", k)

		// Nobody stands where a function is handed over for later.
		require.Equal(t, k.Starts() != ByLibrary, k.RunWord() != "", "%v: the word of the runtime", k)
		if k.Waits() != Never {
			require.NotEqual(t, NoObject, k.Object(), "%v: what a goroutine waits for", k)
		}
		for _, o := range k.Objects() {
			require.Greater(t, o, NoObject, k)
		}
	}
	for o := NoObject + 1; o < numObjects; o++ {
		require.NotEmpty(t, o.Spoken())
		require.Equal(t, o, ObjectNamed(o.String()))
	}
}

// The functions of the table are in the standard library, with these parameters and results where the table has them.
// Of the types of package sync with methods that wait, all methods are in the table.
func TestLibraryFuncs(t *testing.T) {
	source := importer.ForCompiler(token.NewFileSet(), "source", nil)
	known, receivers := map[string]bool{}, map[string]bool{}
	for f := range LibraryFuncs() {
		pkg, err := source.Import(f.Package)
		require.NoError(t, err)
		obj := pkg.Scope().Lookup(f.Name)
		if f.Receiver != "" {
			of := pkg.Scope().Lookup(f.Receiver)
			require.NotNil(t, of, f)
			obj, _, _ = types.LookupFieldOrMethod(of.Type(), true, pkg, f.Name)
		}
		fn, ok := obj.(*types.Func)
		require.True(t, ok, "there is no %v", f)
		require.False(t, known[fn.FullName()], "%v is there twice", f)
		known[fn.FullName()] = true
		require.Equal(t, f, LibraryFuncOf(fn))
		require.Equal(t, f.Kind, KindOf(fn))
		if f.Package == "sync" && f.Receiver != "" && f.Kind.Waits() != Never {
			receivers[f.Receiver] = true
		}
		if f.Runtime == "" && f.Parameters == "" {
			continue
		}
		require.Equal(t, strings.ReplaceAll("("+strings.Join(f.Types(), ", ")+")", "interface{}", "any"), parameters(fn.Signature()), f)
		result := types.TypeString(fn.Signature().Results(), nil)
		if fn.Signature().Results().Len() < 2 {
			result = strings.Trim(result, "()")
		}
		require.Equal(t, f.Result, withoutNames(result), f)
	}
	pkg, err := source.Import("sync")
	require.NoError(t, err)
	for receiver := range receivers {
		for method := range types.NewMethodSet(types.NewPointer(pkg.Scope().Lookup(receiver).Type())).Methods() {
			if fn := method.Obj().(*types.Func); fn.Exported() && fn.Name() != "RLocker" { // which waits for nothing, and returns a Locker
				require.True(t, known[fn.FullName()], "%s is no operation of the table", fn.FullName())
			}
		}
	}
}

// withoutNames leaves out the names of the results in "(i int, ok bool)".
func withoutNames(results string) string {
	if !strings.HasPrefix(results, "(") {
		return results
	}
	var list []string
	for r := range strings.SplitSeq(strings.Trim(results, "()"), ", ") {
		list = append(list, r[strings.LastIndexByte(r, ' ')+1:])
	}
	return "(" + strings.Join(list, ", ") + ")"
}
