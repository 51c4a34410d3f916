//go:build go1.25

package orcruntime

import (
	"io"
	"reflect"
	"strings"
)

// A test that has completed is not to be written to: what its goroutines log then, or
// say of its failure, panics. In a run the test under check completes when its entry
// function, its subtests and its cleanups have ended, while its *testing.T has not.

// Logging returns v, what is evaluated last before a method of a *testing.T that logs
// is called, or the *testing.T itself. The minor guard is for goroutines that the test
// may not wait for.
func Logging[T any](site Site, v T) T {
	logging(site, "Log")
	return v
}

// Failing is Logging for a method that says that the test has failed.
func Failing[T any](site Site, v T) T {
	logging(site, "Fail")
	return v
}

// LoggingOn returns x, on which a method is called that logs if x is a *testing.T: then it
// does what Logging does.
func LoggingOn[X any](site Site, x X) X {
	if isTest(x) {
		logging(site, "Log")
	}
	return x
}

// FailingOn is LoggingOn for a method that says that the test has failed.
func FailingOn[X any](site Site, x X) X {
	if isTest(x) {
		logging(site, "Fail")
	}
	return x
}

// isTest: x is a *testing.T, which this package does not import.
func isTest(x any) bool {
	t := reflect.TypeOf(x)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().Name() == "T" && t.Elem().PkgPath() == "testing"
}

// TestOutput returns w, the writer that a *testing.T has for others to log to, with what
// Logging does in front of each Write.
func TestOutput(site Site, w io.Writer) io.Writer { return testOutput{site, w} }

type testOutput struct {
	site Site
	w    io.Writer
}

func (o testOutput) Write(p []byte) (int, error) {
	logging(o.site, "Log")
	return o.w.Write(p)
}

// LogValue returns f, a method of a *testing.T that logs, to be called later: as Logging
// does, in front of each call.
func LogValue(site Site, f func(...any)) func(...any) {
	return func(args ...any) { f(Logging(site, args)...) }
}

// LogfValue is LogValue for Logf.
func LogfValue(site Site, f func(string, ...any)) func(string, ...any) {
	return func(format string, args ...any) { f(format, Logging(site, args)...) }
}

// ErrorValue is LogValue for Error, as Failing does.
func ErrorValue(site Site, f func(...any)) func(...any) {
	return func(args ...any) { f(Failing(site, args)...) }
}

// ErrorfValue is ErrorValue for Errorf.
func ErrorfValue(site Site, f func(string, ...any)) func(string, ...any) {
	return func(format string, args ...any) { f(format, Failing(site, args)...) }
}

// FailValue is ErrorValue for Fail.
func FailValue(site Site, f func()) func() {
	return func() { Failing(site, f)() }
}

func logging(site Site, what string) {
	g := controlledTest()
	if g == nil || g.path == entryPath {
		return
	}
	g.acting = site
	g.afterTest(what)
	if at := site.minor(opLog); g.passed[at] < mapStops {
		g.stop(opLog, site)
		g.afterTest(what)
	}
	g.acting = 0
}

// afterTest panics if the test under check has completed.
func (g *goroutine) afterTest(what string) {
	g.run.exec.touch(touched{space: spaceTest}, touchRead)
	if s := g.run; g.path != entryPath && s.cfg.Entry == EntryTest && s.entryEnded() {
		panic(what + " in goroutine after " + s.testName() + " has completed")
	}
}

// testName is the name of the test under check.
func (s *run) testName() string {
	if site, ok := siteOf(s.cfg.EndSite); ok {
		if f := site.info().Func; f != "" {
			return f[strings.LastIndex(f, ".")+1:]
		}
	}
	return "the test"
}

// skips reports whether the end of a test at the site says no more than that.
func (site Site) skips() bool { return strings.Contains(site.info().Text, ".Skip") }

// NoParallel returns f, a method of a *testing.T that parallel tests may not call.
func NoParallel[F any](f F) F {
	if g := controlledTest(); g != nil {
		for t := g.scope; t != nil; t = t.parent {
			if t.wasParallel {
				panic(parallelConflict)
			}
		}
		g.scope.alone = true
	}
	return f
}

// runInCleanup is said of t.Run from when a test has returned until its cleanups have.
const runInCleanup = "testing: t.Run called during t.Cleanup"

const parallelConflict = "testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel"

// becomesParallel notes that a test has called t.Parallel.
func (t *scope) becomesParallel() {
	if t.wasParallel {
		panic("testing: t.Parallel called multiple times")
	}
	if t.alone {
		panic(parallelConflict)
	}
	t.wasParallel = true
}
