package program

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An assertion of a library that is given the test ends it where it fails, by
// FailNow, in code that is not part of the program. What those of some libraries ask
// for is known, as far as it is whether something is nil or true. Of the others it is
// not known whether they fail: the model goes on, and says so.

// Assertion is a call that may end the test.
type Assertion struct {
	Always bool
	// Subject is the argument that decides, nil if that is not known; it fails if the
	// Subject is nil or false, or, negated, if it is neither.
	Subject ssa.Value
	Negated bool
	// Reflects: what is nil in an interface counts as nil, as it does for those that look
	// at it by reflection. Those of errors compare the interface with nil.
	Reflects bool
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

// Assertion recognises a call that may end the test, nil if it is none.
func (p *Program) Assertion(instr ssa.Instruction) *Assertion {
	call, ok := instr.(*ssa.Call)
	if !ok || !p.Source.Test {
		return nil
	}
	f := call.Call.StaticCallee()
	if f == nil || f.Blocks != nil || p.Operation(f) != nil || f.Object() == nil || f.Object().Pkg() == nil {
		return nil
	}
	path := f.Object().Pkg().Path()
	if path == "testing" || strings.HasPrefix(path, "testing/") {
		return nil
	}
	name := f.Name()
	if path == testify+"assert" && strings.HasPrefix(name, "FailNow") {
		return &Assertion{Always: true}
	}
	if !p.givenTest(f.Signature) {
		return nil
	}
	if !asserting[path] {
		return &Assertion{}
	}
	name = strings.TrimSuffix(name, "f")
	if path == testify+"require" && (name == "Fail" || name == "FailNow") {
		return &Assertion{Always: true}
	}
	fails, known := asserted[name]
	if !known || len(call.Call.Args) < 2 || !decides(call.Call.Args[1]) {
		return &Assertion{}
	}
	return &Assertion{Subject: call.Call.Args[1], Negated: !fails, Reflects: reflecting[name]}
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
func (p *Program) givenTest(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if endsTest(sig.Params().At(i).Type()) {
			return true
		}
	}
	if sig.Recv() == nil {
		return false
	}
	st, ok := Pointee(sig.Recv().Type()).Underlying().(*types.Struct)
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
