package source

import (
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// fromSource are the packages of the standard library that programs load with
// their syntax: containers, which keep what matters in memory of their own. What
// imports such a package has to be type-checked from source too, so that they are
// few, and loaded only where a package of the program imports them.
var fromSource = map[string]bool{"container/heap": true, "container/list": true, "container/ring": true}

// imported returns those packages of the library that the own packages import.
func imported(roots []*packages.Package, own map[string]bool) []string {
	seen := map[string]bool{}
	var out []string
	packages.Visit(roots, nil, func(p *packages.Package) {
		if !own[strings.TrimSuffix(p.PkgPath, "_test")] {
			return
		}
		for path := range p.Imports {
			if fromSource[path] && !seen[path] {
				seen[path] = true
				out = append(out, path)
			}
		}
	})
	sort.Strings(out)
	return out
}
