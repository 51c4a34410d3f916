package pass

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVariableAt: what is made has the name of the variable that it is in, or is assigned to.
func TestVariableAt(t *testing.T) {
	for text, want := range map[string]string{
		"var left, @right side":                                                              "right",
		"a, b := make(chan int), make@(chan int)":                                            "b",
		"var a, b = make@(chan int), make(chan int)":                                         "a",
		"s.done = make@(chan int)":                                                           "s.done",
		"s.cond = sync.NewCond@(&s.mu)":                                                      "s.cond",
		"s := &server{in: make(chan int), done: make@(chan int)}":                            "s.done",
		"s := &server@{in: make(chan int)}":                                                  "s",
		"s := server{make(chan int), make@(chan int)}":                                       "",
		"s := start(make@(chan int))":                                                        "",
		"return &server{done: make@(chan int)}":                                              "done",
		"return make@(chan int)":                                                             "",
		"f := func() { g(make@(chan int)) }":                                                 "",
		"v := pairs(func() (chan int, chan int) { return make(chan int), make@(chan int) })": "",
		"x, y := both@()":                                                                    "",
	} {
		at := strings.Index(text, "@")
		const before = "package p\n\nfunc f() {\n"
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "a.go", before+strings.Replace(text, "@", "", 1)+"\n}\n", 0)
		require.NoError(t, err, text)
		require.Equal(t, want, variableAt(file, file.FileStart+token.Pos(len(before)+at)), text)
	}
}
