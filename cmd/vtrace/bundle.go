package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
	"github.com/vtrace/vtrace/internal/storage"
)

// bundleCommands are the tools of "vtrace bundle".
func bundleCommands() []command {
	return []command{
		{"verify", "BUNDLE...", "check everything that can be checked of bundles, and of those that one of them was made from; exit code 1 if something is wrong", nothing, runBundleVerify},
		{"diff", "BUNDLE BUNDLE", "show what has changed from one bundle to another one; exit code 1 if they differ", nothing, runBundleDiff},
		{"merge", "-o DIR BUNDLE...", "collect bundles in a directory, with a report of all findings", nothing, runBundleMerge},
		{"extract", "-o DIR BUNDLE [PATH...]", "write files of a bundle, or directories with all that is in them, below a directory", nothing, runBundleExtract},
		{"slim", "-o FILE BUNDLE", "leave out what verdicts and replays of findings do not need", nothing, runBundleSlim},
		{"index", "DIR", "list the bundles below a folder, a line for each", nothing, runBundleIndex},
	}
}

// runBundle runs a tool for bundles.
func runBundle(c *call) (int, error) {
	name := ""
	if len(c.args) > 0 {
		name = c.args[0]
	}
	for _, cmd := range bundleCommands() {
		if cmd.name == name {
			inner := *c
			inner.cmd, inner.args = cmd, c.args[1:]
			inner.cmd.name = c.cmd.name + " " + cmd.name
			return cmd.run(&inner)
		}
	}
	if name == "" || name == "-h" || name == "-help" || name == "--help" {
		fmt.Fprintf(c.stderr, "usage: vtrace %s %s\n\n%s\n\nexecutes: %s\n\n", c.cmd.name, c.cmd.args, c.cmd.short, c.cmd.executes)
		for _, cmd := range bundleCommands() {
			fmt.Fprintf(c.stderr, "  %-8s %-24s %s\n", cmd.name, cmd.args, cmd.short)
		}
		fmt.Fprintf(c.stderr, "\n\"vtrace %s TOOL -h\" explains a tool\n", c.cmd.name)
		if name == "" {
			return 0, fmt.Errorf("%w: no tool is named", errUsage)
		}
		return 0, flag.ErrHelp
	}
	return 0, fmt.Errorf("%w: no tool %q", errUsage, name)
}

