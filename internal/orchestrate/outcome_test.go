package orchestrate

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestAddOutcomes: how a condition has turned out is said where the next place tells it, and not else. In each program a
// goroutine comes from «1» to «2»; what is wanted stands behind it.
func TestAddOutcomes(t *testing.T) {
	for _, p := range []struct{ body, want string }{
		{"«1»if x { «2»f() }", "true"},
		{"«1»if x { f() } else { «2»g() }", "false"},
		{"«1»if x { f() } else if y { «2»g() }", "false"},
		{"if x { f() } else «1»if y { «2»g() }", "true"},
		{"«1»if x { return }; «2»g()", "false"},
		{"«1»if x { panic(1) }; «2»g()", "false"},
		{"«1»if x { f() }; «2»g()", ""},
		{"«1»if x { f() } else { return }; «2»g()", "true"},
		{"«1»if x && «2»y() { f() }", ""},
		{"if x && «1»y() { «2»f() }", "true"},
		{"for { «1»if x { break }; «2»f() }; g()", "false"},
		{"for { «1»if x { break }; f() }; «2»g()", ""},
		{"for range n { «1»if x { continue }; «2»f() }", "false"},
		{"for { «2»f(); «1»if x { return } }", ""},
		{"«1»for x { «2»f() }", "true"},
		{"«1»for x { f() }; «2»g()", "false"},
		{"«1»for x { if y { break } }; «2»g()", ""},
		{"«1»for i := 0; i < n; i++ { go func() { for { break } }() }; «2»g()", "false"},
		{"«1»for { «2»f() }", ""},
		{"«1»switch x { case 1, 2: f(); case  3: «2»g(); default: h() }", "case 3"},
		{"«1»switch { default: «2»h() }", "default"},
		{"«1»switch x { case 1: f() }; «2»g()", ""},
		{"«1»f(); if x { «2»g() }", ""},
	} {
		text := "package m\n\nfunc F() {\n\t" + p.body + "\n}\n"
		site := func(mark, key string) artifact.Site {
			line := strings.Split(text, "\n")[3]
			other := map[string]string{"«1»": "«2»", "«2»": "«1»"}[mark]
			col := strings.Index(strings.ReplaceAll(line, other, ""), mark) + 1
			return artifact.Site{Key: key, Kind: "statement", Func: "m.F", File: "a.go", Line: 4, Col: col, Text: "x"}
		}
		side := &artifact.Sidecar{Sites: []artifact.Site{site("«1»", "a"), site("«2»", "b")}}
		steps := []artifact.FindingStep{{G: "0", Site: "a"}, {G: "0.1", Site: "a"}}
		trace := []artifact.PlanStep{{G: "0", Site: "a"}, {G: "0.1", Site: "a"}, {G: "0", Site: "b"}}
		AddOutcomes(side, steps, trace, func(file string) ([]byte, bool) {
			return []byte(strings.NewReplacer("«1»", "", "«2»", "").Replace(text)), file == "a.go"
		})
		require.Equal(t, p.want, steps[0].Outcome, p.body)
		require.Empty(t, steps[1].Outcome, "it has gone no further")
	}
}

// TestAddOutcomesElsewhere: another function, the return of one, and a file that is not there tell nothing.
func TestAddOutcomesElsewhere(t *testing.T) {
	a := artifact.Site{Key: "a", Kind: "statement", Func: "m.F", File: "a.go", Line: 2, Col: 12, Text: "if x {"}
	then := a
	then.Key, then.Col = "b", 19
	const text = "package m\nfunc F() { if x { f() } }\n"
	for name, change := range map[string]func(s *artifact.Site) string{
		"":                 func(*artifact.Site) string { return text },
		"another function": func(s *artifact.Site) string { s.Func = "m.G"; return text },
		"return":           func(s *artifact.Site) string { s.Kind = "end"; return text },
		"deferred":         func(s *artifact.Site) string { s.Text = "defer f()"; return text },
		"no such line":     func(s *artifact.Site) string { s.Line = 9; return text },
		"no file":          func(*artifact.Site) string { return "" },
	} {
		b := then
		source := change(&b)
		steps := []artifact.FindingStep{{G: "0", Site: "a"}}
		AddOutcomes(&artifact.Sidecar{Sites: []artifact.Site{a, b}}, steps, []artifact.PlanStep{{G: "0", Site: "a"}, {G: "0", Site: "b"}},
			func(string) ([]byte, bool) { return []byte(source), source != "" })
		require.Equal(t, name == "", steps[0].Outcome == "true", name)
	}
}

