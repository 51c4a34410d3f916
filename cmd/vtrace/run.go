package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/hashicorp/go-multierror"

	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/report"
)

// The exit codes.
const (
	exitNothing      = 0 // nothing found
	exitReal         = 1 // real errors found
	exitUsage        = 2 // usage or input error
	exitInconclusive = 3 // neither: undecided, unconfirmed or beyond the bounds
)

// command is one subcommand. run returns the exit code; an error of any kind
// means exitUsage.
type command struct {
	name, args, short string
	executes          executes
	run               func(c *call) (int, error)
}

// executes says what a command executes.
type executes string

const (
	nothing    executes = "nothing"
	compiles   executes = "the go command, which compiles the program, with a C compiler where it has cgo; not the program"
	runs       executes = "the go command, which compiles the program, with a C compiler where it has cgo; and the program itself, with all that you may do, or in a sandbox with -sandbox"
	theBrowser executes = "nothing of the bundle; without -o, what the system opens web pages with"
	theMachine executes = "the go command, which compiles a small program of vtrace, and that program; git, to ask for its version"
	onRequest  executes = "nothing until the editor asks for a check or a replay, which the user does by a command; then what check and replay execute"
	theChecker executes = "nothing; with -engine verifyta, an installed UPPAAL"
)

// commands lists the subcommands. It is a function since help refers to it.
func commands() []command {
	return []command{
		{"check", "PACKAGE [-- ARGUMENTS]", "find errors and prove them: all three passes", runs, runCheck},
		{"first", "PACKAGE", "first pass: model and search; writes a bundle", compiles, runFirst},
		{"second", "BUNDLE", "second pass: instrument and search the Proto model", compiles, runSecond},
		{"deep", "BUNDLE", "deep pass: replay the traces on the program", runs, runDeep},
		{"translate", "PACKAGE", "write the model of a program as UPPAAL XML", compiles, runTranslate},
		{"verify", "MODEL [QUERIES]", "check a model, .xml, .xta or .ta: the model checker alone", theChecker, runVerify},
		{"inspect", "BUNDLE|RECORDING [PATH]", "show what is in a bundle, or in a recording; PATH is a gjson path, or \"events\" of a recording", nothing, runInspect},
		{"view", "BUNDLE|RECORDING", "make a page of a bundle that shows its findings step by step, of a recording, or of a trace of a model, and open it", theBrowser, runView},
		{"bundle", "TOOL ARGUMENTS", "tools for bundles: check, compare, collect, unpack, shorten or list them", nothing, runBundle},
		{"unpack", "BUNDLE", "write the program of a bundle, so that it can be changed", nothing, runUnpack},
		{"adopt", "DIR", "make a bundle of a program that was unpacked and changed", compiles, runAdopt},
		{"replay", "BUNDLE TEST", "run an Orchestration test of a bundle", runs, runReplay},
		{"explore", "PACKAGE [-- ARGUMENTS]", "run a program under many random schedules, without a model", runs, runExplore},
		{"fuzz", "PACKAGE [-- ARGUMENTS]", "run a program under schedules that are made of those which have come to something new", runs, runFuzz},
		{"record", "PACKAGE [-- ARGUMENTS]", "run a program once, free, and record what its goroutines do", runs, runRecord},
		{"analyze", "TRACE", "say what a recorded run shows of other runs: errors that are possible, and alternatives", nothing, runAnalyze},
		{"predict", "PACKAGE [-- ARGUMENTS]", "record a run, predict errors of other runs from it, and prove them on the program", runs, runPredict},
		{"export-test", "BUNDLE TEST", "write an Orchestration test into the program's tree, as a regression test", nothing, runExportTest},
		{"test", "PACKAGE", "run the exported tests of a package on the program as it is now", runs, runTest},
		{"doctor", "", "find out whether this machine has what vtrace needs, and say what to do; exit code 1 if something is missing", theMachine, runDoctor},
		{"completion", "bash|zsh|fish", "print a script that has a shell complete command lines", nothing, runCompletion},
		{"version", "", "print the version, of which revision and Go it was built, and the formats it writes", nothing, runVersion},
		{"lsp", "", "a language server for editors, over standard input and output", onRequest, runLSP},
		{"help", "[COMMAND|FINDING]", "explain a command, or a kind of finding; -man prints a page for man, -schema the JSON Schema of check -json", nothing, runHelp},
	}
}

// call is one invocation of a command.
type call struct {
	ctx            context.Context
	cmd            command
	args           []string
	stdout, stderr io.Writer
	stdin          io.Reader // nil: that of the process
	// program are the arguments behind "--": those of the program under check.
	program []string
	// declared, if not nil, is called with the flags, and nothing else is done.
	declared func(*flag.FlagSet)
}

// errUsage is wrapped by errors about how the command was called.
var errUsage = errors.New("usage")

