package emission

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Reveal makes the guards of a Source model visible.
func Reveal(network *uppaal.Network, sidecar *artifact.Sidecar) {
	for i, info := range sidecar.Templates {
		for k, e := range info.Edges {
			if passes(e.Site, e.Role) {
				s := sidecar.Sites[e.Site]
				network.Templates[i].Edges[k].Comment = fmt.Sprintf("guard %d %s %s:%d", s.ID, s.Kind, s.File, s.Line)
			}
		}
	}
}

// passes reports whether the goroutine of an edge passes a guard on it.
func passes(site int, role string) bool {
	return site != 0 && role != artifact.RoleWake && role != artifact.RoleLocal && role != artifact.RoleBirth
}
