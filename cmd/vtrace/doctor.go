package main

import (
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/internal/source"
)

// What a line of doctor says.
const (
	stateOK      = "ok"
	stateNote    = "note"    // something can do without
	stateMissing = "missing" // nothing can be checked
)

// oldestGo is the oldest version of Go that vtrace works with.
const oldestGo = "go1.26"

// diagnosis is a line of doctor.
type diagnosis struct {
	What  string `json:"what"`
	State string `json:"state"`
	// Text is what there is, or what is missing.
	Text string `json:"text"`
	// Next is what to do, "" if nothing is.
	Next string `json:"next,omitempty"`
}

func fine(what, format string, args ...any) diagnosis {
	return diagnosis{What: what, State: stateOK, Text: fmt.Sprintf(format, args...)}
}

func runDoctor(c *call) (int, error) {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print it as JSON")
	if _, err := c.parse(fs, 0, 0); err != nil {
		return 0, err
	}
	code := exitNothing
	all := c.diagnose()
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	for _, d := range all {
		if d.State == stateMissing {
			code = exitReal
		}
	}
	if *asJSON {
		return code, encode(c.stdout, all)
	}
	for _, d := range all {
		text := plain(d.Text)
		if d.Next != "" {
			text += ". " + strings.ToUpper(d.Next[:1]) + d.Next[1:]
		}
		if _, err := fmt.Fprintf(c.stdout, "%-8s %-10s %s\n", d.State, d.What, strings.ReplaceAll(text, "\n", " ")); err != nil {
			return code, err
		}
	}
	return code, nil
}

// diagnose looks at what vtrace needs, in the order in which it needs it.
func (c *call) diagnose() []diagnosis {
	goes, vars := goCommand(c.ctx)
	all := []diagnosis{fine("vtrace", "%s, built with %s for %s/%s", buildOf(nil).Version, runtime.Version(), runtime.GOOS, runtime.GOARCH), goes}
	temp, dir := tempDir()
	all = append(all, temp)
	if dir != "" {
		defer func() { _ = scratch.Remove(dir) }() // it holds what this has written
	}
	if goes.State == stateOK && dir != "" {
		all = append(all, toolchain(c.ctx, dir))
	}
	if goes.State == stateOK {
		all = append(all, cgo(vars))
		all = append(all, sandboxed(c.ctx))
	}
	return append(all, gitCommand(c.ctx), cacheDir(), browser(), settingsHere())
}

// firstOf is the first line of what an error or a command says.
func firstOf(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// goCommand asks the go command what it is.
func goCommand(ctx context.Context) (diagnosis, map[string]string) {
	d := diagnosis{What: "go", State: stateMissing, Next: "install " + oldestGo + " or later, from https://go.dev/dl, and have its directory bin in PATH"}
	name, err := exec.LookPath("go")
	if err != nil {
		d.Text = "the go command is not in PATH"
		return d, nil
	}
	vars := map[string]string{}
	err = source.GoVariables(ctx, "", nil, &vars, "GOVERSION", "GOROOT", "CGO_ENABLED", "CC")
	switch {
	case err != nil:
		d.Text = fmt.Sprintf("%s cannot be asked: %v", name, firstOf(err.Error()))
		return d, nil
	case goversion.Compare(vars["GOVERSION"], oldestGo) < 0 && goversion.IsValid(vars["GOVERSION"]):
		d.Text = fmt.Sprintf("%s is %s", name, vars["GOVERSION"])
		return d, nil
	}
	return fine("go", "%s in %s", vars["GOVERSION"], vars["GOROOT"]), vars
}

// tempDir makes a directory for temporary files, as checks do.
func tempDir() (diagnosis, string) {
	dir, err := scratch.Make("doctor")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600)
	}
	if err != nil {
		return diagnosis{What: "temp", State: stateMissing, Text: err.Error(), Next: "have TMPDIR name a directory that you may write to"}, ""
	}
	return fine("temp", "%s can be written to", os.TempDir()), dir
}

