// Package uppaal is the model language: networks of automata with bounded
// integers, in the textual and XML forms that UPPAAL reads.
//
// A text becomes a tree by ParseExpr, ParseDecls, ParseSelect, ParseSync,
// ParseUpdate, ParseParams, ParseSystem and ParseQuery; a whole model by
// ReadXML or ReadXTA, a file of queries by ReadQueries. ExprString, DeclsString,
// QueryString, WriteXML and WriteXTA go the other way: what they print parses to the same
// tree, positions apart. Check finds out what every name stands for, the type
// of every expression, the constants and the processes; CheckQuery does so for
// a query.
//
// # Terms
//
// A template is an automaton with parameters. An instance is a template, or a
// name given to one with some of its parameters bound. A process is an instance
// in the system line; if parameters are free, there is one process for each
// combination of their values, called P(1,2). An integer of 32 bits that a
// value consists of is a cell: an array or struct is flattened to its cells in
// the order of declaration.
//
// # The language
//
// It is that of UPPAAL 4.1 and 5 without clocks, floating-point numbers,
// strings, dynamic processes, statistical and game queries, each of which is
// refused with its position. Some traps, which the tests hold on to:
//
//   - "or", "||", "xor" and "imply" have one precedence and associate to the
//     left: a imply b imply c is (a imply b) imply c.
//   - The body of forall, exists and sum extends as far as it can.
//   - Plain int has 16 bits; "const int" has 32, as have intermediate results,
//     which wrap around.
//   - A newline ends a query.
//   - Names such as int32_t and INT8_MAX are predefined, but a model may
//     declare them itself.
//   - A parameter of a process that is left free must not decide the size of an
//     array or what an edge selects.
//   - A function returns numbers, or structs of numbers without arrays.
//   - The initial value of a variable, a size and a range may call functions
//     that use constants only; in functions, initial values have no side
//     effects.
//   - A channel parameter takes channels that can do as much or more: urgent
//     takes all, broadcast all that are not urgent, other only plain ones.
//   - "(b ? x : y) = 1", "(x = y) += 2" and "++x = 3" assign; "x++ = 3" does
//     not.
//
// Queries are A[], E<>, E[], A<>, p --> q, and sup, inf and bounds of integer expressions,
// as in sup{P.done}: x, y.
//
// Beyond UPPAAL there is one atom in queries, stuck(P): process P never takes
// part in a transition again. A model with such a query can be written, but
// UPPAAL will refuse the query.
//
// # Limits
//
// Types in a template may depend on its constant parameters; the template is
// then checked once for each combination of their values that a process needs,
// see Process; the type of a parameter cannot depend on another one. Also
// refused are live sequence charts, external functions, CSP synchronisation, a
// scalar type for several names without a typedef, and const fields of structs.
// A location of a template cannot be used in its expressions. Gantt charts,
// comments in declarations, query options and results are skipped and lost when
// a model is written again. Branch points are dissolved into edges, their
// weights ignored.
//
// Errors are *Error, with a position, or Errors. Texts are bounded in size and
// nesting, so that untrusted models are safe to read. Trees and Info are plain
// data: use them from several goroutines as long as nobody changes them.
package uppaal
