package parse

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlain: what packages compute only, and which of their functions write to nothing.
func TestPlain(t *testing.T) {
	const stack = `package p
import "fmt"
type Stack struct { list []int; n int }
func (s *Stack) Push(v int) { s.list = append(s.list, v); s.n++ }
func (s *Stack) Len() int { n := len(s.list); n++; n = n - 1; return n }
func (s *Stack) String() string { return fmt.Sprint(s.Len(), s.list) }
func (s *Stack) Grow() { s.grow() }
func (s *Stack) grow() { s.list[0]++ }
func (s *Stack) Each(f func(int)) { for _, v := range s.list { f(v) } }
func (s *Stack) Sort() { sorted(s.list) }
func (s *Stack) Bytes() []byte { return []byte(fmt.Sprint(s)) }
`
	for name, c := range map[string]struct {
		src     string
		looking []string // nil: not plain
	}{
		"a container": {stack + "func sorted(l []int) { l[0], l[1] = l[1], l[0] }", []string{"Bytes", "Each", "Len", "String"}},
		"a function of a package that writes": {
			"package p\nimport \"sort\"\nfunc F(l []int) { sort.Ints(l) }\nfunc G(l []int) int { return len(l) }", []string{"G"},
		},
		"builtins that write": {
			"package p\nfunc A(l []int) []int { return append(l, 1) }\nfunc B(l []int) { copy(l, l[1:]) }\nfunc C(m map[int]int) { clear(m) }\nfunc D(m map[int]int) { delete(m, 1) }\n" +
				"func E(l []int) int { return len(l) + cap(l) + max(1, 2) }\nfunc F(l []int) []int { return make([]int, min(len(l), 3)) }", []string{"E", "F"},
		},
		"a value behind a pointer": {"package p\nfunc F(p *int) { *p = 1 }\nfunc G(p *int) int { x := *p; x++; return x }", []string{"G"}},
		"a range":                  {"package p\ntype T struct{ n int }\nfunc (t *T) F() { for t.n = range 2 {} }", []string{}},
		"goroutines":               {"package p\nfunc F() { go func() {}() }", nil},
		"channels":                 {"package p\ntype T struct{ c chan int }", nil},
		"receives":                 {"package p\nfunc F[C ~<-chan int](c C) int { return <-c }", nil},
		"waits":                    {"package p\nimport \"time\"\nfunc F() { time.Sleep(1) }", nil},
		"writes out":               {"package p\nimport \"fmt\"\nfunc F() { fmt.Println() }", nil},
		"no body":                  {"package p\nfunc F()", nil},
		"linked":                   {"package p\nimport _ \"unsafe\"\n//go:linkname F runtime.gosched\nfunc F() {}", nil},
		"memory":                   {"package p\nimport \"unsafe\"\nfunc F(p *int) unsafe.Pointer { return unsafe.Pointer(p) }", nil},
		"a variable":               {"package p\nvar n int\nfunc F() { n++ }", nil},
		"a part of a variable":     {"package p\nvar x struct{ l []int }\nfunc F() { x.l[0] = 1 }", nil},
		"its address":              {"package p\nvar n int\nfunc F() *int { return &n }", nil},
		"one of the same name":     {"package p\nvar n int\nfunc F() int { var n int; n++; return n }", []string{"F"}},
		"two types":                {"package p\ntype A struct{ b *B }\ntype B struct{ n int }\nfunc (a *A) F() *B { return a.b }\nfunc (b *B) F() { b.n++ }", nil},
		"all is imported":          {"package p\nimport . \"fmt\"\nfunc F() { Println() }", nil},
		"a syntax error":           {"package", nil},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "p.go")
			require.NoError(t, os.WriteFile(file, []byte(c.src), 0o600))
			p := readPlain([]string{file})
			if c.looking == nil {
				require.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			looking := []string{}
			for name, is := range p.looking {
				if is {
					looking = append(looking, name)
				}
			}
			slices.Sort(looking)
			require.Equal(t, c.looking, looking)
		})
	}
}
