// Package sidecar has the words of artifact.Sidecar that more than one package has to know: how something ends at a
// location, and what a template stands for.
package sidecar

// End is how the program, or a goroutine, ends at a location, as artifact.LocationInfo.End has it.
type End string

// The ends. Behind the first five there is no program any more.
const (
	EndPanic  End = "panic"
	EndFatal  End = "fatal"  // an error of the run-time system that nobody can recover from
	EndExit   End = "exit"   // os.Exit, or a test that has failed
	EndReturn End = "return" // of main
	EndBound  End = "bound"  // of the model, not of the program
	EndDone   End = "done"   // of a test or a goroutine
	EndGoexit End = "goexit" // main has called runtime.Goexit, which does not end the program
)

// Crash reports whether the program ends there at once, whatever else it would do.
func (e End) Crash() bool { return e == EndPanic || e == EndFatal || e == EndExit }

// Role is what a template stands for, as artifact.TemplateInfo.Role has it.
type Role string

const (
	RoleGoroutine   Role = "goroutine" // one process is one goroutine at a time
	RoleEnvironment Role = "env"       // time, or a monitor of queries
)
