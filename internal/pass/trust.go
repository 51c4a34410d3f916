package pass

import (
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/mod/modfile"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// A bundle may come from anywhere. This file has what of it reaches the go command, and what
// is obeyed of that.

// obeyedFlag is a build flag that is obeyed though a bundle says it.
type obeyedFlag struct {
	name string
	// value is what it may be set to, nil if it is set or not.
	value *regexp.Regexp
	// why it cannot do harm.
	why string
}

// obeyedFlags are all of them.
var obeyedFlags = []obeyedFlag{
	{"tags", regexp.MustCompile(`^[\pL\pN_.,]*$`), "chooses among the files of the bundle"},
	{"mod", regexp.MustCompile(`^(readonly|vendor)$`), "neither value has go.mod or go.sum written"},
	{"race", nil, "another form of the same program"},
	{"msan", nil, "another form of the same program"},
	{"asan", nil, "another form of the same program"},
	{"trimpath", nil, "replays are built with it anyway"},
	{"buildvcs", regexp.MustCompile(`^(false|0)$`), "asks no version control system, as replays do not"},
	{"pgo", regexp.MustCompile(`^off$`), "reads no profile"},
}

// canonicalFlags are build flags in the form that bundles have: with one dash, and with
// their values in the same argument, where that is known to be one.
func canonicalFlags(flags []string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		f := flags[i]
		if strings.HasPrefix(f, "--") && len(f) > 2 {
			f = f[1:]
		}
		valued := slices.ContainsFunc(obeyedFlags, func(o obeyedFlag) bool { return o.value != nil && f == "-"+o.name })
		if valued && i+1 < len(flags) {
			i++
			f += "=" + flags[i]
		}
		out = append(out, f)
	}
	return out
}

// obeyed reports whether a build flag is obeyed though a bundle says it. It has to be in the
// form of canonicalFlags: what is quoted, split or has two dashes is none.
func obeyed(flag string) bool {
	name, value, hasValue := strings.Cut(flag, "=")
	return slices.ContainsFunc(obeyedFlags, func(o obeyedFlag) bool {
		switch {
		case name != "-"+o.name:
			return false
		case o.value == nil:
			return !hasValue || value == "true" || value == "false"
		}
		return hasValue && o.value.MatchString(value)
	})
}

// obeyedNames lists the flags for people.
func obeyedNames() string {
	var names []string
	for _, o := range obeyedFlags {
		names = append(names, "-"+o.name)
	}
	return strings.Join(names, ", ")
}

