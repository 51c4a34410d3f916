// Package recording has the binary form of recorded runs, docs/trace.md describes it: what a program
// that is recorded has written is converted to it, and it is read as a stream, or as a trace.Trace.
//
// Readers and writers are for one goroutine at a time. What they read may come from anywhere: it
// takes memory in proportion to what is asked for, and is an error of type *CorruptError,
// *VersionError or *LimitError if it is wrong, too new or too large.
package recording

import "fmt"

// CorruptError says what is wrong with a recording.
type CorruptError struct{ Reason string }

func (e *CorruptError) Error() string { return "recording: " + e.Reason }

// VersionError says that a recording is of a format that is not known here.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("recording: its format has version %d, and this vtrace reads up to version %d", e.Version, Version)
}

// LimitError says that there is more than was asked for.
type LimitError struct {
	What string
	Max  int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("recording: more than %d %s", e.Max, e.What)
}

func corrupt(format string, args ...any) error {
	return &CorruptError{fmt.Sprintf(format, args...)}
}
