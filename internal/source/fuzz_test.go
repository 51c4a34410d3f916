package source

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An entry with arguments is a call of a function with as many, and nothing besides.
func FuzzEntry(f *testing.F) {
	for _, s := range []string{
		"F", "F()", "F(1|2, true)", `Drain("a|b", 1 | 2+3, -1)`, "F(1)(2)", "F(x...)", "F(1", "F(func() { g() }())", "F(1 /* ) */,)", "F(1) + g(2)", "(F)(1)", "F([]int{1|2})",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, args, err := splitEntry(text)
		if err != nil {
			return
		}
		require.True(t, strings.HasPrefix(text, name))
		var list []string
		for _, values := range args {
			require.NotEmpty(t, values)
			list = append(list, strings.Join(values, "|"))
		}
		if args == nil {
			return
		}
		again, same, err := splitEntry(name + "(" + strings.Join(list, ", ") + ")")
		require.NoError(t, err)
		require.Equal(t, name, again)
		require.Equal(t, args, same)
		if token.IsIdentifier(name) {
			e, err := parser.ParseExpr(name + "(" + strings.TrimSpace(text[len(name)+1:]))
			require.NoError(t, err)
			call, ok := e.(*ast.CallExpr)
			require.True(t, ok)
			require.IsType(t, &ast.Ident{}, call.Fun)
			require.Len(t, call.Args, len(args))
			require.False(t, call.Ellipsis.IsValid())
		}
	})
}

// A file of a seed corpus is as many arguments of a call as it has lines, whatever is in them.
func FuzzCorpus(f *testing.F) {
	for _, s := range []string{
		"go test fuzz v1\nint(1)\n[]byte(\"x\")\n", "go test fuzz v1\r\nstring(`a`)\r\n", "go test fuzz v1\n1 // x\n2 /* y */\n", "go test fuzz v1\nf(), g()\n", "go test fuzz v2\nint(1)\n", "go test fuzz v1\n",
		"go test fuzz v1\nx...\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		args, err := corpusArgs(data)
		if err != nil {
			require.Nil(t, args)
			return
		}
		e, err := parser.ParseExpr("f.vtraceAdd(" + strings.Join(args, ", ") + ")")
		require.NoError(t, err)
		call, ok := e.(*ast.CallExpr)
		require.True(t, ok)
		require.Len(t, call.Args, len(args))
		require.False(t, call.Ellipsis.IsValid())
		again, err := corpusArgs([]byte("go test fuzz v1\n" + strings.Join(args, "\n") + "\n"))
		if !strings.ContainsAny(strings.Join(args, ""), "\n") { // as of a function
			require.NoError(t, err)
			require.Equal(t, args, again)
		}
	})
}

// The flag that names an overlay is taken away, with all that it says, and the others stay; what
// it names is the content of files by their absolute names.
func FuzzOverlay(f *testing.F) {
	for _, s := range []struct{ flags, overlay string }{
		{"-overlay=o.json\n-tags=x", `{"Replace": {"a.go": "new.go", "/b/../c.go": "new.go"}}`},
		{"--overlay\no.json\n-race", `{"replace": {"a.go": "new.go"}, "Other": [1]}`},
		{"-overlay=none.json\n-overlay=o.json", `{"Replace": null}`},
		{"-overlay", ""}, {"-overlay=", ""}, {"-overlay=o.json", `{"Replace": {"a.go": ""}}`}, {"-overlay=o.json", `{"Replace": {"a.go": 1}}`},
		{"-overlay=o.json", `[`}, {"-tags\n-overlay=o.json", `{}`},
	} {
		f.Add(s.flags, []byte(s.overlay))
	}
	dir := f.TempDir()
	require.NoError(f, os.WriteFile(filepath.Join(dir, "new.go"), []byte("package p\n"), 0o600))
	f.Fuzz(func(t *testing.T, flags string, overlay []byte) {
		var says struct{ Replace map[string]string }
		known := json.Unmarshal(overlay, &says) == nil
		for _, from := range says.Replace {
			if from != "new.go" && from != "" {
				t.Skip("it names a file of this machine")
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "o.json"), overlay, 0o600))
		given := strings.Split(flags, "\n")
		for _, flag := range given {
			if name, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "overlay="); ok && name != "o.json" || strings.Contains(flag, "/") {
				t.Skip("it names a file of this machine")
			}
		}
		spec, err := Spec{Flags: given}.takeFlag(dir)
		if err != nil {
			require.Equal(t, given, spec.Flags)
			require.Nil(t, spec.overlay)
			return
		}
		if spec.overlay == nil { // there is no such flag
			require.Equal(t, given, spec.Flags)
			return
		}
		require.True(t, known)
		require.LessOrEqual(t, len(spec.overlay), len(says.Replace))
		for name, text := range spec.overlay {
			require.True(t, filepath.IsAbs(name), name)
			require.Equal(t, filepath.Clean(name), name)
			require.Equal(t, "package p\n", string(text))
		}
		again, err := spec.takeFlag(dir)
		require.NoError(t, err)
		require.Equal(t, spec, again)
	})
}

// A place is what it was made of, whatever the name of the file is; of any other text no part is
// lost.
func FuzzPlace(f *testing.F) {
	f.Add("/a b/c.go", 3, 7)
	f.Add("c:d.go", 3, 0)
	f.Add("x:1:2.go:4", 0, 0)
	f.Add("-", 0, 0)
	f.Add("a:99999999999999999999", 1, 1)
	f.Add("", 1, 1)
	f.Fuzz(func(t *testing.T, name string, line, col int) {
		file, l, c := place(name)
		require.True(t, l >= 0 && c >= 0)
		require.True(t, l > 0 || c == 0)
		require.True(t, strings.HasPrefix(name, file))
		require.True(t, l > 0 || file == name || name == "-")
		if line > 0 && col > 0 {
			file, l, c = place(fmt.Sprintf("%s:%d:%d", name, line, col))
			require.Equal(t, []any{name, line, col}, []any{file, l, c})
		}
	})
}
