package uppaal

// This file defines what the type checker finds out about a network: what
// every name stands for, the type of every expression, the constants, and the
// processes that the system line makes of the templates.

// Type is a checked type: one of Bool, Int, Chan, Array, Struct, Scalar, Void.
// Clocks and doubles are recognised and rejected by Check.
type Type interface{ typ() }

type (
	// Bool holds 0 or 1.
	Bool struct{}
	// Int holds the integers from Lo to Hi inclusive.
	Int struct{ Lo, Hi int32 }
	// Chan is a synchronisation channel.
	Chan struct{ Urgent, Broadcast bool }
	// Array is indexed from Lo to Hi inclusive; Elem may be an Array.
	Array struct {
		Elem   Type
		Lo, Hi int32
		// Scalar is the index set if the array is indexed by a scalar type.
		Scalar *Scalar
	}
	// Struct has named fields in declaration order.
	Struct struct{ Fields []FieldType }
	// FieldType is one field of a Struct.
	FieldType struct {
		Name string
		Type Type
	}
	// Scalar is a symmetric set of Size values; identity is the pointer.
	Scalar struct {
		Name string
		Size int32
	}
	// Void is the result of a function that returns nothing.
	Void struct{}
)

func (Bool) typ()    {}
func (Int) typ()     {}
func (Chan) typ()    {}
func (*Array) typ()  {}
func (*Struct) typ() {}
func (*Scalar) typ() {}
func (Void) typ()    {}

// Object is what a name stands for: *Var, *Func, *TypeName, *Process,
// *Template (in an instantiation) or, inside a query, *Location, *ProcessSet
// (the P of P(1)) or LocationIndex (the location of P.location).
type Object interface{ object() }

// VarKind says where a Var lives.
type VarKind uint8

// The kinds of variables.
const (
	GlobalVar VarKind = iota // one in the network
	LocalVar                 // one in each process of a template
	ParamVar                 // parameter of a template: bound in each process
	BoundVar                 // select, quantifier or range-loop variable
	FuncParam                // parameter of a function
	FuncLocal                // variable of a function body
)

// Var is a variable, constant, channel or parameter.
type Var struct {
	Pos   Pos
	Name  string
	Kind  VarKind
	Type  Type
	Const bool
	Meta  bool
	Ref   bool // ParamVar, FuncParam: passed by reference
	Init  Expr // nil if absent
	// Value is the value of a constant of the network or of a template, folded;
	// nil if the variable is not constant or its value differs between the
	// processes of the template. For an array or struct it is flattened in
	// declaration order.
	Value []int32
	// Decl is the template that declares a LocalVar or ParamVar.
	Template *Template
}

// Func is a function with resolved signature.
type Func struct {
	Decl     *FuncDecl
	Params   []*Var
	Result   Type
	Template *Template // nil if global
	// Locals are all variables of the body, in textual order, those of range
	// loops (kind BoundVar) included, those of quantifiers not.
	Locals []*Var
	// Pure reports that no call changes a variable outside the function.
	Pure bool

	declared bool // the body has been looked at
	effects  effects
	reads    []*Var // variables from outside that a call may use
}

// TypeName is a typedef.
type TypeName struct {
	Name string
	Type Type

	constant, meta bool // prefixes written in the typedef
}

// A Process is one instance of a template.
type Process struct {
	Name string // as traces print it: "P" or "P(1,2)"
	// Template is the template of the network or, if types in it depend on
	// parameters (an array of N elements, a value selected from int[0,N-1]), a
	// copy of it made and checked for the values of these parameters. A copy
	// has the locations and edges of the original in the same order. Compare
	// by name or index, not by pointer, and use Original to get back.
	Template *Template
	// Original is the template of the network.
	Original *Template
	// Args binds the template's parameters in order: a constant of one or
	// several int32 for a parameter by value, or a reference expression over
	// global variables for a parameter by reference.
	Args []Arg
	// Priority is the process priority of the system line, 0 lowest.
	Priority int
}

// Arg is the binding of one template parameter.
type Arg struct {
	Param *Var
	Value []int32 // by value, flattened
	Ref   Expr    // by reference: an lvalue over globals with constant or global indices
}

// A ProcessSet is what a name of the system line with free parameters stands
// for: the processes P(v1,..,vn) for all values of the parameters.
type ProcessSet struct {
	Name string
	// Params are the free parameters; their types are Int or *Scalar.
	Params []*Var
	// Processes in lexicographic order of the parameters' values.
	Processes []*Process
}

// LocationIndex is what P.location stands for: the index of the location that
// the process is in, in the order of its template.
type LocationIndex struct{}

func (LocationIndex) object() {}
func (*Var) object()          {}
func (*ProcessSet) object()   {}
func (*Func) object()         {}
func (*TypeName) object()     {}
func (*Process) object()      {}
func (*Template) object()     {}
func (*Location) object()     {}

// Info is a checked network. It is read-only after Check and safe for
// concurrent use, except that CheckQuery adds to it.
type Info struct {
	Network *Network
	// Uses maps every identifier that is used to what it stands for. In a
	// query, a Field whose X is a process maps through Members.
	Uses map[*Ident]Object
	// Members maps P.x of queries to the Location or Var of P's template, or to
	// LocationIndex.
	Members map[*Field]Object
	// ProcessOf maps the process expression (Ident or Call) of P.x, P.f() and
	// stuck(P) to the process. A Call whose arguments are not constant, as in
	// forall (i : id_t) P(i).x, is not in it: its Fun is used for a ProcessSet,
	// see ProcessSet.At and Info.Member.
	ProcessOf map[Expr]*Process
	// Defs maps declarations and bindings to the variable they make.
	Defs map[any]*Var // keys: *VarDecl, *Param, *Binding
	// Types gives the type of every expression that has one.
	Types map[Expr]Type
	// Globals lists the predefined constants, and the global variables and constants in
	// declaration order;
	// Locals those of each template; Params its parameters.
	Globals []*Var
	Locals  map[*Template][]*Var
	Params  map[*Template][]*Var
	// Funcs gives every function, global and local.
	Funcs map[*FuncDecl]*Func
	// Before and After are the expressions of before_update and after_update.
	Before, After []Expr
	// Processes in the order of the system line, parameterised templates
	// expanded in lexicographic order of their free parameters.
	Processes []*Process
	// Priorities is the declaration of channel priorities, or nil.
	Priorities *ChanPriority

	global *scope // what queries see
	sets   map[string]*ProcessSet
}
