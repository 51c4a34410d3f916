//go:build go1.25

package orcruntime

import (
	"reflect"
	"runtime"
	"slices"
	"unsafe"
)

// Finalized reports whether the calling goroutine is under the control of a run,
// where finalizers and cleanups are never called: a goroutine of the library
// would, at a time of its own. The run remembers that x has f for one, or, if f
// is nil, that it has none any more.
func Finalized(x, f any) bool {
	s := controlling()
	if s == nil {
		return false
	}
	if f != nil && s.exec != nil {
		s.exec.finalizes = true
	}
	if f != nil && s.races != nil {
		s.races.finalizes(f)
	}
	v := reflect.ValueOf(x)
	switch {
	case v.Kind() != reflect.Pointer:
	case f == nil:
		delete(s.finalized, v.UnsafePointer())
	default:
		if s.finalized == nil {
			s.finalized = make(map[unsafe.Pointer]bool)
		}
		s.finalized[v.UnsafePointer()] = true
	}
	return true
}

// finalizes notes a function whose accesses are not looked at.
func (r *races) finalizes(f any) {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return
	}
	name := runtime.FuncForPC(v.Pointer()).Name()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.finalizers, name) {
		r.finalizers = append(r.finalizers, name)
	}
}
