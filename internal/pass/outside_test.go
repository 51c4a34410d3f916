package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// A program without a model is instrumented and run all the same, and nothing is
// claimed of it that the runs do not show.
func TestOutside(t *testing.T) {
	programs.InLong(t)
	ctx := context.Background()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

func main() {
	c := make(chan int)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if <-c == 2 {
		close(c)
	}
	<-c
}
`), 0o600))
	opts, err := Options{Model: &Model{Continue: true}}.withDefaults()
	require.NoError(t, err)
	_, s, err := first(ctx, load, source.Spec{Dir: dir}, opts)
	require.NoError(t, err)
	s.model = s.program.outside(fmt.Errorf("translate: %w", multierror.Append(nil, &translate.UnsupportedError{
		Pos: token.Position{Filename: "main.go", Line: 4, Column: 7}, What: "channel operation", Reason: "too large",
	})))
	require.NoError(t, put(s.out, s.model))
	record(s.out, s.model.Queries, &s.model.Sidecar, &searched{})
	b, err := s.out.Bundle()
	require.NoError(t, err)
	opts.Root, opts.Model = dir, nil
	b, err = second(ctx, b, s, opts)
	require.NoError(t, err)
	b, err = deepen(ctx, b, s, opts)
	require.NoError(t, err)
	net, err := uppaal.ReadXML(bytes.NewReader(b.Model()))
	require.NoError(t, err)
	_, err = uppaal.Check(net)
	require.NoError(t, err)
	c := Conclude(b)
	require.Equal(t, []string{"main.go:4:7: not in the model: there is no model of the program: channel operation not supported: too large"}, c.Limits)
	require.Equal(t, Precision{Outside: 1}, c.Precision)
	require.Equal(t, ExploreRuns, b.Runs().Runs)
	require.Len(t, b.Findings(), 1)
	f := b.Findings()[0]
	require.Equal(t, "real send on closed channel at main.go:5", fmt.Sprintf("%s %s at %s:%d", f.Verdict, f.Kind, f.File, f.Line))
	require.Nil(t, (&program{}).outside(errors.New("disk full")))
}

// Who waits in code of others is said to be there.
func TestStuckInLibrary(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	b, err := Check(context.Background(), programs.Main(t, `package main

import "io"

func main() {
	r, _ := io.Pipe()
	r.Read(nil)
}
`), Options{})
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1)
	require.Equal(t, "all goroutines are asleep, main in a call of uninstrumented code", b.Findings()[0].Message)
}
