package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/report"
)

// sarifLog is the file of -sarif, "" if there is none. It is written anew with each result, so
// that what is known is in it whenever the check ends.
type sarifLog struct {
	path    string
	bundles []*vtrace.Bundle
}

// add writes the log with one more result. Who reads the file sees the one before or this.
func (l *sarifLog) add(b *vtrace.Bundle) error {
	if l.path == "" {
		return nil
	}
	if b != nil {
		l.bundles = append(l.bundles, b)
	}
	if err := l.write(); err != nil {
		return fmt.Errorf("-sarif: %w", err)
	}
	return nil
}

func (l *sarifLog) write() (err error) {
	f, err := os.CreateTemp(filepath.Dir(l.path), "."+filepath.Base(l.path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(report.SARIF(f, l.bundles), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), l.path)
}
