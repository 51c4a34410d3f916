package forms

import "testing"

func parallel(t *testing.T) { t.Parallel() }

func quiet(t *testing.T) {}

func through(t *testing.T) { parallel(t) }

type suite struct{ t *testing.T }

func (s suite) sub(t *testing.T)  { t.Parallel() }
func (s suite) none(t *testing.T) {}
func (s suite) own()              { s.t.Parallel() }

type outer struct{ *suite }

type subtester interface{ sub(t *testing.T) }

type quieter interface{ none(t *testing.T) }

type of[T any] struct{ v T }

func (o of[T]) generic(t *testing.T) { parallel(t) }

func constrained[S subtester](s S, t *testing.T) {
	t.Run("", func(t *testing.T) { s.sub(t) }) // starts
}

func apply(f func()) { f() }

func generic[T any](t *testing.T, v T) { through(t) }

var table = map[string]func(*testing.T){"": parallel}

func all(t *testing.T, s suite, i subtester, q quieter, o outer, g of[int]) {
	t.Run("", parallel)                                              // starts
	t.Run("", quiet)                                                 // calls
	t.Run("", through)                                               // starts
	t.Run("", func(t *testing.T) { t.Parallel() })                   // starts
	t.Run("", func(t *testing.T) { quiet(t) })                       // calls
	t.Run("", func(t *testing.T) { defer t.Parallel() })             // starts
	t.Run("", func(t *testing.T) { defer parallel(t) })              // starts
	t.Run("", func(t *testing.T) { func() { t.Parallel() }() })      // starts
	t.Run("", func(t *testing.T) { f := parallel; f(t) })            // starts
	t.Run("", func(t *testing.T) { f := t.Parallel; f() })           // calls, the method value has no site
	t.Run("", func(t *testing.T) { apply(func() { t.Parallel() }) }) // starts
	t.Run("", func(t *testing.T) { apply(func() { quiet(t) }) })     // calls
	t.Run("", s.sub)                                                 // starts
	t.Run("", s.none)                                                // calls
	t.Run("", o.sub)                                                 // starts
	t.Run("", func(t *testing.T) { suite{t}.own() })                 // starts
	t.Run("", func(t *testing.T) { s.sub(t) })                       // starts
	t.Run("", func(t *testing.T) { s.none(t) })                      // calls
	t.Run("", func(t *testing.T) { o.suite.sub(t) })                 // starts
	t.Run("", func(t *testing.T) { o.sub(t) })                       // starts
	t.Run("", func(t *testing.T) { i.sub(t) })                       // starts
	t.Run("", func(t *testing.T) { q.none(t) })                      // calls
	t.Run("", func(t *testing.T) { f := i.sub; f(t) })               // starts
	t.Run("", func(t *testing.T) { suite.sub(s, t) })                // starts
	t.Run("", func(t *testing.T) { g.generic(t) })                   // starts
	t.Run("", func(t *testing.T) { generic(t, 1) })                  // starts
	t.Run("", func(t *testing.T) { generic[string](t, "") })         // starts
	t.Run("", g.generic)                                             // starts
	t.Run("", (parallel))                                            // starts
	t.Run("", table[""])                                             // starts
	t.Run("", func(t *testing.T) { t.Run("", parallel) })            // starts
	t.Run("", func(t *testing.T) { t.Run("", quiet) })               // calls
	t.Run("", func(t *testing.T) { helper(t, quiet) })               // starts
	t.Run("", func(t *testing.T) { constrained(s, t) })              // starts
	t.Run("", func(t *testing.T) { _ = func() { t.Parallel() } })    // starts
	t.Run("", func(t *testing.T) { go func() { _ = parallel }() })   // starts
	run := t.Run
	run("", parallel)
}

func helper(t *testing.T, f func(*testing.T)) {
	t.Run("", f) // starts
}
