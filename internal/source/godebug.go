package source

import (
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
	const setting = "asynctimerchan"
	async := prog.GoVersion != "" && version.Compare("go"+prog.GoVersion, "go1.23") < 0
	if prog.Entry == nil {
		return async, nil
	}
	if m := prog.Entry.Module; m != nil && m.GoMod != "" {
		data, err := prog.ReadFile(m.GoMod)
		if err != nil {
			return false, err
		}
		f, err := modfile.ParseLax(m.GoMod, data, nil)
		if err != nil {
			return false, fmt.Errorf("settings of GODEBUG: %w", err)
		}
		for _, g := range f.Godebug {
			switch {
			case g.Key == setting:
				async = g.Value != "0"
			case g.Key == "default" && version.IsValid(g.Value):
				async = version.Compare(g.Value, "go1.23") < 0
			}
		}
	}
	for _, text := range prog.debugDirectives() {
		switch key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(text, "//go:debug")), "="); {
		case key == setting:
			async = value != "0"
		case key == "default" && version.IsValid(value):
			async = version.Compare(value, "go1.23") < 0
		}
	}
	return async, nil
}
