package relevance

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// mark finds the instructions at which annotated statements begin, and asks for
// what decides whether they are reached.
func (s *Slice) mark() {
	s.Annotated = s.prog.Annotations()
	s.Marks = map[ssa.Instruction]*program.Annotation{}
	for _, a := range s.Annotated {
		if a.Stmt == nil {
			continue
		}
		for _, f := range s.prog.Funcs {
			if f.Syntax() != a.In {
				continue
			}
			a.Runs = true
			if instr := s.prog.Beginning(f, a.Stmt); instr != nil {
				s.Marks[instr] = a
				s.needBlock(instr.Block())
			}
		}
	}
}