// writeIndented writes a value as JSON for people and programs.
func writeIndented(w io.Writer, v any) error {
	data, err := storage.EncodeJSON(v)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// bundleLimit is the flag that bounds the size of the bundles that a tool reads.
func bundleLimit(fs *flag.FlagSet, usage string) *sizeFlag {
	limit := sizeFlag(bundle.IndexLimits.Total)
	fs.Var(&limit, "limit", usage)
	return &limit
}

// limits are those of a bundle of this size.
func (s *sizeFlag) limits() artifact.Limits {
	return artifact.Limits{Total: int64(*s), File: int64(*s), Decoded: int64(*s)}
}

// bundleReport is what is known of one bundle.
type bundleReport struct {
	Bundle   string           `json:"bundle"`
	Digest   string           `json:"digest,omitempty"`
	Problems []bundle.Problem `json:"problems"`
}

// eachVerified declares -verify-key for a tool that reads several bundles.
func (s *settings) eachVerified(fs *flag.FlagSet) {
	s.verifyingAs(fs, "refuse a bundle unless the signature beside it")
}

func runBundleVerify(c *call) (int, error) {
	var s settings
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print the result as JSON")
	limit := bundleLimit(fs, "refuse a bundle with more than `SIZE` of files")
	s.eachVerified(fs)
	args, err := c.parse(fs, 1, 1000)
	if err != nil {
		return 0, err
	}
	open, err := s.opening(limit.limits())
	if err != nil {
		return 0, err
	}
	byDigest := map[string]*bundle.Report{}
	reports := make([]*bundle.Report, len(args))
	result := make([]bundleReport, len(args))
	code := exitNothing
	for i, path := range args {
		result[i] = bundleReport{Bundle: path, Problems: []bundle.Problem{}}
		r, err := bundle.VerifyFile(path, open)
		var corrupt *artifact.CorruptError
		switch {
		case errors.As(err, &corrupt):
			result[i].Problems = append(result[i].Problems, bundle.Problem{File: corrupt.File, Text: corrupt.Err.Error()})
			code = exitReal
			continue
		case err != nil:
			return 0, err
		}
		reports[i], byDigest[r.Digest] = r, r
		result[i].Digest = r.Digest
		result[i].Problems = append(result[i].Problems, r.Problems...)
	}
	for i, r := range reports {
		if r == nil {
			continue
		}
		for _, digest := range []string{r.Manifest.Parent, r.Manifest.SlimmedFrom} {
			if from := byDigest[digest]; from != nil {
				result[i].Problems = append(result[i].Problems, r.VerifyParent(from)...)
			}
		}
		if len(result[i].Problems) > 0 {
			code = exitReal
		}
	}
	if *asJSON {
		return code, writeIndented(c.stdout, result)
	}
	var out strings.Builder
	for i, r := range result {
		for _, p := range r.Problems {
			fmt.Fprintf(&out, "%s: %s\n", r.Bundle, p)
		}
		if len(r.Problems) == 0 {
			m := reports[i].Manifest
			fmt.Fprintf(&out, "%s: valid: version %d, %s pass, %d files, digest %s\n", r.Bundle, m.Version, m.Pass, reports[i].Files, r.Digest)
		}
	}
	_, err = io.WriteString(c.stdout, plain(out.String()))
	return code, err
}

func runBundleDiff(c *call) (int, error) {
	var s settings
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print the difference as JSON, with the paths of all files that differ")
	s.eachVerified(fs)
	args, err := c.parse(fs, 2, 2)
	if err != nil {
		return 0, err
	}
	open, err := s.opening(artifact.DefaultLimits)
	if err != nil {
		return 0, err
	}
	d, err := bundle.DiffFiles(args[0], args[1], open)
	if err != nil {
		return 0, err
	}
	code := exitNothing
	if !d.Same() {
		code = exitReal
	}
	if *asJSON {
		return code, writeIndented(c.stdout, d)
	}
	_, err = io.WriteString(c.stdout, plain(d.String()))
	return code, err
}

// requiredOut is the flag that says where a tool writes to.
func requiredOut(fs *flag.FlagSet, usage string) *string { return fs.String("o", "", usage) }

// errNoOut is the error for a tool that was not told where to write to.
var errNoOut = fmt.Errorf("%w: -o says where to write to", errUsage)

func runBundleMerge(c *call) (int, error) {
	var s settings
	fs := c.flags()
	out := requiredOut(fs, "write to `DIR`, which is made, or empty: the bundles as they are, and "+bundle.CollectionFile)
	asJSON := fs.Bool("json", false, "print the report as JSON, as "+bundle.CollectionFile+" has it")
	s.eachVerified(fs)
	args, err := c.parse(fs, 1, 1_000_000)
	if err != nil {
		return 0, err
	}
	if *out == "" {
		return 0, errNoOut
	}
	open, err := s.opening(artifact.DefaultLimits)
	if err != nil {
		return 0, err
	}
	merged, err := bundle.Merge(c.ctx, *out, open, args...)
	if err != nil {
		return 0, err
	}
	if *asJSON {
		return exitNothing, writeIndented(c.stdout, merged)
	}
	_, err = io.WriteString(c.stdout, plain(merged.String()))
	return exitNothing, err
}

func runBundleExtract(c *call) (int, error) {
	var s settings
	fs := c.flags()
	out := requiredOut(fs, "write below `DIR`, which is made if it is not there; no file there is replaced")
	all := fs.Bool("all", false, "write all files")
	s.verifying(fs)
	args, err := c.parse(fs, 1, 1_000_000)
	if err != nil {
		return 0, err
	}
	switch {
	case *out == "":
		return 0, errNoOut
	case *all == (len(args) > 1):
		return 0, fmt.Errorf("%w: either PATHs say what to extract, or -all does", errUsage)
	}
	open, err := s.opening(artifact.DefaultLimits)
	if err != nil {
		return 0, err
	}
	written, err := bundle.ExtractFile(args[0], open, *out, args[1:]...)
	if err != nil {
		return 0, err
	}
	var list strings.Builder
	for _, p := range written {
		fmt.Fprintln(&list, filepath.Join(*out, filepath.FromSlash(p)))
	}
	_, err = io.WriteString(c.stdout, plain(list.String()))
	return exitNothing, err
}

func runBundleSlim(c *call) (int, error) {
	var s settings
	fs := c.flags()
	fs.StringVar(&s.out, "o", "", "write the bundle to `FILE` (.vtz, or a directory)")
	s.verifying(fs)
	s.signing(fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if s.out == "" {
		return 0, errNoOut
	}
	open, err := s.opening(artifact.DefaultLimits)
	if err != nil {
		return 0, err
	}
	key, err := s.signingKey()
	if err != nil {
		return 0, err
	}
	slim, err := bundle.SlimFile(args[0], open, s.out, key)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(c.stdout, "%s: %d of %d files, %d of %d bytes\n", s.out, slim.Files, slim.AllFiles, slim.Bytes, slim.AllBytes)
	if sig := s.signature(s.out); err == nil && sig != "" {
		_, err = fmt.Fprintf(c.stdout, "signature: %s\n", sig)
	}
	return exitNothing, err
}

func runBundleIndex(c *call) (int, error) {
	var s settings
	fs := c.flags()
	asCSV := fs.Bool("csv", false, "print a table, as CSV with a line of titles, in place of lines of JSON")
	limit := bundleLimit(fs, "list a bundle with more than `SIZE` of files as one that cannot be read")
	s.verifyingAs(fs, "list a bundle as one that cannot be read unless the signature beside it")
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	open, err := s.opening(limit.limits())
	if err != nil {
		return 0, err
	}
	write := func(e bundle.Entry) error { return e.WriteLine(c.stdout) }
	if *asCSV {
		if err := writeRow(c.stdout, bundle.Columns()); err != nil {
			return 0, err
		}
		write = func(e bundle.Entry) error {
			row := e.Row()
			for i := range row {
				row[i] = plain(row[i])
			}
			return writeRow(c.stdout, row)
		}
	}
	return exitNothing, bundle.Index(c.ctx, args[0], open, write)
}

// writeRow writes a row of a table as CSV.
func writeRow(w io.Writer, row []string) error {
	c := csv.NewWriter(w)
	if err := c.Write(row); err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}
