package uppaal

// This file defines the syntax tree of the model language: networks,
// declarations, statements, expressions and queries. It is produced by the
// parser and the XML reader, built directly by the translator, and consumed by
// the type checker, the printer and the checker.

// Pos is a place in a model. Where names the text the place lies in, for
// example "declaration" or "template Main, edge 3, guard"; it is empty for a
// text parsed on its own. Line and Col count from 1; Line 0 means unknown, as
// in a tree that was built and not parsed.
type Pos struct {
	Where     string
	Line, Col int
}

// A Network is a whole model.
type Network struct {
	Decls     []Decl      // global declarations, in source order
	Templates []*Template // in file order
	// Instances are the declarations and instantiations of the system section
	// that precede the system line.
	Instances []Decl
	System    SystemLine
	Progress  []*Measure // usually empty
	Queries   []*Query
	// LeftOut are the queries of a file that ReadXML could not parse. They are not
	// written.
	LeftOut []*LeftOut
}

// LeftOut is a query of a file that does not parse.
type LeftOut struct {
	Number        int // as that of Query
	Text, Comment string
	Err           error // an *Error
}

// Measure is a progress measure, "X;" or "Guard: X;". It directs UPPAAL's
// search and has no influence on any verdict.
type Measure struct {
	Guard Expr // nil if absent
	X     Expr
}

// SystemLine lists the processes of the network in order.
type SystemLine struct {
	Pos   Pos
	Names []*Ident
	// Below[i] is set where "<" and not "," stands between Names[i] and
	// Names[i+1]: process priorities.
	Below []bool
}

// A Template is one automaton with parameters.
type Template struct {
	Pos       Pos
	Name      string
	Params    []*Param
	Decls     []Decl
	Locations []*Location
	Init      *Location
	Edges     []*Edge // in file order; an edge is identified by its index
}

// Urgency says whether time, or anything else, may pass in a location.
type Urgency uint8

// The kinds of locations.
const (
	Normal Urgency = iota
	Urgent
	Committed
)

// A Location is a node of a template.
type Location struct {
	Pos       Pos
	ID        string // unique in the document; the XML writer assigns one where empty
	Name      string // may be empty (anonymous)
	Invariant Expr   // nil if absent
	Urgency   Urgency
	Comment   string // label kind "comments"
	X, Y      int    // coordinates; the XML writer lays out templates whose locations all lie at 0,0
}

// QueryName is how queries, and traces, name the location: one without a name by its ID.
func (l *Location) QueryName() string {
	if l.Name != "" {
		return l.Name
	}
	return "_" + l.ID
}

// An Edge is a transition of a template.
type Edge struct {
	Pos      Pos
	From, To *Location
	Select   []*Binding
	Guard    Expr // nil means true
	Sync     *Sync
	Update   []Expr // evaluated left to right
	Comment  string // label kind "comments"
	Nails    []Point
}

// Point is a bend of a drawn edge.
type Point struct{ X, Y int }

// Dir is the direction of a synchronisation.
type Dir uint8

// The two directions, c! and c?.
const (
	Send Dir = iota
	Receive
)

// Sync is the synchronisation label of an edge.
type Sync struct {
	Pos  Pos
	Chan Expr
	Dir  Dir
}

// A Binding is a name bound over the values of a bounded type: a select
// item, a quantified variable, or the variable of a "for (i : T)" loop.
type Binding struct {
	Pos  Pos
	Name string
	Type *TypeExpr
}

// A Param is a parameter of a template or function.
type Param struct {
	Pos  Pos
	Name string
	Type *TypeExpr
	Ref  bool   // declared with &
	Dims []*Dim // array dimensions after the name
}

// ---- types as written ----

