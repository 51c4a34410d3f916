package pass

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/storage"
)

// docs/security.md has the table of the flags that are obeyed.
func TestObeyedFlags(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	var said []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(-[a-z]+)` \\|[^|]*\\| ([^|]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		said = append(said, row[1]+": "+row[2])
	}
	var want []string
	for _, o := range obeyedFlags {
		want = append(want, "-"+o.name+": "+o.why)
	}
	require.Equal(t, want, said)

	for flag, ok := range map[string]bool{
		"-tags=a,b": true, "-tags=": true, "-race": true, "-race=true": true, "-mod=vendor": true, "-buildvcs=false": true, "-pgo=off": true,
		"-tags": false, "--tags=a": false, "tags=a": false, "-tags=a b": false, "-tags='a'": false, "-race=x": false, "-mod=": false, "": false, "-": false, "-x=": false, "-racex": false,
	} {
		require.Equal(t, ok, obeyed(flag), flag)
	}
	require.Equal(t, []string{"-tags=a", "-race", "-mod=vendor", "-toolexec", "x", "-tags"}, canonicalFlags([]string{"--tags", "a", "--race", "-mod=vendor", "-toolexec", "x", "-tags"}))

	flags, err := buildFlags([]string{"-tags=a", "-ldflags=-w"}, []string{"-ldflags=-w", "-x"})
	require.NoError(t, err)
	require.Equal(t, []string{"-tags=a", "-ldflags=-w", "-x"}, flags)
	_, err = buildFlags([]string{"-ldflags=-w"}, []string{"-ldflags=-s"})
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "-ldflags=-w", refused.Flag)
}

// The copy of a bundle's program is built without revision and without another toolchain,
// and otherwise in the environment of the caller.
func TestCopySpec(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "auto")
	s := copySpec(source.Spec{Flags: []string{"-tags=a"}})
	require.Equal(t, []string{"-tags=a", "-buildvcs=false"}, s.Flags)
	require.Equal(t, os.Environ(), s.Env)
	require.NoError(t, os.Unsetenv("GOTOOLCHAIN"))
	s = copySpec(source.Spec{})
	require.Equal(t, append(os.Environ(), "GOTOOLCHAIN=local"), s.Env)
}

// A flag that is obeyed is one argument that names a flag of the table, whatever it holds.
func FuzzObeyed(f *testing.F) {
	for _, s := range []string{"-tags=a,b", "-race", "--race", "-tags", "-toolexec=sh -c x", `"-race"`, "-mod=mod", "-race\n-x", "-pgo=off", "-buildvcs=0"} {
		f.Add(s)
	}
	harmless := regexp.MustCompile(`^-(tags=[^ \s'"\\/$=-]*|mod=(readonly|vendor)|(race|msan|asan|trimpath)(=(true|false))?|buildvcs=(false|0)|pgo=off)$`)
	f.Fuzz(func(t *testing.T, flag string) {
		if obeyed(flag) && (!harmless.MatchString(flag) || strings.ContainsAny(flag, "\x00\n\r")) {
			t.Fatalf("%q is obeyed", flag)
		}
		if again := canonicalFlags(canonicalFlags([]string{flag})); len(again) != 1 {
			t.Fatalf("%q became %q", flag, again)
		}
	})
}

// No go.mod has the go command look outside of the copy of the program.
func FuzzModules(f *testing.F) {
	f.Add("module m\n\nreplace a => /b\n", "go 1.26\n\nuse ./a\n")
	f.Add("module m\n\nreplace (\n\ta => ./b\n\tc v1.0.0 => \"../d\"\n)\n", "go 1.26\n\nuse (\n\t.\n\t../x\n)\nreplace a => `/b`\n")
	f.Add("module m\n", "")
	outside := regexp.MustCompile("(?m)^\\s*(replace\\s+)?[a-z.]+(\\s+v[0-9.]+)?\\s+=>\\s+[\"`]?(/|\\.\\./)")
	f.Fuzz(func(t *testing.T, mod, work string) {
		b := artifact.New(artifact.Manifest{})
		b.AddSource("go.mod", []byte(mod))
		if work != "" {
			b.AddSource("go.work", []byte(work))
		}
		bundle, err := b.Bundle()
		require.NoError(t, err)
		if checkModules(bundle) == nil && work == "" && !strings.ContainsAny(mod, "()/*") && outside.MatchString(mod) {
			t.Fatalf("%q", mod)
		}
	})
}

// exportable is a bundle of a deep pass, with these contents.
func exportable(entry artifact.Entry, options string, side, findings, queries, test []byte) (*artifact.Bundle, error) {
	if !json.Valid([]byte(options)) {
		options = "{}"
	}
	b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Entry: entry, Options: json.RawMessage(options)})
	b.AddSource("go.mod", []byte("module m\n"))
	b.AddSource("main.go", []byte("package main\n"))
	b.AddSource("p/p.go", []byte("package p\n"))
	b.SetModel([]byte("<nta/>"))
	b.SetVerdicts(nil)
	b.Put(artifact.QueriesPath, queries)
	b.Put(artifact.SidecarPath, side)
	b.Put(artifact.FindingsPath, findings)
	b.AddTrace(1, 1, &artifact.Trace{})
	b.AddTest(1, 1, test)
	return b.Bundle()
}

