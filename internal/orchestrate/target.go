package orchestrate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// defaultRuntime is the import path of the runtime where a Target names none.
const defaultRuntime = "vtraceorc"

// generatedImports is what generated files import besides the runtime.
var generatedImports = []string{"encoding/json", "testing", "testing/synctest"}

// Target is the program that tests are generated for and run on.
type Target struct {
	// Root is the absolute directory that file names are relative to, Dir that
	// of the package that holds the entry.
	Root, Dir string
	// Name is the name in the package clause of the file that holds the entry:
	// "main", "pool", "pool_test".
	Name  string
	Entry artifact.Entry
	// Taken are the names that the package declares, which a generated file
	// must not use for its imports.
	Taken []string
	// End is the key of the guard at the return of the entry.
	End string
	// Args are the arguments that the program sees in os.Args after its name.
	Args []string
	// Runtime is the import path of the runtime in the instrumented program;
	// "" is "vtraceorc".
	Runtime string
	// Flags are build flags for the go command, Env its environment and that
	// of the program; nil means the process's own.
	Flags, Env []string
	// GoEnv are variables for the go command alone, which win over those of Env.
	GoEnv []string
	// Changed are files of the program that are not on disk as it has them, by their absolute
	// names: the go command is given them with the instrumented ones.
	Changed map[string][]byte
	// Sandbox is what the program runs in; nil: it runs with all that the caller may do. The
	// go command, which builds it, runs outside.
	Sandbox *Sandbox
}

// TargetOf returns the target for a loaded program with the sidecar of its
// model.
func TargetOf(prog *source.Program, side *artifact.Sidecar) Target {
	// Where the go command has found the package: a line directive could say otherwise.
	dir := prog.Entry.Dir
	if dir == "" {
		dir = filepath.Dir(prog.Fset.PositionFor(prog.Decl.Pos(), false).Filename)
	}
	return Target{
		Root:  prog.Root,
		Dir:   dir,
		Name:  prog.Entry.Name,
		Entry: artifact.Entry{Package: prog.Entry.PkgPath, Func: prog.Func.Name()},
		Taken: prog.Entry.Types.Scope().Names(),
		End:   endOf(side),
		Flags: prog.Spec.Flags,
		Env:   prog.Spec.Env,
		GoEnv: prog.Spec.GoEnv,

		Changed: prog.ChangedFiles(),
	}
}

// endOf is the key of the site at the return of the entry, "" if there is none.
func endOf(side *artifact.Sidecar) string {
	for _, s := range side.Sites {
		if s.Kind == sites.End.String() {
			return s.Key
		}
	}
	return ""
}

// IsTest reports whether the entry is a test function.
func (t Target) IsTest() bool { return t.Entry.Func != "main" }

// environ is the environment of the program.
func (t Target) environ() []string {
	if t.Env != nil {
		return t.Env
	}
	return os.Environ()
}

// GoEnviron is the environment of the go command.
func (t Target) GoEnviron() []string { return slices.Concat(t.environ(), t.GoEnv) }

// check says what is missing.
func (t Target) check() error {
	switch {
	case !filepath.IsAbs(t.Dir):
		return &artifact.ArgumentError{Name: "target", Reason: fmt.Sprintf("directory %q is not absolute", t.Dir)}
	case t.Name == "":
		return &artifact.ArgumentError{Name: "target", Reason: "no package name"}
	case t.Entry.Func == "":
		return &artifact.ArgumentError{Name: "target", Reason: "no entry function"}
	case t.Entry.Func == "main" && strings.TrimSuffix(t.Name, "_test") != "main":
		return &artifact.ArgumentError{Name: "target", Reason: "main of package " + t.Name}
	}
	return nil
}