// TypeExpr is a type as written, with its prefixes but without the array
// dimensions, which belong to the declared name.
type TypeExpr struct {
	Pos       Pos
	Const     bool
	Meta      bool
	Urgent    bool
	Broadcast bool
	// Kind says which of the fields below are set.
	Kind   TypeKind
	Name   string         // NamedType: the typedef's name
	Lo, Hi Expr           // RangeType: int[Lo,Hi]
	Size   Expr           // ScalarType: scalar[Size]
	Fields []*StructField // StructType
}

// TypeKind enumerates the forms of TypeExpr.
type TypeKind uint8

// The forms of a type.
const (
	VoidType TypeKind = iota
	BoolType
	IntType   // plain int
	RangeType // int[lo,hi]
	ChanType
	ClockType
	DoubleType
	StringType
	ScalarType
	StructType
	NamedType
)

// StructField is one field of a struct type.
type StructField struct {
	Pos  Pos
	Name string
	Type *TypeExpr
	Dims []*Dim
}

// Dim is one array dimension: a size, or a bounded type whose values index
// the array.
type Dim struct {
	Pos  Pos
	Size Expr      // nil if Type is set
	Type *TypeExpr // nil if Size is set
}

// ---- declarations ----

// A Decl is a VarDecl, TypedefDecl, FuncDecl, InstanceDecl, ChanPriority or
// AroundUpdate.
type Decl interface{ decl() }

// VarDecl declares one variable, constant, channel or clock. A source
// declaration of several names becomes several VarDecls.
type VarDecl struct {
	Pos  Pos
	Name string
	Type *TypeExpr
	Dims []*Dim
	Init Expr // nil if absent; an *InitList for arrays and structs
}

// TypedefDecl names a type.
type TypedefDecl struct {
	Pos  Pos
	Name string
	Type *TypeExpr
	Dims []*Dim
}

// FuncDecl declares a function.
type FuncDecl struct {
	Pos    Pos
	Name   string
	Params []*Param
	Result *TypeExpr
	Body   *Block
}

// InstanceDecl is "Name(Params) = Template(Args);".
type InstanceDecl struct {
	Pos      Pos
	Name     string
	Params   []*Param
	Template *Ident
	Args     []Expr
}

// ChanPriority is "chan priority a < default < b;". Groups go from low to
// high; an item nil stands for default.
type ChanPriority struct {
	Pos    Pos
	Groups [][]Expr
}

// AroundUpdate is "before_update { X }" or "after_update { X }": expressions
// evaluated at the beginning, or the end, of every transition.
type AroundUpdate struct {
	Pos   Pos
	After bool
	X     []Expr
}

func (*VarDecl) decl()      {}
func (*TypedefDecl) decl()  {}
func (*FuncDecl) decl()     {}
func (*InstanceDecl) decl() {}
func (*ChanPriority) decl() {}
func (*AroundUpdate) decl() {}

// ---- statements ----

// A Stmt is a statement of a function body.
type Stmt interface{ stmt() }

// Block is "{ decls stmts }".
type Block struct {
	Pos   Pos
	Decls []Decl // VarDecl and TypedefDecl only
	Stmts []Stmt
}

// ExprStmt evaluates X; a nil X is the empty statement.
type ExprStmt struct {
	Pos Pos
	X   Expr
}

// IfStmt is "if (Cond) Then else Else"; Else may be nil.
type IfStmt struct {
	Pos        Pos
	Cond       Expr
	Then, Else Stmt
}

// WhileStmt is "while (Cond) Body", or "do Body while (Cond);" if Do is set.
type WhileStmt struct {
	Pos  Pos
	Do   bool
	Cond Expr
	Body Stmt
}

// ForStmt is "for (Init; Cond; Post) Body". The language has no empty parts:
// in a tree that was built, a nil Init or Post stands for true, as does Cond.
type ForStmt struct {
	Pos              Pos
	Init, Cond, Post Expr
	Body             Stmt
}

// RangeStmt is "for (Name : Type) Body".
type RangeStmt struct {
	Pos  Pos
	Bind *Binding
	Body Stmt
}