// TestAddOutcomesReturn: who returns behind a condition, and has not come to where runs stop behind it, has found it true.
func TestAddOutcomesReturn(t *testing.T) {
	for _, p := range []struct {
		body  string
		stops bool // in front of the second mark
		want  string
	}{
		{"defer f(); «1»if x { return }; «2»n++", true, "true"},
		{"defer f(); «1»if x { return }; «2»n++", false, ""},
		{"defer f(); «1»if x { panic(1) }; «2»n++", true, "true"},
		{"defer f(); «1»if x { g() }; «2»n++", true, ""},
		{"defer f(); «1»if x { return } else { g() }; «2»n++", true, ""},
		{"defer f(); «1»if x { return }; g(); «2»n++", true, ""},
		{"defer f(); if y { «1»if x { return } }; «2»n++", true, ""},
		{"defer f(); for { «1»if x { break }; «2»n++ }", true, ""},
	} {
		text := "package m\n\nfunc F() {\n\t" + p.body + "\n}\n"
		plain := strings.NewReplacer("«1»", "", "«2»", "").Replace
		site := func(mark, key, statement string) artifact.Site {
			line := strings.Split(text, "\n")[3]
			return artifact.Site{Key: key, Kind: "statement", Func: "m.F", File: "a.go", Line: 4, Col: len(plain(line[:strings.Index(line, mark)])) + 1, Text: statement}
		}
		side := &artifact.Sidecar{Sites: []artifact.Site{site("«1»", "a", "x"), site("«2»", "b", "x"), site("defer", "end", "defer f()")}}
		trace := []artifact.PlanStep{{G: "0", Site: "a"}, {G: "0", Site: "end"}}
		if p.stops {
			trace = append(trace, artifact.PlanStep{G: "0.1", Site: "b"})
		}
		steps := []artifact.FindingStep{{G: "0", Site: "a"}}
		AddOutcomes(side, steps, trace, func(string) ([]byte, bool) { return []byte(plain(text)), true })
		require.Equal(t, p.want, steps[0].Outcome, p)
	}
}

// TestAddOutcomesPassed: who comes to another function next has not come to where he would have stopped first.
func TestAddOutcomesPassed(t *testing.T) {
	const call, statement, atomic = "call of uninstrumented code", "statement", "atomic"
	for _, p := range []struct {
		body    string // the goroutine is at «1», and runs stop in front of «2»
		kind    string // of the site
		returns bool   // it returns next, else it comes to another function
		want    string
	}{
		{"«1»if x { «2»g.Signal() }", statement, true, "false"},
		{"«1»if x { «2»g.Signal() }", statement, false, "false"},
		{"«1»if x { y(); «2»g.Signal() }", statement, true, ""},
		{"«1»if x { «2»g.Send(y()) }", statement, false, ""},
		{"«1»if x { return }; «2»n++", statement, false, "true"},
		{"«1»if x { y(); return }; «2»n++", statement, false, "true"},
		{"«1»if x { return }; y(); «2»n++", statement, false, ""},
		{"«1»if x() { return }; «2»n++", statement, false, ""},
		{"«1»if x() { return }; «2»n++", statement, true, "true"},
		{"«1»if err := x.Err(); err != nil { return }; «2»select {}", call, false, "true"},
		{"«1»if err := x.Err(); err != nil { return }; «2»select {}", statement, false, ""},
		{"«1»if y := x.Find(f); y { return }; «2»n++", call, false, ""},
		{"«1»if x.Load() == 0 { return }; «2»n++", atomic, false, "true"},
		{"«1»if x.Load() == y() { return }; «2»n++", atomic, false, ""},
	} {
		text := "package m\n\nfunc F() {\n\t" + p.body + "\n}\n"
		plain := strings.NewReplacer("«1»", "", "«2»", "").Replace
		site := func(mark, key, kind string) artifact.Site {
			line := strings.Split(text, "\n")[3]
			return artifact.Site{Key: key, Kind: kind, Func: "m.F", File: "a.go", Line: 4, Col: len(plain(line[:strings.Index(line, mark)])) + 1, Text: "x"}
		}
		key, then := "m.F@1", artifact.Site{Key: "then", Kind: statement, Func: "m.G", File: "a.go", Line: 1, Col: 1}
		if p.returns {
			then = artifact.Site{Key: "then", Kind: "end", Func: "m.F", File: "a.go", Line: 5, Col: 1}
		}
		at := site("«1»", key, p.kind)
		passes := key
		if p.kind == call {
			at.Kind, passes = statement, key+".call"
		}
		side := &artifact.Sidecar{Sites: []artifact.Site{at, site("«2»", "b", statement), then}}
		trace := []artifact.PlanStep{{G: "0.1", Site: "b"}, {G: "0", Site: passes}, {G: "0", Site: "then"}}
		steps := []artifact.FindingStep{{G: "0", Site: passes}}
		AddOutcomes(side, steps, trace, func(string) ([]byte, bool) { return []byte(plain(text)), true })
		require.Equal(t, p.want, steps[0].Outcome, p)
	}
}

// FuzzOutcomes: whatever file a bundle has, and wherever its sites are said to be, an outcome is one of a few words.
func FuzzOutcomes(f *testing.F) {
	f.Add([]byte("package m\nfunc F() { if x { f() } else { return } }\n"), 2, 12, 2, 19)
	f.Add([]byte("package m\nfunc F() { for x { switch { case y: break } } }\n"), 2, 20, 9, -1)
	f.Fuzz(func(t *testing.T, text []byte, line, col, thenLine, thenCol int) {
		got := parsed(text).outcome(artifact.Site{Line: line, Col: col}, artifact.Site{Line: thenLine, Col: thenCol})
		if got != "" && got != "true" && got != "false" && got != "default" {
			require.Regexp(t, "^case", got)
		}
		parsed(text).outcomeElsewhere(artifact.Site{Line: line, Col: col}, true, func(ast.Node) bool { return true })
	})
}
