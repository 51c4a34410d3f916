package blackbox_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// generate writes an example as a module of its own.
func generate(t testing.TB, name string, form examples.Form, n int) (dir string, spec source.Spec, wants []programs.Want) {
	t.Helper()
	dir, files := programs.Example(t, name, form, n)
	spec = source.Spec{Dir: dir, Pattern: "."}
	if form == examples.Test {
		p, _ := examples.Find(name)
		spec.Entry = p.TestName()
	}
	return dir, spec, programs.Wants(files)
}

// found lists the findings in the form of the expectations.
func found(b *artifact.Bundle) (out []string) {
	for _, f := range b.Findings() {
		out = append(out, fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Verdict, f.Kind))
	}
	return out
}

// In every faulty example the error is found and reproduced, at its line; in
// the correct ones there is nothing, and nothing is left open.
func TestExamples(t *testing.T) {
	for i, p := range examples.Programs() {
		if !sampled(i) {
			continue
		}
		for k, form := range []examples.Form{examples.Main, examples.Test} {
			if !*examplesAll && (i/2)%2 != k {
				continue
			}
			t.Run(p.Name+"/"+string(form), func(t *testing.T) {
				t.Parallel()
				example(t, p, form, pass.Options{})
			})
		}
	}
}

// Shared variables need guards at statements: those that the model asks for, or
// all of them.
func TestExamplesEveryLine(t *testing.T) {
	programs.InLong(t)
	for i, p := range examples.Programs() {
		if strings.HasPrefix(p.Name, "sharedvar") && sampled(i) && oneOf(2, i/2) {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				example(t, p, examples.Main, pass.Options{Model: &pass.Model{EveryLine: true}})
			})
		}
	}
}

func example(t *testing.T, p examples.Program, form examples.Form, opts pass.Options) {
	t.Helper()
	_, spec, wants := generate(t, p.Name, form, 0)
	b, err := pass.Check(context.Background(), spec, opts)
	require.NoError(t, err)
	var want []string
	for _, w := range wants {
		want = append(want, fmt.Sprintf("%s:%d: real: %s", w.File, w.Line, w.Kind))
	}
	require.Equal(t, want, found(b), "%+v", b.Findings())
	c := pass.Conclude(b)
	require.Empty(t, c.Limits)
	require.Equal(t, strings.HasSuffix(p.Name, "_fixed"), c.Real == 0)
}

// The passes run one by one, through saved bundles and on the copy of the
// program in them, give the same bytes as all in one, and again.
func TestStagesIndependent(t *testing.T) {
	programs.InLong(t)
	for _, name := range []string{"sequences", "sharedvar_increment", "mutexloopconst_fixed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			dir, spec, _ := generate(t, name, examples.Main, 0)
			whole, err := pass.Check(ctx, spec, pass.Options{})
			require.NoError(t, err)

			save := saved(t)
			first := save(pass.First(ctx, spec, pass.Options{}))
			require.NoError(t, os.RemoveAll(dir)) // the bundle has all that is needed
			second := save(pass.Second(ctx, first, pass.Options{}))
			deep := save(pass.Deep(ctx, second, pass.Options{}))
			same(t, whole, deep)
		})
	}
}

func TestWrongPass(t *testing.T) {
	_, spec, _ := generate(t, "funcarg", examples.Main, 0)
	first, err := pass.First(context.Background(), spec, pass.Options{})
	require.NoError(t, err)
	_, err = pass.Deep(context.Background(), first, pass.Options{})
	require.ErrorContains(t, err, "bundle of the first pass")
}
