package translate

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// What a program gets from outside may be different in the next run, with the
// same schedule: random numbers, the order of maps, files, the network. Where
// such a value decides the concurrency, that a replay went another way does not
// prove that no run goes the way of the model.

// inputPackages are the packages whose results come from outside.
var inputPackages = map[string]bool{
	"math/rand": true, "math/rand/v2": true, "crypto/rand": true, "hash/maphash": true,
	"os": true, "os/exec": true, "os/user": true, "io": true, "io/fs": true, "io/ioutil": true, "bufio": true,
	"net": true, "net/http": true, "flag": true, "syscall": true, "database/sql": true,
}

// inputCalls are single functions of other packages.
var inputCalls = map[string]bool{
	"runtime.NumCPU": true, "runtime.NumGoroutine": true, "runtime.GOMAXPROCS": true,
	"fmt.Scan": true, "fmt.Scanf": true, "fmt.Scanln": true, "fmt.Fscan": true, "fmt.Fscanf": true, "fmt.Fscanln": true,
}

// noteInput records a call whose results come from outside.
func (x *translator) noteInput(p *path, site ssa.CallInstruction, tgt target) {
	var f *types.Func
	if c := site.Common(); c.IsInvoke() {
		f = c.Method
	} else if tgt.fn != nil {
		g := tgt.fn
		if o := g.Origin(); o != nil {
			g = o
		}
		f, _ = g.Object().(*types.Func)
	}
	if f == nil || f.Pkg() == nil {
		return
	}
	name := f.FullName()
	if !inputPackages[f.Pkg().Path()] && !inputCalls[name] && !strings.HasPrefix(f.Pkg().Path(), "net/") {
		return
	}
	p.note(artifact.ApproximationInput, artifact.DirectionOver, fmt.Sprintf("what %s returns may be different in another run", name))
}

// inputVariables are variables of libraries that are set from outside.
var inputVariables = map[string]bool{"os.Args": true}

// noteVariable records that a variable is read that is set from outside.
func (x *translator) noteVariable(p *path, v ssa.Value) {
	if g, ok := v.(*ssa.Global); ok && inputVariables[g.String()] {
		p.note(artifact.ApproximationInput, artifact.DirectionOver, g.String()+" may be different in another run")
	}
}

// noteOrder records that the order of a map's elements matters.
func (x *translator) noteOrder(p *path, i *ssa.Next) {
	if i.IsString {
		return
	}
	pos := p.here()
	if !pos.IsValid() {
		pos = i.Iter.Pos()
	}
	if r, ok := i.Iter.(*ssa.Range); ok && !pos.IsValid() {
		pos = r.X.Pos()
	}
	p.noteAt(pos, artifact.ApproximationInput, artifact.DirectionOver, "the order of the elements of a map, or how many there are, may be different in another run")
}