// ReturnStmt is "return X;"; X may be nil.
type ReturnStmt struct {
	Pos Pos
	X   Expr
}

// AssertStmt is "assert X;": an evaluation in which X is false is invalid.
type AssertStmt struct {
	Pos Pos
	X   Expr
}

func (*Block) stmt()      {}
func (*ExprStmt) stmt()   {}
func (*IfStmt) stmt()     {}
func (*WhileStmt) stmt()  {}
func (*ForStmt) stmt()    {}
func (*RangeStmt) stmt()  {}
func (*ReturnStmt) stmt() {}
func (*AssertStmt) stmt() {}

// ---- expressions ----

// An Expr is an expression of the model language or a state formula of a
// query. Nodes are pointers, so that Info can be keyed by them; a tree must
// not share nodes.
type Expr interface {
	expr()
	// Position is where the expression starts.
	Position() Pos
}

// Op is an operator, spelled as the printer spells it.
type Op string

// The operators. Alternative spellings (and, or, not, :=) are parsed to the
// ones here; "imply" and "xor" stay themselves.
const (
	OpNot   Op = "!"
	OpNeg   Op = "-"
	OpPos   Op = "+"
	OpPow   Op = "**"
	OpMul   Op = "*"
	OpDiv   Op = "/"
	OpMod   Op = "%"
	OpAdd   Op = "+"
	OpSub   Op = "-"
	OpShl   Op = "<<"
	OpShr   Op = ">>"
	OpMin   Op = "<?"
	OpMax   Op = ">?"
	OpLt    Op = "<"
	OpLe    Op = "<="
	OpGe    Op = ">="
	OpGt    Op = ">"
	OpEq    Op = "=="
	OpNe    Op = "!="
	OpBAnd  Op = "&"
	OpBXor  Op = "^"
	OpBOr   Op = "|"
	OpAnd   Op = "&&"
	OpOr    Op = "||"
	OpXor   Op = "xor"
	OpImply Op = "imply"
	OpInc   Op = "++"
	OpDec   Op = "--"
)

type (
	// Ident is a use of a name.
	Ident struct {
		Pos  Pos
		Name string
	}
	// IntLit is a literal of 32 bits; -2147483648 is one literal.
	IntLit struct {
		Pos   Pos
		Value int32
	}
	// BoolLit is true or false.
	BoolLit struct {
		Pos   Pos
		Value bool
	}
	// Unary is OpNot, OpNeg or OpPos applied to X.
	Unary struct {
		Pos Pos
		Op  Op
		X   Expr
	}
	// Binary is X Op Y. Pos is that of the operator.
	Binary struct {
		Pos  Pos
		Op   Op
		X, Y Expr
	}
	// Cond is "If ? Then : Else".
	Cond struct {
		Pos            Pos
		If, Then, Else Expr
	}
	// Index is X[I].
	Index struct {
		Pos  Pos
		X, I Expr
	}
	// Field is X.Name: a struct field or, in a query, a location, variable or
	// parameter of a process. P.location is the index of the location that
	// process P is in, in the order of its template.
	Field struct {
		Pos  Pos
		X    Expr
		Name string
	}
	// Call is Fun(Args): a function, or in a query a process P(1,2). With
	// Process, an Ident or Call, it is Process.Fun(Args), the call of a function
	// of a process in a query.
	Call struct {
		Pos     Pos
		Fun     *Ident
		Args    []Expr
		Process Expr
	}
	// Assign is L Op R with Op one of = += -= *= /= %= &= |= ^= <<= >>=.
	Assign struct {
		Pos  Pos
		Op   string
		L, R Expr
	}
	// IncDec is X++, X--, ++X or --X.
	IncDec struct {
		Pos    Pos
		Op     Op // OpInc or OpDec
		Prefix bool
		X      Expr
	}
	// Comma is "X, Y", whose value is that of Y. It can only be the condition of
	// a statement or a part of a for statement.
	Comma struct {
		Pos  Pos
		X, Y Expr
	}
	// Quant is "forall (b) Body", "exists (b) Body" or "sum (b) Body".
	Quant struct {
		Pos  Pos
		Kind QuantKind
		Bind *Binding
		Body Expr
	}
	// InitList is {a, b} or {f: a, g: b} as an initialiser. Names is nil or as
	// long as Elems.
	InitList struct {
		Pos   Pos
		Names []string
		Elems []Expr
	}
	// Deadlock is the atom "deadlock" of queries: no transition is enabled.
	Deadlock struct{ Pos Pos }
	// Stuck is the atom "stuck(P)" of queries, an extension of vtrace that
	// UPPAAL does not have: from this state on, in every continuation, process
	// P never takes part in a transition again.
	Stuck struct {
		Pos     Pos
		Process Expr // Ident or Call
	}
)

