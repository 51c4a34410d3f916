// Package emission writes a finished state down: as a network of automata in the language of
// UPPAAL, as queries, and as a sidecar that leads from every location and edge back to the program.
//
// Nothing is executed here, and nothing is decided but what the model needs: names (namer.go), the
// order of assignments that are simultaneous, declarations with their ranges, functions that find
// free objects of pools, a process for what happens as time passes, and which monitors tell a
// goroutine that is stuck from one that waits for the end of the program (monitor.go). What is
// asked of the model is in query.go, and what queries are about in categories.go.
//
// Only locations that something leads to are written, and only variables and cells that an edge or
// a query names. Names are given in the order in which things are written, so that the same state
// gives the same model.
package emission
