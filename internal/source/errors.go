package source

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/go-multierror"
	"golang.org/x/tools/go/packages"
)

// ProgramError is an error in the program under check, as the compiler or the go command has
// found it.
type ProgramError struct {
	// File is the absolute name of the file, "" if the error has no place.
	File string
	// Line and Col count from 1, Col in bytes; they are 0 where they are not known.
	Line, Col int
	Message   string
}

// ProgramErrors are the errors in the program that err, of a call that loads it, consists of,
// in their order; nil if it is an error of another kind.
func ProgramErrors(err error) []ProgramError {
	var many *multierror.Error
	var one packages.Error
	switch {
	case errors.As(err, &many):
		var out []ProgramError
		for _, e := range many.Errors {
			out = append(out, ProgramErrors(e)...)
		}
		return out
	case errors.As(err, &one):
		e := ProgramError{Message: one.Msg}
		e.File, e.Line, e.Col = place(one.Pos)
		return []ProgramError{e}
	}
	return nil
}

// place splits "file:line:col", of which the numbers, or all, may be missing.
func place(pos string) (file string, line, col int) {
	if pos == "" || pos == "-" {
		return "", 0, 0
	}
	file, last := lastNumber(pos)
	if last == 0 {
		return file, 0, 0
	}
	head, first := lastNumber(file)
	if first == 0 {
		return file, last, 0
	}
	return head, first, last
}

// lastNumber cuts the number behind the last colon off a text; 0 if there is none.
func lastNumber(text string) (string, int) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0
	}
	n, err := strconv.Atoi(text[i+1:])
	if err != nil || n <= 0 {
		return text, 0
	}
	return text[:i], n
}
