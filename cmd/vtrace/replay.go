package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
)

// runReplay runs one Orchestration test of a bundle.
func runReplay(c *call) (int, error) {
	var s settings
	fs := c.flags()
	s.rootDir(fs)
	s.trusted(fs)
	s.verifying(fs)
	s.watchdogFlag(fs)
	record := fs.String("record", "", "write a recording of the run to `FILE`, which must not exist, as vtrace record does")
	s.inSandbox(fs)
	fs.BoolVar(&s.timing, "timing", false, "print what each stage takes")
	args, err := c.parse(fs, 2, 2)
	if err != nil {
		return 0, err
	}
	b, err := s.load(args[0])
	if err != nil {
		return 0, err
	}
	rep := newProgress(c.stderr, s.timing)
	opts := pass.Options{Root: s.root, Flags: s.flags(), Watchdog: s.watchdog, Sandbox: string(s.sandbox), Progress: rep.event}
	replay := func(recording io.Writer) (v *orchestrate.Verdict, err error) {
		opts.Record = recording
		v, err = pass.Replay(c.ctx, b, args[1], opts)
		if err != nil && s.root == "" {
			// A bundle does not have all of a program with vendored modules, or with a directory in place of one. Who has
			// just checked it has the program around.
			if opts.Root, err = around(b, err); err == nil {
				v, err = pass.Replay(c.ctx, b, args[1], opts)
			}
		}
		return v, err
	}
	var v *orchestrate.Verdict
	if *record == "" {
		v, err = replay(nil)
	} else {
		err = newFile("-record", *record, func(to io.Writer) (err error) {
			v, err = replay(to)
			return err
		})
	}
	rep.done()
	if err != nil {
		return 0, err
	}
	code, err := writeReplay(c, v, b.Sidecar())
	rep.writeUnsandboxed(c.stdout)
	if *record != "" {
		fmt.Fprintf(c.stdout, "recording: %s\n", *record)
	}
	return code, err
}

// around is the directory around the current one, or that one, that holds the files of a bundle whose program lacks modules,
// as err says. If there is none, or something else is wrong, the error is err.
func around(b *artifact.Bundle, err error) (string, error) {
	if !errors.As(err, new(*pass.ModulesError)) && !errors.As(err, new(*pass.RefusedError)) {
		return "", err
	}
	dir, wdErr := os.Getwd()
	if wdErr != nil {
		return "", err
	}
	for ; !pass.HoldsFiles(b, dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return "", err
		}
	}
	return dir, nil
}

// writeReplay prints the execution log, apart from what the program printed,
// and the verdict.
func writeReplay(c *call, v *orchestrate.Verdict, side *artifact.Sidecar) (int, error) {
	// What the program itself has printed is shown as it is.
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(c.stdout, "-- %s --\n%s\n", title, text)
		}
	}
	section("execution log", plain(v.Log))
	section("standard output of the program", v.Stdout)
	section("standard error of the program", v.Stderr)
	fmt.Fprintf(c.stdout, "%s: %s\n", v.Status, strings.TrimPrefix(v.Reason, v.Status+": "))
	if side != nil {
		if cause := explain.Cause(pass.FindingOf(orchestrate.SitesByKey(side), v.Kind, v.Site, v.Goroutines)); cause != "" {
			fmt.Fprintln(c.stdout, cause)
		}
	}
	for _, g := range v.Goroutines {
		fmt.Fprintf(c.stdout, "  goroutine %s: %s", g.G, g.State)
		if g.Op != "" {
			fmt.Fprintf(c.stdout, " %s %s", g.Op, g.Object)
		}
		if g.Source != "" {
			fmt.Fprintf(c.stdout, " at %s", g.Source)
		}
		fmt.Fprintln(c.stdout)
	}
	for _, r := range v.Races {
		fmt.Fprint(c.stdout, r.Report())
	}
	for _, n := range v.Notes {
		fmt.Fprintf(c.stdout, "note: %s\n", n)
	}
	switch v.Status {
	case orchestrate.Reproduced:
		return exitReal, nil
	case orchestrate.Infeasible, orchestrate.NotReproduced:
		return exitNothing, nil
	}
	return exitInconclusive, nil
}
