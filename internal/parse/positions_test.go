package parse

import (
	"context"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

type word struct {
	text string
	line int
}

// words are the identifiers and literals of a file with their lines, after line
// directives.
func words(t *testing.T, src []byte) (out []word) {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile("x.go", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.IDENT, tok == token.STRING, tok == token.CHAR, tok == token.FUNC, tok == token.FLOAT:
			if lit == "" {
				lit = tok.String()
			}
			out = append(out, word{lit, fset.Position(pos).Line})
		}
	}
}

// generated are the words that the instrumenter adds.
var generated = map[string]bool{
	"Accumulate": true,
	"interface":  true, "func": true, "panic": true, `"unreachable"`: true, `"vtraceorc"`: true, "init": true,
	"Send": true, "SendOn": true, "Case": true, "V": true, "K": true, "OK": true, "Next": true, "int": true, "string": true,
	"Mutex": true, "RWMutex": true, "embedded": true, "alias": true, "Locker": true, "Cond": true, "Logger": true, "Output": true, "Default": true, "_": true,
}

// resets are the assignments to variables that are initialised anew.
var resets = regexp.MustCompile(`func zzorc\w*Reset\d+\(\) \{ [^=]* = `)

// referred are the variables that Alike is told of, behind the function.
var referred = regexp.MustCompile(`\}(?:, (?:&\w+|zzorc\w*))+\)`)

// TestPositions: everything of the original that is in an instrumented file is,
// for the compiler, on the line where it was.
func TestPositions(t *testing.T) {
	ctx := context.Background()
	prog, err := source.Load(ctx, source.Spec{Dir: "testdata/conform"})
	require.NoError(t, err)
	o, err := Instrument(ctx, prog, Index(prog), Options{EveryLine: true})
	require.NoError(t, err)
	checked := 0
	for name, data := range o.Files {
		if strings.HasPrefix(filepath.Base(name), "zz_") {
			continue
		}
		src, err := os.ReadFile(filepath.Join(prog.Root, filepath.FromSlash(name)))
		require.NoError(t, err)
		original := map[word]bool{}
		for _, w := range words(t, src) {
			original[w] = true
		}
		text := string(data)
		if i := strings.Index(text, "\nvar _ = "); i >= 0 {
			text = text[:i] // keeps imports in use, on lines of its own
		}
		text = referred.ReplaceAllString(resets.ReplaceAllString(text, "{ "), "})")
		// What follows the name of the runtime is one of its functions; RecvAs is
		// given a type.
		after := ""
		for _, w := range words(t, []byte(text)) {
			if after == "zzorcx1" || after == "zzorc" || strings.HasSuffix(after, "RecvAs") || strings.HasPrefix(w.text, "zzorc") || generated[w.text] || original[w] {
				after = w.text
				continue
			}
			after = w.text
			if w.text == "true" || w.text == "false" || w.text == "bool" {
				continue // hasDefault; the result of a method expression
			}
			require.Fail(t, "moved", "%s: %q on line %d", name, w.text, w.line)
		}
		checked++
	}
	require.Greater(t, checked, 8)
}
