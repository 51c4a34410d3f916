// Package proxyfile reads the names of files as a module proxy has them, by which bundles have modules.
package proxyfile

import (
	"path"
	"strings"

	"golang.org/x/mod/module"
)

// File is a module as the go command takes it from a proxy.
type File struct {
	Module, Version string
	// Ext is ".mod" for the go.mod file, ".zip" for all files, and ".info" for the version.
	Ext string
}

// toolchains is the module that the go command downloads toolchains as. It is no dependency of
// any program, and would be run.
const toolchains = "golang.org/toolchain"

// Parse reads a path relative to the directory that has them.
func Parse(name string) (f File, ok bool) {
	dir, file := path.Split(name)
	escaped, ok := strings.CutSuffix(dir, "/@v/")
	if !ok {
		return File{}, false
	}
	f.Ext = path.Ext(file)
	if f.Ext != ".info" && f.Ext != ".mod" && f.Ext != ".zip" {
		return File{}, false
	}
	var err error
	if f.Module, err = module.UnescapePath(escaped); err != nil || f.Module == toolchains {
		return File{}, false
	}
	f.Version, err = module.UnescapeVersion(strings.TrimSuffix(file, f.Ext))
	if err != nil || module.CanonicalVersion(f.Version) != f.Version || module.Check(f.Module, f.Version) != nil {
		return File{}, false
	}
	return f, true
}
