package source

import "slices"

// Imports are the import paths of the packages outside of the program that its packages import,
// sorted.
func (prog *Program) Imports() []string {
	own := map[string]bool{"C": true, "unsafe": true} // or no packages that are compiled
	for _, p := range prog.Packages {
		own[p.PkgPath] = true
	}
	var out []string
	for _, p := range prog.Packages {
		for _, imp := range p.Imports {
			if !own[imp.PkgPath] {
				out = append(out, imp.PkgPath)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
