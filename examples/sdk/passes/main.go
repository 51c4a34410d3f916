// Command passes is a script that goes pass by pass: it looks at what each pass has found, keeps
// its bundle, and goes on as long as there is something to prove. The program that it is given
// is built and run.
//
//	passes -entry TestDrain -o bundles ./internal/pool
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/pass"
)

func main() {
	entry := flag.String("entry", "main", "entry point")
	out := flag.String("o", ".", "directory of the bundles")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	src := vtrace.Package(flag.Arg(0), vtrace.Entry(*entry))
	if err := passes(ctx, src, *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, explain(err))
		os.Exit(1)
	}
}

// passes runs one pass after the other.
func passes(ctx context.Context, src vtrace.Source, dir string, out io.Writer) error {
	// How a pass goes on: the callback tells events apart by their types.
	progress := vtrace.Progress(func(e pass.Event) {
		if d, ok := e.(pass.QueryDecided); ok && d.Verdict.Result == "F" {
			fmt.Fprintf(out, "  %s: query %d fails\n", d.Pass, d.Query.Number)
		}
	})
	first, err := vtrace.FirstPass(ctx, src, progress)
	if err != nil {
		return err
	}
	if err := keep(first, dir, out); err != nil || len(first.Findings()) == 0 {
		return err // nothing that could be an error
	}
	second, err := vtrace.SecondPass(ctx, first, progress)
	if err != nil {
		return err
	}
	if err := keep(second, dir, out); err != nil {
		return err
	}
	// A pass may begin with a bundle that was loaded: here, or on another machine.
	if second, err = artifact.Load(filepath.Join(dir, "second.vtz")); err != nil {
		return err
	}
	deep, err := vtrace.DeepPass(ctx, second, progress)
	if err != nil {
		return err
	}
	if err := keep(deep, dir, out); err != nil {
		return err
	}
	for _, f := range deep.Findings() {
		if f.Verdict != artifact.Real {
			continue
		}
		o, err := vtrace.Replay(ctx, deep, f.Test)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "replay of finding %d: %s\n", f.Number, o.Status)
	}
	return nil
}

// keep saves a bundle under the name of its pass, and says what is in it.
func keep(b *vtrace.Bundle, dir string, out io.Writer) error {
	pass := b.Manifest().Pass
	fmt.Fprintf(out, "%s pass:\n", pass)
	for _, f := range b.Findings() {
		fmt.Fprintf(out, "  %s %s at %s:%d\n", f.Verdict, f.Kind, f.File, f.Line)
	}
	return artifact.Save(b, filepath.Join(dir, pass+artifact.Ext))
}

// explain says what one can do about an error. They have types.
func explain(err error) string {
	var refused *pass.RefusedError
	switch errs := vtrace.ProgramErrors(err); {
	case len(errs) > 0:
		e := errs[0]
		return fmt.Sprintf("the program does not build: %s:%d:%d: %s", filepath.Base(e.File), e.Line, e.Col, e.Message)
	case errors.Is(err, vtrace.ErrNoEntry):
		return "name one of the entry points: " + err.Error()
	case errors.As(err, &refused):
		return "the bundle wants what only you can allow: " + err.Error()
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return err.Error()
}
