package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/docs/findings"
	"github.com/vtrace/vtrace/internal/pass"
)

// described is a command as it is completed and printed in a manual.
type described struct {
	command
	flags []*flag.Flag // by name
}

// table are all commands with their flags. The tools of bundle stand behind it, under both words.
func table() []described {
	var out []described
	describe := func(cmd command) {
		d := described{command: cmd}
		if cmd.name != "help" { // which has no flags like others
			_, _ = cmd.run(&call{cmd: cmd, stdout: io.Discard, stderr: io.Discard, declared: func(fs *flag.FlagSet) {
				fs.VisitAll(func(f *flag.Flag) { d.flags = append(d.flags, f) })
			}})
		}
		out = append(out, d)
	}
	for _, cmd := range commands() {
		if cmd.name != "bundle" {
			describe(cmd)
			continue
		}
		out = append(out, described{command: cmd})
		for _, tool := range bundleCommands() {
			tool.name = cmd.name + " " + tool.name
			describe(tool)
		}
	}
	return out
}

// isBool reports whether a flag needs no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// words are what the value of a flag may be, nil if that is not known or any name.
func words(f *flag.Flag) []string {
	switch f.Name {
	case "categories":
		return vtrace.QueryCategories()
	case "disallow":
		return []string{pass.DisallowExact, pass.DisallowFNV}
	case "strategy":
		return strategyNames()
	case "cache", "config":
		return []string{noResults}
	}
	return nil
}

// namesFile reports whether the value of a flag is a name that a shell can complete, as the text in
// its help says.
func namesFile(f *flag.Flag) (file, dir bool) {
	switch name, _ := flag.UnquoteUsage(f); name {
	case "FILE":
		return true, false
	case "DIR":
		return false, true
	}
	return f.Name == "o" || f.Name == "verify-key", f.Name == "root"
}

// maxShort bounds the characters of what a shell shows of a flag.
const maxShort = 80

// short is the beginning of what the help of a flag says, in one line.
func short(f *flag.Flag) string {
	_, usage := flag.UnquoteUsage(f)
	for _, end := range []string{";", ". ", ": "} {
		usage, _, _ = strings.Cut(usage, end)
	}
	text := []rune(usage)
	if len(text) > maxShort {
		return string(text[:maxShort-1]) + "…"
	}
	return usage
}

// helpTopics are what help explains besides commands.
func helpTopics() []string { return findings.IDs() }

// writeManual writes a page for man, in its language.
func writeManual(w io.Writer) error {
	var out strings.Builder
	section := func(name string) { fmt.Fprintf(&out, ".SH %s\n", name) }
	out.WriteString(".TH VTRACE 1 \"\" \"vtrace\" \"User Commands\"\n")
	section("NAME")
	out.WriteString("vtrace \\- find concurrency errors in Go programs and prove them real\n")
	section("SYNOPSIS")
	out.WriteString(".B vtrace\n[\\fB\\-C\\fR \\fIDIR\\fR] \\fICOMMAND\\fR [\\fIflags\\fR] [\\fIarguments\\fR]\n")
	section("DESCRIPTION")
	out.WriteString("\\fIPACKAGE\\fR is one package: its directory, or its import path; of \\fBcheck\\fR also a pattern as ./... .\n" +
		"\\fIBUNDLE\\fR is a .vtz file or a directory that a pass has written.\n.PP\n" +
		"\\fB\\-C\\fR \\fIDIR\\fR, before the command or right behind it, has it run in another directory.\n")
	section("COMMANDS")
	for _, d := range table() {
		fmt.Fprintf(&out, ".SS \"vtrace %s %s\"\n%s.\n", roff(d.name), roff(strings.ReplaceAll(d.args, `"`, "")), roff(strings.ToUpper(d.short[:1])+d.short[1:]))
		fmt.Fprintf(&out, ".PP\nExecutes: %s.\n", roff(string(d.executes)))
		for _, f := range d.flags {
			value, usage := flag.UnquoteUsage(f)
			fmt.Fprintf(&out, ".TP\n\\fB\\-%s\\fR", roff(f.Name))
			if value != "" && !isBool(f) {
				fmt.Fprintf(&out, " \\fI%s\\fR", roff(value))
			}
			fmt.Fprintf(&out, "\n%s", roff(usage))
			if v := f.DefValue; v != "" && v != "false" && v != "0" && v != "0s" && !filepath.IsAbs(v) {
				fmt.Fprintf(&out, " (default %s)", roff(v))
			}
			out.WriteString("\n")
		}
	}
	section("FINDINGS")
	fmt.Fprintf(&out, "\\fBvtrace help\\fR \\fIFINDING\\fR explains a kind of finding: %s.\n", roff(strings.Join(helpTopics(), ", ")))
	section("\"EXIT STATUS\"")
	for _, e := range []struct {
		code int
		text string
	}{
		{exitNothing, "nothing found"}, {exitReal, "real errors found"}, {exitUsage, "usage or input error"}, {exitInconclusive, "inconclusive"},
	} {
		fmt.Fprintf(&out, ".TP\n.B %d\n%s\n", e.code, e.text)
	}
	section("ENVIRONMENT")
	fmt.Fprintf(&out, ".TP\n.B %s\nthe directory in which results are kept, or off\n", resultsVariable)
	section("FILES")
	fmt.Fprintf(&out, ".TP\n.I %s\nsettings of a module, beside its go.mod\n.TP\n.I %s\nwhere bundles are written without \\-o\n", configName, bundleDir)
	_, err := io.WriteString(w, out.String())
	return err
}

// roff is a text in the language of man, in which no line begins with a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", "'", `\(aq`, "`", "\\`").Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}