// toolchain compiles a small program in a directory for temporary files and runs it there.
func toolchain(ctx context.Context, dir string) diagnosis {
	d := diagnosis{What: "toolchain", State: stateMissing}
	for name, text := range map[string]string{"go.mod": "module doctor\n\ngo 1.26\n", "main.go": "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"well\") }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			d.Text, d.Next = err.Error(), "have TMPDIR name a directory that you may write to"
			return d
		}
	}
	program := filepath.Join(dir, "doctor.exe")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, ".")
	build.Dir = dir
	build.Env = append(scratch.GoEnv(nil, dir), "GOWORK=off")
	if out, err := group.CombinedOutput(build); err != nil {
		d.Text = "a small program does not compile: " + firstOf(string(out)+"\n"+err.Error())
		d.Next = "see that 'go build' works here; 'go env' shows its settings, of which GOFLAGS, GOCACHE and GOTOOLCHAIN matter most"
		return d
	}
	out, err := group.Output(exec.CommandContext(ctx, program))
	if err != nil || string(out) != "well" {
		d.Text = fmt.Sprintf("what was compiled does not run in %s: %v", os.TempDir(), err)
		d.Next = "have TMPDIR name a directory in which programs may run, on a file system without noexec"
		return d
	}
	return fine(d.What, "compiles, and what it compiles runs")
}

// cgo says whether programs with C in them can be compiled.
func cgo(vars map[string]string) diagnosis {
	d := diagnosis{What: "cgo", State: stateNote}
	cc := strings.Fields(vars["CC"])
	switch {
	case vars["CGO_ENABLED"] != "1":
		d.Text, d.Next = "off: programs that need C do not compile", "CGO_ENABLED=1, and a C compiler, change that"
	case len(cc) == 0:
		d.Text, d.Next = "no C compiler is named", "install gcc or clang, or set CC"
	default:
		if _, err := exec.LookPath(cc[0]); err != nil {
			d.Text, d.Next = "there is no "+cc[0]+": programs that need C do not compile", "install it, or set CC, or CGO_ENABLED=0 if no program needs C"
			return d
		}
		return fine("cgo", "with %s", cc[0])
	}
	return d
}

// sandboxed tries what -sandbox does.
func sandboxed(ctx context.Context) diagnosis {
	d := diagnosis{What: "sandbox", State: stateNote, Next: "-sandbox=require runs no program here; what it needs is in docs/security.md"}
	s, err := orchestrate.NewSandbox(ctx, nil, "")
	if err != nil {
		d.Text = firstOf(err.Error())
		return d
	}
	unbounded := strings.Join(s.Unbounded, ", ")
	if err := s.Close(); err != nil {
		d.Text = firstOf(err.Error())
		return d
	}
	if unbounded != "" {
		d.Text = "works but for a part: " + unbounded
		return d
	}
	return fine("sandbox", "-sandbox works")
}

// gitCommand asks git for its version.
func gitCommand(ctx context.Context) diagnosis {
	out, err := group.Output(exec.CommandContext(ctx, "git", "--version"))
	if err != nil {
		return diagnosis{What: "git", State: stateNote, Text: "there is none: " + firstOf(err.Error()), Next: "'vtrace check -changed-since' needs it"}
	}
	return fine("git", "%s", strings.TrimPrefix(firstOf(string(out)), "git version "))
}

// cacheDir says where results are kept, and tries to write there.
func cacheDir() diagnosis {
	dir := earlier.ResultsDir()
	d := diagnosis{What: "cache", State: stateNote}
	if dir == noResults {
		d.Text, d.Next = "results are not kept", "have "+resultsVariable+" or HOME name a directory that you may write to, unless that is as it should be"
		return d
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, "doctor-"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		d.Text, d.Next = err.Error(), "have "+resultsVariable+" name a directory that you may write to, or off"
		return d
	}
	return fine("cache", "results are kept in %s", dir)
}

// browser says whether view can open a page.
func browser() diagnosis {
	opener, err := openCommand("")
	if err == nil {
		_, err = exec.LookPath(opener[0])
	}
	if err != nil {
		return diagnosis{What: "browser", State: stateNote, Text: firstOf(err.Error()), Next: "'vtrace view -o FILE' writes a page that can be opened elsewhere"}
	}
	return fine("browser", "pages are opened with %s", opener[0])
}

// settingsHere reads the settings of the module in the current directory.
func settingsHere() diagnosis {
	d := diagnosis{What: "settings", State: stateMissing, Next: "docs/config.md says what the file may have; -config off checks without it"}
	c, err := findConfig("", ".")
	switch {
	case err != nil:
		d.Text = err.Error()
		return d
	case c == nil:
		return fine("settings", "no %s here", configName)
	}
	var s settings
	var a several
	fs := (&call{}).flags()
	checkFlags(fs, &s, &a)
	if err := c.apply(fs, &s); err != nil {
		d.Text = err.Error()
		return d
	}
	return fine("settings", "%s is valid", shorten(c.path))
}
