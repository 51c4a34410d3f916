package artifact

import (
	"encoding/json"
	"fmt"
	"io/fs"
)

// ArgumentError says which argument of a call is of no use: one that is nil, empty or out
// of range.
type ArgumentError struct {
	Name, Reason string
}

func (e *ArgumentError) Error() string { return e.Name + ": " + e.Reason }

// VersionError says that a bundle has a format version that this package does not know: a
// newer one, or one that there has never been.
type VersionError struct {
	// Found is the version, 0 if it is not a number that an int can hold.
	Found int
	// Text is what stands in its place then.
	Text string
	// Known is the newest version that is known.
	Known int
}

func (e *VersionError) Error() string {
	if e.Found > e.Known {
		return fmt.Sprintf("bundle: format version %d is newer than %d, the newest this vtrace reads: use a newer vtrace", e.Found, e.Known)
	}
	found := e.Text
	if found == "" {
		found = fmt.Sprint(e.Found)
	}
	return fmt.Sprintf("bundle: there is no format version %s: this vtrace reads those from 1 to %d", found, e.Known)
}

// versionOf reads a version as it stands in a manifest, and refuses those that are not known.
func versionOf(text json.RawMessage) error {
	e := &VersionError{Known: Version}
	if err := json.Unmarshal(text, &e.Found); err != nil || len(text) == 0 || string(text) == "null" {
		e.Found, e.Text = 0, string(text[:min(len(text), 32)])
		if e.Text == "" {
			e.Text = `""`
		}
		return e
	}
	if e.Found < 1 || e.Found > Version {
		return e
	}
	return nil
}

// CorruptError says which file of a bundle is broken, and how.
type CorruptError struct {
	File string // path in the bundle, "" for the bundle as a whole
	Err  error
}

func (e *CorruptError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("bundle: %v", e.Err)
	}
	return fmt.Sprintf("bundle: %q: %v", e.File, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

func corrupt(file, format string, args ...any) error {
	return &CorruptError{File: file, Err: fmt.Errorf(format, args...)}
}

// ExistsError says what stands where something was to be written. It is fs.ErrExist.
type ExistsError struct {
	Path, Reason string
}

func (e *ExistsError) Error() string { return e.Path + ": " + e.Reason }

// Unwrap returns fs.ErrExist.
func (e *ExistsError) Unwrap() error { return fs.ErrExist }
