package parse

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs that end in all the ways that print a position or a fatal error.
const fatals = `package main

import (
	"fmt"
	"log"
	"os"
)

type server struct{ *log.Logger }

func (server) Output(int, string) error { return nil }

func two() (string, int) { return "two", 2 }

func deferred(s string) {
	defer log.Fatal("deferred ", s)
	s = "changed"
	fmt.Println(s)
}

func deferredReturn(n int) int {
	defer log.Fatalf("%d %s", n, "format")
	if n > 0 {
		return n
	}
	return 2
}

var nilFunc func()

type caller struct{ f func(int) }

func main() {
	log.SetFlags(log.Lshortfile)
	l := log.New(os.Stderr, "prefix: ", log.Lshortfile|log.Lmsgprefix)
	nop := func() {}
	switch os.Args[1] {
	case "plain":
		log.Fatal("plain", 1, 2)
	case "line":
		log.Fatalln("line",
			1)
	case "format":
		log.Fatalf("%s-%d",
			"a", 3)
	case "tuple":
		log.Fatalln(two())
	case "spread":
		log.Fatal([]any{1, "x"}...)
	case "method":
		l.Fatal("method")
	case "embedded":
		server{l}.Fatalf("%v", 1)
	case "deferred":
		deferred("early")
	case "return":
		deferredReturn(1)
	case "literal":
		defer func() { log.Fatal("in a literal") }()
	case "value":
		f := log.Fatal
		f("value")
	case "valueline":
		f := l.Fatalln
		f("value", "line")
	case "valueformat":
		f := log.Fatalf
		defer f("%s", "value")
	case "go":
		go nilFunc()
		fmt.Println("not here")
	case "gofield":
		go (caller{}).f(1)
		select {}
	case "gonop":
		go nop()
		fmt.Println("here")
	}
}
`

// TestFatal: free, the instrumented program prints what the original does.
func TestFatal(t *testing.T) {
	prog := load(t, fatals)
	o, err := Instrument(context.Background(), prog, Index(prog), Options{EveryLine: true})
	require.NoError(t, err)
	require.Empty(t, o.Diagnostics)
	json, err := o.Write(t.TempDir(), prog.Root, goroot(t))
	require.NoError(t, err)
	want, got := binary(t, "want"), binary(t, "got")
	out, code := run(t, prog.Root, "go", "build", stripped, "-o", want, ".")
	require.Zero(t, code, out)
	out, code = run(t, prog.Root, "go", "build", stripped, "-overlay", json, "-o", got, ".")
	require.Zero(t, code, out)
	for line := range strings.Lines(fatals) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "case ")
		if !ok {
			continue
		}
		name = strings.Trim(name, `":`)
		a, errA := exec.Command(want, name).CombinedOutput()
		b, errB := exec.Command(got, name).CombinedOutput()
		textA, _, _ := strings.Cut(string(a), "\n\n") // without the stacks
		textB, _, _ := strings.Cut(string(b), "\n\n")
		textA, _, _ = strings.Cut(textA, "\n[signal ") // and addresses
		textB, _, _ = strings.Cut(textB, "\n[signal ")
		require.Equal(t, textA, textB, name)
		require.Equal(t, errA == nil, errB == nil, name)
	}
}
