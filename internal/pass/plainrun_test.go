package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// plainEnd is how a run of the plain program ended, without vtrace.
type plainEnd struct {
	crash, failed, hangs bool     // failed: the test
	line                 int      // of a crash or of t.Errorf, 0: not known
	races                []string // pairs of lines
	output               string
}

// held puts a call that may wait a little in front of the statements of a program: they stay
// in their lines.
func held(t *testing.T, text string) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", text, 0)
	require.NoError(t, err)
	var at []int
	list := func(stmts []ast.Stmt) {
		for _, s := range stmts {
			at = append(at, fset.Position(s.Pos()).Offset)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				switch s.(type) {
				case *ast.CaseClause, *ast.CommClause:
					return true
				}
			}
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
		case *ast.CommClause:
			list(n.Body)
		}
		return true
	})
	slices.Sort(at)
	for _, i := range slices.Backward(at) {
		text = text[:i] + "hold(); " + text[i:]
	}
	return text
}

// holding is what these calls do.
const holding = `

import (
	"math/rand/v2"
	"runtime"
	"time"
)

func hold() {
	switch rand.IntN(12) {
	case 0, 1:
		runtime.Gosched()
	case 2:
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	}
	if rand.IntN(60) == 0 {
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
	}
}
`

var racingLines = regexp.MustCompile(`(?s)WARNING: DATA RACE\n.*?(main\.go|p_test\.go):(\d+).*?Previous .*?(main\.go|p_test\.go):(\d+)`)

// plainRuns runs a program as Go does, with the race detector.
func plainRuns(t *testing.T, text string, test bool, runs int) (ends []plainEnd) {
	t.Helper()
	if runs == 0 {
		return nil
	}
	dir := t.TempDir()
	name, pkg := "main.go", "main"
	if test {
		name, pkg = "p_test.go", "p"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(held(t, text)), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hold.go"), []byte("package "+pkg+holding), 0o644))
	args := []string{"build", "-race", "-o", "program", "."}
	if test {
		args = []string{"test", "-race", "-vet=off", "-c", "-o", "program", "."}
	}
	build := exec.Command("go", args...)
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, text)
	for range runs {
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
		cmd := exec.CommandContext(ctx, filepath.Join(dir, "program"))
		cmd.Env = append(os.Environ(), "GORACE=exitcode=0 atexit_sleep_ms=0")
		var b bytes.Buffer
		cmd.Stdout, cmd.Stderr = &b, &b
		err := cmd.Run()
		e := plainEnd{output: b.String()}
		for _, m := range racingLines.FindAllStringSubmatch(e.output, -1) {
			e.races = append(e.races, m[2]+" "+m[4])
		}
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil, strings.Contains(e.output, "all goroutines are asleep"):
			e.hangs = true
		case errors.As(err, &exit) && regexp.MustCompile(`(?m)^(panic|fatal error): `).MatchString(e.output):
			e.crash = true
			at := e.output[strings.LastIndex(e.output, "goroutine "):]
			if i := regexp.MustCompile(`(?m)^goroutine .*\[running`).FindStringIndex(e.output); i != nil {
				at = e.output[i[0]:]
			}
			if i := strings.Index(at, "panic("); i >= 0 && strings.Contains(at[i:], "\n") {
				at = at[i:]
			}
			if m := regexp.MustCompile(`(?:main|p_test)\.go:(\d+)`).FindStringSubmatch(at); m != nil {
				e.line, _ = strconv.Atoi(m[1])
			}
		case err != nil && strings.Contains(e.output, "--- FAIL") && !strings.Contains(e.output, "race detected during execution of test"):
			e.failed = true
			if m := regexp.MustCompile(`p_test\.go:(\d+): got`).FindStringSubmatch(e.output); m != nil {
				e.line, _ = strconv.Atoi(m[1])
			}
		}
		cancel()
		ends = append(ends, e)
	}
	return ends
}

// among reports that ends of the program which were seen elsewhere have this one.
func (e plainEnd) among(shown map[string]bool) bool {
	switch {
	case e.hangs:
		return shown["stuck"]
	case e.failed:
		return shown[artifact.KindTestFailure]
	case !e.crash:
		return true
	}
	for end := range shown {
		if e.line == 0 || strings.HasSuffix(end, fmt.Sprint(":", e.line)) {
			return true
		}
	}
	return false
}

func (e plainEnd) String() string {
	return fmt.Sprintf("crash %t, failed %t, hangs %t, line %d, races %v", e.crash, e.failed, e.hangs, e.line, e.races)
}