// run executes one command line. It neither exits nor uses globals.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	for _, cmd := range commands() {
		if cmd.name != name {
			continue
		}
		code, err := cmd.run(&call{ctx: ctx, cmd: cmd, args: args[1:], stdout: stdout, stderr: stderr})
		switch {
		case errors.Is(err, flag.ErrHelp):
			return exitNothing
		case err != nil:
			printError(stderr, err)
			var unsupported *translate.UnsupportedError
			switch {
			case errors.Is(err, errUsage) && name != "help":
				fmt.Fprintf(stderr, "run 'vtrace help %s' for its use\n", name)
			case errors.As(err, &unsupported):
				fmt.Fprintln(stderr, "without -strict, the model ends at what it cannot follow, or there is none and the program is only run; the result says so")
			case errors.As(err, new(*source.TimeoutError)):
				fmt.Fprintln(stderr, "-load-timeout gives it more time; what the go command has compiled by now it keeps, so that the next time takes less")
			case errors.Is(err, source.ErrNoEntry) && !namesEntry(args):
				fmt.Fprintln(stderr, "name the entry point with -entry")
			case strings.Contains(err.Error(), syscall.ENOSPC.Error()): // the go command says so, too
				fmt.Fprintln(stderr, spaceHint)
			}
			return exitUsage
		}
		return code
	}
	fmt.Fprintf(stderr, "vtrace: no command %q\n", name)
	usage(stderr)
	return exitUsage
}

// namesEntry reports whether a command line has -entry.
func namesEntry(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		return name == "entry" && strings.HasPrefix(arg, "-")
	})
}

// spaceHint says what helps where no space is left.
const spaceHint = "free some space there, or name another place: TMPDIR is for temporary files, GOCACHE for what the go command compiles, -o for the bundle"

// printError prints several errors one a line.
func printError(w io.Writer, err error) {
	var many *multierror.Error
	if errors.As(err, &many) {
		head, _, _ := strings.Cut(err.Error(), many.Error())
		for _, e := range many.Errors {
			fmt.Fprintf(w, "vtrace: %s\n", plain(head+strings.TrimPrefix(e.Error(), "-: "))) // which stands for no place
		}
		return
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "vtrace: interrupted")
		return
	}
	fmt.Fprintf(w, "vtrace: %s\n", plain(err.Error()))
}

func usage(w io.Writer) {
	fmt.Fprint(w, `vtrace finds concurrency errors in Go programs and proves them real.

usage: vtrace COMMAND [flags] [arguments]

`)
	var build, run []string
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %-20s %s\n", c.name, c.args, c.short)
		switch c.executes {
		case runs, onRequest:
			run = append(run, c.name)
		case compiles:
			build = append(build, c.name)
		}
	}
	fmt.Fprintf(w, `
PACKAGE is one package: its directory, or its import path.
BUNDLE is a .vtz file or a directory that a pass has written.
TRACE is a recorded run.
-C DIR, before the command or right behind it, has it run in another directory.

%s build and run the program;
%s build it; the others execute nothing of it.
Do not let a command run the program of somebody whom you do not trust.

exit codes: 0 nothing found, 1 real errors found, 2 usage or input error,
3 inconclusive
`, strings.Join(run, ", "), strings.Join(build, ", "))
}

func runHelp(c *call) (int, error) {
	if len(c.args) == 0 {
		usage(c.stdout)
		return exitNothing, nil
	}
	if slices.Contains([]string{"-man", "--man"}, c.args[0]) {
		return exitNothing, writeManual(c.stdout)
	}
	if slices.Contains([]string{"-schema", "--schema"}, c.args[0]) {
		_, err := c.stdout.Write(report.OutputSchema())
		return exitNothing, err
	}
	for _, cmd := range commands() {
		if cmd.name == c.args[0] && cmd.name != "help" {
			_, err := cmd.run(&call{ctx: c.ctx, cmd: cmd, args: []string{"-h"}, stdout: c.stdout, stderr: c.stdout})
			if errors.Is(err, flag.ErrHelp) {
				err = nil
			}
			return exitNothing, err
		}
	}
	if page, ok := findings.Page(c.args[0]); ok {
		_, err := io.WriteString(c.stdout, page)
		return exitNothing, err
	}
	return exitUsage, fmt.Errorf("%w: no command %q, nor a kind of finding: these are %s", errUsage, c.args[0], strings.Join(findings.IDs(), ", "))
}

// flags makes the flag set of a call.
func (c *call) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(c.cmd.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse parses flags, which may also follow arguments, and returns between min
// and max arguments.
func (c *call) parse(fs *flag.FlagSet, min, max int) ([]string, error) {
	if c.declared != nil {
		c.declared(fs)
		return nil, flag.ErrHelp
	}
	var args []string
	rest := c.args
	if i := slices.Index(rest, "--"); i >= 0 {
		rest, c.program = rest[:i], rest[i+1:]
	}
	for {
		err := fs.Parse(rest)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(c.stderr, "usage: vtrace %s [flags] %s\n\n%s\n\nexecutes: %s\n\n", c.cmd.name, c.cmd.args, c.cmd.short, c.cmd.executes)
			fs.SetOutput(c.stderr)
			fs.PrintDefaults()
			return nil, err
		}
		if err != nil && strings.HasSuffix(err.Error(), ": -C") {
			err = errors.New("-C DIR stands before the command, or right behind it")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %v", errUsage, err)
		}
		rest = fs.Args()
		if len(rest) == 0 {
			break
		}
		args, rest = append(args, rest[0]), rest[1:]
	}
	if len(args) < min || len(args) > max {
		return nil, fmt.Errorf("%w: vtrace %s [flags] %s", errUsage, c.cmd.name, c.cmd.args)
	}
	return args, nil
}
