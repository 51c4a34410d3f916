package main

import (
	"fmt"
	"os"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/report"
)

// sarifLog is the file of -sarif, "" if there is none. It is written anew with each result, so
// that what is known is in it whenever the check ends; before the last one it says that it is not
// complete.
type sarifLog struct {
	path string
	log  report.Log
}

// add writes the log with the result of an entry point: a bundle, or why there is none.
func (l *sarifLog) add(entry string, b *vtrace.Bundle, failed error, complete bool) error {
	switch {
	case l.path == "":
		return nil
	case b == nil:
		l.log.Fail(entry, failed)
	default:
		if err := l.log.Add(b); err != nil {
			return fmt.Errorf("-sarif: %w", err)
		}
	}
	return l.write(complete)
}

// write writes what was added. Who reads the file sees what it was before or this.
func (l *sarifLog) write(complete bool) error {
	if l.path == "" {
		return nil
	}
	err := artifact.ReplaceFile(l.path, func(f *os.File) error { return l.log.Write(f, complete) })
	if err != nil {
		return fmt.Errorf("-sarif: %w", err)
	}
	return nil
}
