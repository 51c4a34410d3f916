//go:build go1.25

package orcutil

// Cleanup is t.Cleanup(f) of the test under check; register is t.Cleanup. In a
// run, f is called in the entry goroutine when the entry function has returned,
// panicked or ended, before the guard at its end, the last one first.
func Cleanup(register func(func()), f func()) {
	s := controlledTest()
	if s == nil {
		register(f)
		return
	}
	s.cleanups = append(s.cleanups, f)
}

// Subtest calls f and then, however it ends, what f has left to Cleanup: in a
// run, a subtest is a call.
func Subtest(f func()) {
	if s := controlledTest(); s != nil {
		defer s.cleanUp(len(s.cleanups))
	}
	f()
}

// controlledTest is the run of a test that the calling goroutine belongs to.
func controlledTest() *run {
	s := active.Load()
	if s == nil || s.cfg.Entry != EntryTest || s.dying.Load() || s.caller() == nil {
		return nil
	}
	return s
}

// cleanUp calls the functions left to Cleanup but the n first. One that panics
// or ends the goroutine does not keep the others from being called.
func (s *run) cleanUp(n int) {
	if len(s.cleanups) <= n || s.dying.Load() {
		return
	}
	defer s.cleanUp(n)
	last := len(s.cleanups) - 1
	f := s.cleanups[last]
	s.cleanups = s.cleanups[:last]
	f()
}