// buildFlags are the build flags for the program of a bundle: its own, all of which have to
// be in the table or given by the caller, and those given besides.
func buildFlags(recorded, given []string) ([]string, error) {
	given = canonicalFlags(given)
	for _, f := range recorded {
		if !obeyed(f) && !slices.Contains(given, f) {
			return nil, &RefusedError{
				Flag: f, What: fmt.Sprintf("build flag %q", clip(f)),
				Reason: "flags can have the go command run anything, and of a bundle only " + obeyedNames() + " are obeyed, in the form -name=value",
				Remedy: "if you trust it, give it yourself: -flags on the command line, BuildFlags in the SDK",
			}
		}
	}
	out := slices.Clone(recorded)
	for _, f := range given {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out, nil
}

// Unobeyed are the build flags of a bundle that a pass or a replay obeys only if they are in
// Options.Flags too.
func Unobeyed(b *artifact.Bundle) []string {
	return slices.DeleteFunc(b.Options().Model.Flags, obeyed)
}

// clip shortens what may be long for an error.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// recordedOptions are those that a bundle has recorded, as far as they are obeyed.
func recordedOptions(b *artifact.Bundle) (artifact.Options, error) {
	r := b.Options()
	broken := func(format string, args ...any) error {
		return &artifact.CorruptError{File: "manifest.json", Err: fmt.Errorf("options: "+format, args...)}
	}
	if len(b.Manifest().Options) == 0 {
		return r, broken("missing")
	}
	if err := checkModel(&r.Model); err != nil {
		return r, broken("%w", err)
	}
	for _, d := range r.Model.Deps {
		if strings.ContainsFunc(d, unicode.IsControl) {
			return r, broken("%q is no pattern of packages", clip(d))
		}
	}
	return r, nil
}

// packagePath is the form of import paths of the go command. It has no "@", so that it
// names no directory of a dependency in a bundle.
var packagePath = regexp.MustCompile(`^[A-Za-z0-9_~.][A-Za-z0-9_~.+-]*(/[A-Za-z0-9_~.+-]+)*$`)

// patterns are words that the go command takes for many packages.
var patterns = []string{"all", "std", "cmd", "tool", "work"}

// entryOf is the entry of a bundle: the path of one package, which is no directory of the
// machine and no flag, and the name of a function.
func entryOf(b *artifact.Bundle) (artifact.Entry, error) {
	e := b.Manifest().Entry
	elements := strings.Split(e.Package, "/")
	dots := func(s string) bool { return strings.Trim(s, ".") == "" || strings.Contains(s, "...") }
	if !packagePath.MatchString(e.Package) || slices.ContainsFunc(elements, dots) || slices.Contains(patterns, e.Package) {
		return e, &artifact.CorruptError{File: "manifest.json", Err: fmt.Errorf("entry: %q is not the path of a package", clip(e.Package))}
	}
	if !token.IsIdentifier(e.Func) {
		return e, &artifact.CorruptError{File: "manifest.json", Err: fmt.Errorf("entry: %q is not the name of a function", clip(e.Func))}
	}
	return e, nil
}

// maxModFile bounds the bytes of a go.mod or go.work that is read.
const maxModFile = 4 << 20

// checkModules refuses a program whose module files lead out of the copy of it that is
// built: a directory of the machine is none of a bundle's.
func checkModules(b *artifact.Bundle) error {
	read := func(name string) ([]byte, bool, error) {
		data, ok := b.Read(artifact.SourceDir + "/" + name)
		if len(data) > maxModFile {
			return nil, false, &artifact.CorruptError{File: artifact.SourceDir + "/" + name, Err: fmt.Errorf("%w: more than %d bytes", artifact.ErrLimit, maxModFile)}
		}
		return data, ok, nil
	}
	broken := func(name string, err error) error {
		return &artifact.CorruptError{File: artifact.SourceDir + "/" + name, Err: err}
	}
	inside := func(file, dir, what, to string) error {
		if path.IsAbs(to) || filepath.IsAbs(to) || strings.Contains(to, `\`) || !filepath.IsLocal(path.Join(dir, to)) {
			return &RefusedError{
				What:   fmt.Sprintf("%q of %s in the bundle", clip(what+" "+to), file),
				Reason: "it is a directory outside of the program",
				Remedy: "say with -root (Options.Root) where the program is",
			}
		}
		return nil
	}
	replaces := func(file, dir string, list []*modfile.Replace) error {
		for _, r := range list {
			if r.New.Version == "" {
				if err := inside(file, dir, "replace "+r.Old.Path+" =>", r.New.Path); err != nil {
					return err
				}
			}
		}
		return nil
	}
	dirs := []string{"."}
	if data, ok, err := read("go.work"); err != nil {
		return err
	} else if ok {
		work, err := modfile.ParseWork("go.work", data, nil)
		if err != nil {
			return broken("go.work", err)
		}
		if err := replaces("go.work", ".", work.Replace); err != nil {
			return err
		}
		dirs = nil
		for _, u := range work.Use {
			if err := inside("go.work", ".", "use", u.Path); err != nil {
				return err
			}
			dirs = append(dirs, path.Clean(u.Path))
		}
	}
	found := false
	for _, dir := range dirs {
		name := path.Join(dir, "go.mod")
		data, ok, err := read(name)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		found = true
		mod, err := modfile.Parse(name, data, nil)
		if err != nil {
			return broken(name, err)
		}
		if err := replaces(name, dir, mod.Replace); err != nil {
			return err
		}
	}
	if !found {
		// The go command would look for one in the directories above the copy.
		return broken("go.mod", fmt.Errorf("missing: the program cannot be built from its copy, say with -root (Options.Root) where it is"))
	}
	return nil
}

// copySpec is how the copy of a bundle's program is loaded, besides by its name: without what
// would have the go command run, or download, what the bundle says.
func copySpec(spec source.Spec) source.Spec {
	// The go command asks a version control system for the revision of what it builds, and
	// that one runs what is configured in the directory.
	spec.Flags = append(slices.Clone(spec.Flags), "-buildvcs=false")
	spec.Env = os.Environ()
	if _, ok := os.LookupEnv("GOTOOLCHAIN"); !ok {
		// A toolchain line in go.mod downloads another go command, and runs it.
		spec.Env = append(spec.Env, "GOTOOLCHAIN=local")
	}
	return spec
}

// toolchain says what to do if the program of a bundle needs another toolchain.
func toolchain(b *artifact.Bundle, err error) error {
	if err == nil || !strings.Contains(err.Error(), "GOTOOLCHAIN=local") {
		return err
	}
	remedy := "if you trust it, set GOTOOLCHAIN=auto in the environment"
	if hasModules(b) {
		remedy = "install it: nothing is downloaded for a bundle that has modules"
	}
	return &RefusedError{
		What:   "the go or toolchain line of the bundle's program",
		Reason: "it needs another toolchain, which would be downloaded and run: " + clip(err.Error()),
		Remedy: remedy,
	}
}

// exportedDir is the directory of a program in which a test belongs that a bundle has: one
// that has files of the program.
func exportedDir(b *artifact.Bundle, dir string) error {
	if !filepath.IsLocal(filepath.FromSlash(dir)) || path.Clean(dir) != dir {
		return &artifact.CorruptError{File: artifact.SidecarPath, Err: fmt.Errorf("%q is not a directory of the program", clip(dir))}
	}
	for name := range b.Below(artifact.SourceDir) {
		if path.Dir(name) == dir && strings.HasSuffix(name, ".go") {
			return nil
		}
	}
	return &artifact.CorruptError{File: artifact.SidecarPath, Err: fmt.Errorf("%q is not a directory of the program", clip(dir))}
}
