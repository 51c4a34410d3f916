package artifact

import (
	"path"
	"strings"

	"golang.org/x/mod/module"
)

// ModuleFile is a file below ModulesDir: a module as the go command takes it from a proxy.
type ModuleFile struct {
	Module, Version string
	// Ext is ".mod" for the go.mod file, ".zip" for all files, and ".info" for the version.
	Ext string
}

// toolchains is the module that the go command downloads toolchains as. It is no dependency of
// any program, and would be run.
const toolchains = "golang.org/toolchain"

// ParseModuleFile reads a path relative to ModulesDir.
func ParseModuleFile(name string) (f ModuleFile, ok bool) {
	dir, file := path.Split(name)
	escaped, ok := strings.CutSuffix(dir, "/@v/")
	if !ok {
		return ModuleFile{}, false
	}
	f.Ext = path.Ext(file)
	if f.Ext != ".info" && f.Ext != ".mod" && f.Ext != ".zip" {
		return ModuleFile{}, false
	}
	var err error
	if f.Module, err = module.UnescapePath(escaped); err != nil || f.Module == toolchains {
		return ModuleFile{}, false
	}
	f.Version, err = module.UnescapeVersion(strings.TrimSuffix(file, f.Ext))
	if err != nil || module.CanonicalVersion(f.Version) != f.Version || module.Check(f.Module, f.Version) != nil {
		return ModuleFile{}, false
	}
	return f, true
}

// moduleFile reports whether a path in a bundle is that of a file of a module.
func moduleFile(p string) bool {
	rel, ok := strings.CutPrefix(p, ModulesDir+"/")
	if ok {
		_, ok = ParseModuleFile(rel)
	}
	return ok
}