// QuantKind is the kind of a Quant.
type QuantKind uint8

// The quantifiers.
const (
	Forall QuantKind = iota
	Exists
	Sum
)

func (*Ident) expr()    {}
func (*IntLit) expr()   {}
func (*BoolLit) expr()  {}
func (*Unary) expr()    {}
func (*Binary) expr()   {}
func (*Cond) expr()     {}
func (*Index) expr()    {}
func (*Field) expr()    {}
func (*Call) expr()     {}
func (*Assign) expr()   {}
func (*IncDec) expr()   {}
func (*Comma) expr()    {}
func (*Quant) expr()    {}
func (*InitList) expr() {}
func (*Deadlock) expr() {}
func (*Stuck) expr()    {}

// Position implements Expr.
func (e *Ident) Position() Pos    { return e.Pos }
func (e *IntLit) Position() Pos   { return e.Pos }
func (e *BoolLit) Position() Pos  { return e.Pos }
func (e *Unary) Position() Pos    { return e.Pos }
func (e *Binary) Position() Pos   { return e.X.Position() }
func (e *Cond) Position() Pos     { return e.If.Position() }
func (e *Index) Position() Pos    { return e.X.Position() }
func (e *Field) Position() Pos    { return e.X.Position() }
func (e *Call) Position() Pos     { return e.Pos }
func (e *Assign) Position() Pos   { return e.L.Position() }
func (e *IncDec) Position() Pos   { return e.Pos }
func (e *Comma) Position() Pos    { return e.X.Position() }
func (e *Quant) Position() Pos    { return e.Pos }
func (e *InitList) Position() Pos { return e.Pos }
func (e *Deadlock) Position() Pos { return e.Pos }
func (e *Stuck) Position() Pos    { return e.Pos }

// ---- queries ----

// PathOp is the temporal operator of a query, or what it measures.
type PathOp string

// The temporal operators.
const (
	Always           PathOp = "A[]"
	Possibly         PathOp = "E<>"
	PotentiallyAlway PathOp = "E[]"
	Eventually       PathOp = "A<>"
	LeadsTo          PathOp = "-->"
)

// What a query can measure: the largest values of expressions in all states that can be
// reached, the least, or both.
const (
	Supremum PathOp = "sup"
	Infimum  PathOp = "inf"
	Bounds   PathOp = "bounds"
)

// Measures reports whether a query with this operator has values as its answer.
func (op PathOp) Measures() bool { return op == Supremum || op == Infimum || op == Bounds }

// A Query is a temporal formula over a network, or asks for values, with a free comment.
type Query struct {
	Pos Pos
	Op  PathOp
	// X is the state formula; for LeadsTo the left one, where values are measured the
	// condition of the states that count, nil for all.
	X       Expr
	Y       Expr   // LeadsTo only
	Of      []Expr // what is measured
	Comment string
	// Number is the place of the query in the file that it was read from, counted from
	// 1 and past those that do not parse; 0 for a query that was built.
	Number int
}
