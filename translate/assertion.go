package translate

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
)

// An assertion of a library that is given the test ends it where it fails, by
// FailNow, in code that is not part of the program. What those of some libraries ask
// for is known, as far as it is whether something is nil or true. Of the others it is
// not known whether they fail: the model goes on, and says so.

// assertion is a call that may end the test.
type assertion struct {
	always bool
	// subject is the argument that decides, nil if that is not known; it fails if the
	// subject is nil or false, or, negated, if it is neither.
	subject ssa.Value
	negated bool
	// reflects: what is nil in an interface counts as nil, as it does for those that look
	// at it by reflection. Those of errors compare the interface with nil.
	reflects bool
}

// asserted are assertions that are decided by their second argument, and whether they
// fail if that is nil or false; reflecting are those that look at it by reflection, and
// asserting the packages that have them.
var (
	asserted   = map[string]bool{"NoError": false, "Nil": false, "False": false, "Error": true, "NotNil": true, "True": true}
	reflecting = map[string]bool{"Nil": true, "NotNil": true}
	asserting  = map[string]bool{testify + "require": true, "github.com/zeebo/assert": true}
)

const testify = "github.com/stretchr/testify/"

// assertion recognises a call that may end the test, nil if it is none.
func (p *program) assertion(instr ssa.Instruction) *assertion {
	call, ok := instr.(*ssa.Call)
	if !ok || !p.src.Test {
		return nil
	}
	f := call.Call.StaticCallee()
	if f == nil || f.Blocks != nil || p.operation(f) != nil || f.Object() == nil || f.Object().Pkg() == nil {
		return nil
	}
	path := f.Object().Pkg().Path()
	if path == "testing" || strings.HasPrefix(path, "testing/") {
		return nil
	}
	name := f.Name()
	if path == testify+"assert" && strings.HasPrefix(name, "FailNow") {
		return &assertion{always: true}
	}
	if !p.givenTest(f.Signature) {
		return nil
	}
	if !asserting[path] {
		return &assertion{}
	}
	name = strings.TrimSuffix(name, "f")
	if path == testify+"require" && (name == "Fail" || name == "FailNow") {
		return &assertion{always: true}
	}
	fails, known := asserted[name]
	if !known || len(call.Call.Args) < 2 || !decides(call.Call.Args[1]) {
		return &assertion{}
	}
	return &assertion{subject: call.Call.Args[1], negated: !fails, reflects: reflecting[name]}
}

// decides reports that it can be seen whether a value is nil, or false.
func decides(v ssa.Value) bool {
	switch t := v.Type().Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Basic:
		return t.Info()&types.IsBoolean != 0
	}
	return false
}

// givenTest reports that a function has a test that it can end: as an argument, or
// in its receiver.
func (p *program) givenTest(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if endsTest(sig.Params().At(i).Type()) {
			return true
		}
	}
	if sig.Recv() == nil {
		return false
	}
	st, ok := pointee(sig.Recv().Type()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if endsTest(st.Field(i).Type()) {
			return true
		}
	}
	return false
}

// endsTest reports that a type has the method by which a test is ended.
func endsTest(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer:
	default:
		return false
	}
	m, _, _ := types.LookupFieldOrMethod(t, false, nil, "FailNow")
	f, ok := m.(*types.Func)
	return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 0
}

// assert executes an assertion: it ends the test, or goes on with pass.
func (x *translator) assert(p *path, site *ssa.Call, a *assertion, pass func(q *path) bool) bool {
	fail := func(q *path) {
		guess, s := q.picks > 0, q.statement(site)
		x.failure(q, s, guess)
		if !guess && q.inSubtest() {
			q.note("subtest", artifact.DirectionUnder, subtestEnds)
		}
		x.raise(q, &unwind{goexit: true, site: s, pos: q.here(), detail: "fatal"}, nil)
	}
	if a.always {
		fail(p)
		return true
	}
	var fails *expr
	if a.subject != nil {
		val := p.value(p.peek().ctx, a.subject)
		fails = eq(val[0], 0)
		if a.reflects {
			var ok bool
			if fails, ok = x.holdsNil(p, val); !ok {
				return false
			}
		}
		if a.negated {
			fails = not(fails)
		}
		fails = p.simplify(fails)
	}
	if fails == nil || fails.unknownIn() != nil {
		p.note(artifact.ApproximationAssertion, artifact.DirectionBound,
			"whether this assertion ends the test depends on what the model does not keep: in the model it does not")
		return pass(p)
	}
	x.branch(p, fails, site.Pos(), "", fail, func(q *path) { pass(q) })
	return false
}

// holdsNil is the condition that an interface is nil, or holds a value that is. ok is false
// if the path does not go on.
func (x *translator) holdsNil(p *path, val []*expr) (e *expr, ok bool) {
	tag := p.simplify(val[0])
	tags := p.abs(tag)
	if tag.unknownIn() != nil || tags.top {
		return unknown("what an interface holds"), true
	}
	e = eq(tag, 0)
	lo, hi := tags.bounds()
	for k := max(lo, 1); k <= hi; k++ {
		if !tags.has(k) {
			continue
		}
		t, scalar := x.mem.typeOf(k), val[1]
		if t == nil {
			return unknown("what an interface holds"), true
		}
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		case *types.Slice:
			if !tag.isConst() {
				return unknown("a slice in an interface"), true
			}
			parts, ok := x.unbox(p, scalar, t)
			if !ok {
				return nil, false
			}
			scalar = parts[0]
		default:
			continue // its values are never nil
		}
		e = or(e, and(eq(tag, k), eq(scalar, 0)))
	}
	return e, true
}
