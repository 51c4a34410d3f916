package state

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A Template is the automaton of the goroutines that one go statement, in one
// calling context, starts with one function; or of the entry goroutine.
type Template struct {
	Index     int
	Key       string
	Name      string
	Parent    *Template
	Origin    ssa.Instruction // the go statement; nil for the entry
	Fn        *ssa.Function   // entry function, nil if it is a guarded operation
	Root      *CallPath
	Slots     int
	Once      bool // at most one goroutine in a whole run
	Serial    bool // a subtest of a goroutine that has started none but subtests
	Daemon    bool // started by package initialisation, or by such a goroutine
	Site      sites.Site
	Scope     *CallPath // the call of t.Run that it is started in, nil for none
	Target    string    // names what the goroutine calls
	Start     []*Frame  // its stack at the first guard
	StartSite sites.ID
	Subtest   bool   // its goroutines are subtests: a test ends when they have
	ModelName string // unique, part of what the model names of it

	automaton
	variables
	handedOver
	Calls map[callKey]*CallPath
}

// NewTemplate is a template without locations.
func NewTemplate(t Template) *Template {
	t.automaton = automaton{ByKey: map[string]*Location{}}
	t.variables = variables{byKey: map[VarKey]*Variable{}, Inits: map[*Variable]int32{}}
	t.Calls = map[callKey]*CallPath{}
	return &t
}

// Reached are the locations that processes start at or that edges lead to: only these are
// part of the model.
func (t *Template) Reached() map[*Location]bool {
	reached := map[*Location]bool{t.Idle: true}
	if t.First != nil {
		reached[t.First] = true
	}
	for _, ed := range t.Edges {
		reached[ed.To] = true
	}
	return reached
}

// Variable returns the variable of a value, made on first use.
func (t *Template) Variable(k VarKey, name func() string) *Variable {
	if v := t.byKey[k]; v != nil {
		return v
	}
	v := &Variable{Template: t, ID: uint64(t.Index)<<32 + uint64(len(t.List)), Name: name()}
	v.Expr = sym.Read(sym.OpVar, v, 0)
	t.byKey[k] = v
	t.List = append(t.List, v)
	return v
}

// automaton is what a template becomes in the model.
type automaton struct {
	Locations []*Location
	ByKey     map[string]*Location
	Idle      *Location
	First     *Location // the Start guard, or where the entry begins
	Edges     []*Edge
}

// variables are those of the goroutines of a template.
type variables struct {
	byKey map[VarKey]*Variable
	List  []*Variable
	Inits map[*Variable]int32 // of the entry
}

// handedOver is what a goroutine gets from the one that starts it.
type handedOver struct {
	Handed []VarKey  // in order
	Refs   []bool    // which of it are references
	Args   []sym.Set // what each can be
}

// Variable is a value of a goroutine that lives across a guard.
type Variable struct {
	Template *Template
	ID       uint64
	Name     string
	Abs      sym.Set // all it holds where it is stored
	Expr     *sym.Expr
	Refs     bool // holds references
	Ref      bool // holds references to objects of pools: it is global, so that the allocators can see it
}

// Key is the number of the variable in the program.
func (v *Variable) Key() uint64 { return v.ID }

// VariableOf is the variable that an expression reads.
func VariableOf(e *sym.Expr) *Variable { return e.Leaf.(*Variable) }

// VarKey names a value: of an activation, with its component.
type VarKey struct {
	Call *CallPath
	V    any // ssa.Value, ArgKey, DeferKey or PanicKey
	Comp int
}

// ArgKey is an argument of an operation, or of a goroutine.
type ArgKey int

// DeferKey holds the operands of a deferred call, or of a function registered
// by Cleanup.
type DeferKey struct {
	Instr   ssa.CallInstruction
	Nth     int
	Cleanup bool
	Context bool // the end of the context of a test, no call
	Join    bool // where a test waits for its parallel subtests, no call
}

// Library reports that no defer statement has deferred it.
func (d DeferKey) Library() bool { return d.Cleanup || d.Context || d.Join }

// PanicKey holds the value of a panic on its way.
type PanicKey struct{}

// LiveValue is one scalar that is live at a location.
type LiveValue struct {
	Key      VarKey
	Variable *Variable
}
