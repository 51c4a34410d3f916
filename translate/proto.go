package translate

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
)

// Reveal makes the guards of a Source model visible, as Options.Proto does: the
// two models differ in nothing else, but for the hash of Options.Hash.
func (m *Model) Reveal() {
	for i, info := range m.Sidecar.Templates {
		for k, e := range info.Edges {
			if passes(e.Site, e.Role) {
				s := m.Sidecar.Sites[e.Site]
				m.Network.Templates[i].Edges[k].Comment = fmt.Sprintf("guard %d %s %s:%d", s.ID, s.Kind, s.File, s.Line)
			}
		}
	}
}

// passes reports whether the goroutine of an edge passes a guard on it.
func passes(site int, role string) bool {
	return site != 0 && role != artifact.RoleWake && role != artifact.RoleLocal && role != artifact.RoleBirth
}
