package source

import (
	"cmp"
	"fmt"
	"go/version"
	"strings"

	"golang.org/x/mod/modfile"
)

// debugDirectives are the go:debug comments of the package of the entry.
func (prog *Program) debugDirectives() []string {
	var out []string
	for _, file := range prog.Entry.Syntax {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if c.Pos() < file.Package && strings.HasPrefix(c.Text, "//go:debug ") {
					out = append(out, c.Text)
				}
			}
		}
	}
	return out
}

// AsyncTimers reports that the channels of the program's timers have a buffer, as in modules of Go before 1.23, unless they
// say otherwise: GODEBUG has asynctimerchan=1. See https://go.dev/doc/godebug.
func (prog *Program) AsyncTimers() (bool, error) {
	release, settings := prog.GoVersion, map[string]string{}
	if prog.Entry != nil {
		var err error
		if release, err = prog.debugSettings(settings); err != nil {
			return false, fmt.Errorf("settings of GODEBUG: %w", err)
		}
	}
	if value, ok := settings["asynctimerchan"]; ok {
		return value != "0", nil
	}
	// "default" is a release whose settings the others are.
	of := cmp.Or(settings["default"], "go"+release)
	return version.IsValid(of) && version.Compare(of, "go1.23") < 0, nil
}

// debugSettings adds the settings of GODEBUG that the program is built with, and returns the go line of its module or, if
// it is in a workspace, that of the workspace, which the settings then are of as well.
func (prog *Program) debugSettings(settings map[string]string) (release string, err error) {
	work := ""
	if prog.workspace != nil {
		if work, err = prog.workspace(); err != nil {
			return "", err
		}
	}
	release = prog.GoVersion
	var lines []*modfile.Godebug
	switch m := prog.Entry.Module; {
	case work != "":
		data, err := prog.ReadFile(work)
		if err != nil {
			return "", err
		}
		f, err := modfile.ParseWork(work, data, nil)
		if err != nil {
			return "", err
		}
		if lines = f.Godebug; f.Go != nil {
			release = f.Go.Version
		}
	case m != nil && m.GoMod != "":
		data, err := prog.ReadFile(m.GoMod)
		if err != nil {
			return "", err
		}
		f, err := modfile.Parse(m.GoMod, data, nil)
		if err != nil {
			return "", err
		}
		lines = f.Godebug
	}
	for _, l := range lines {
		settings[l.Key] = l.Value
	}
	for _, text := range prog.debugDirectives() {
		if key, value, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(text, "//go:debug")), "="); ok {
			settings[key] = value
		}
	}
	return release, nil
}