// What is exported of any bundle belongs beside files of the program, and does nothing
// besides following a plan.
func FuzzExport(f *testing.F) {
	entry := artifact.Entry{Package: "m", Func: "main"}
	side := &artifact.Sidecar{Entry: entry, Sites: []artifact.Site{{}, {ID: 1, Kind: "end", Key: "main#0", Func: "main", File: "main.go", Line: 3}}, Accesses: []int{1}}
	plan := artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "main#0"}}}
	query := artifact.Query{Number: 1, Formula: "A[] true"}
	test, err := orchestrate.Test(orchestrate.Target{Root: "/", Dir: "/", Name: "main", Entry: entry, End: "main#0"}, side, plan, orchestrate.MetaOf(query, 1, "vtrace"))
	require.NoError(f, err)
	text := func(v any) []byte {
		data, err := storage.EncodeJSON(v)
		require.NoError(f, err)
		return data
	}
	f.Add("m", "main", `{"model":{"bounds":{},"flags":["-tags=a"],"deps":["x/..."],"races":true}}`, text(side), []byte("[]"), text([]artifact.Query{query}), test)
	f.Add("m/p", "TestX", `{}`, text(side), text([]artifact.Finding{{Number: 1, Minimised: &artifact.Minimised{}}}), text([]artifact.Query{query}), test)
	f.Add("/etc", "main\n", `{"model":{"flags":["-toolexec=x"]}}`, []byte(`{"sites":[{"kind":"end","file":"../x"}]}`), []byte(`[{}]`), []byte(`[{"number":1}]`), []byte("package main"))
	f.Fuzz(func(t *testing.T, pkg, fn, options string, side, findings, queries, test []byte) {
		b, err := exportable(artifact.Entry{Package: pkg, Func: fn}, options, side, findings, queries, test)
		if err != nil {
			return
		}
		Conclude(b)
		e, err := Export(b, "q1-1")
		if err != nil {
			if _, ok := err.(*InternalError); ok {
				t.Fatal(err, string(err.(*InternalError).Stack))
			}
			return
		}
		if dir := path.Dir(e.Path); dir != "." && dir != "p" || !strings.HasPrefix(path.Base(e.Path), "vtrace_") || !strings.HasSuffix(e.Path, "_test.go") {
			t.Fatalf("%q", e.Path)
		}
		for line := range strings.Lines(string(e.Data)) {
			line = strings.TrimRight(line, "\n")
			if flag, ok := strings.CutPrefix(line, flagLine); ok && !obeyed(flag) {
				t.Fatalf("%q", line)
			}
			known := slices.ContainsFunc([]string{entryLine, flagLine, depsLine, raceLine, siteLine, "//go:build vtrace"}, func(p string) bool { return strings.HasPrefix(line, p) })
			if strings.HasPrefix(line, "//") && line != "//" && line[2] != ' ' && line[2] != '\t' && !known {
				t.Fatalf("%q", line)
			}
		}
	})
}

// Whatever stands in a file that looks like an exported test, reading it ends in a group or
// an error.
func FuzzReadExported(f *testing.F) {
	f.Add("package p\n\nfunc TestOrchestration_X_Q1_1() {}\n\n//vtrace:entry TestX\n//vtrace:flag -race\n//vtrace:deps a\n//vtrace:race\n//vtrace:site {\"key\":\"a\",\"nth\":1,\"of\":1}\n")
	f.Add("package p\n//vtrace:site {")
	dir := f.TempDir()
	file := filepath.Join(dir, fmt.Sprintf("vtrace_%d_test.go", os.Getpid()))
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		groups, err := readExported(dir)
		if err != nil {
			return
		}
		for _, g := range groups {
			for _, x := range g {
				for _, s := range x.sites {
					s.find([]artifact.Site{{Key: s.Key, Func: s.Func, Kind: s.Kind, Text: s.Text}})
					s.find(nil)
				}
			}
		}
	})
}
