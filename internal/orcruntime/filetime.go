//go:build go1.25

package orcruntime

import (
	"reflect"
	"time"
)

// The operating system has a clock of its own, by which it says when a file was changed. So that
// a program can compare that with what its clock shows, both begin with the run: a file that was
// written an hour before the run is an hour old for the program, and one that the run writes is
// new, by what its clock showed at the start of the run.

// FileTimes is what instrumented code takes the ModTime of for that of what a file is like.
func FileTimes(of fileInfo) fileInfo {
	if isOfSystem(of) {
		return systemInfo{of}
	}
	return of
}

// fileInfo is what matters here of an fs.FileInfo.
type fileInfo = interface{ ModTime() time.Time }

type systemInfo struct{ of fileInfo }

func (i systemInfo) ModTime() time.Time { return i.of.ModTime().Add(clockAhead()) }

// SystemTime is the time that instrumented code gives to a file, for the operating system. The zero
// time leaves a file's as it is.
func SystemTime(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-clockAhead())
}

// clockAhead is by how much the clock of the run is ahead of that of the operating system, 0 where it is that one.
func clockAhead() time.Duration {
	s := active.Load()
	if s == nil || s.back != nil || s.caller() == nil || s.bubbles > 0 || !s.readings.lags {
		return 0
	}
	return s.start.Sub(s.began)
}

// isOfSystem reports that the operating system has filled info, and not the program, by its own clock.
func isOfSystem(info fileInfo) bool {
	return info != nil && reflect.TypeOf(info).String() == "*os.fileStat"
}
