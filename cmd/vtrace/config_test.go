package main

import (
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace"
)

// The example of docs/config.md has every setting once and is read; each flag of check is either in
// it or among those that the page says a file cannot set.
func TestConfigDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 1)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o644))
	c, err := readConfig(filepath.Join(dir, configName), []byte(blocks[0][1]))
	require.NoError(t, err)
	var names []string
	for _, v := range c.check {
		names = append(names, v.name)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(configurable)), names)
	listed := regexp.MustCompile(`(?s)These are not taken from a file: (.*?)\.\n`).FindStringSubmatch(string(page))
	require.NotNil(t, listed)
	require.Equal(t, "`"+strings.Join(slices.Sorted(maps.Keys(onlyFlags)), "`, `")+"`", strings.ReplaceAll(listed[1], "\n", " "))

	var s settings
	var a several
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	checkFlags(fs, &s, &a)
	fs.VisitAll(func(f *flag.Flag) {
		_, in := configurable[f.Name]
		_, out := onlyFlags[f.Name]
		require.True(t, in != out, "-%s: a file sets it, or it is said why not", f.Name)
	})
	for name := range maps.Keys(onlyFlags) {
		require.NotNil(t, fs.Lookup(name), name)
	}
	require.NoError(t, c.apply(fs, &s))
	require.Equal(t, 30*time.Second, s.budget)
	require.True(t, s.race)
	require.Equal(t, []string{"-tags=integration,linux"}, s.flags())
	require.Equal(t, "golang.org/x/sync/...", s.deps)
	require.Equal(t, sandboxFlag("required"), s.sandbox)
	require.Equal(t, filepath.Join(dir, "vtrace-baseline.json"), s.accept.path)
	require.Equal(t, filepath.Join(dir, "vtrace.sarif"), s.logs.files[0].path)
	require.Equal(t, "off", s.cache)
	require.Equal(t, sizeFlag(2<<30), s.memory)
	require.Equal(t, "channel safety,mutex related deadlock", s.categories)
	require.Equal(t, 8, s.bounds.Numbers)
	_, err = s.options(true, newProgress(io.Discard, false))
	require.NoError(t, err)
	for _, e := range []struct {
		pkg, entry, skip string
		budget           time.Duration
	}{
		{"example.com/m/internal/pool", "TestSlowly", "", 5 * time.Minute},
		{"example.com/m/internal/pool/a/b", "TestSlow", "", 5 * time.Minute},
		{"example.com/m/internal/pool", "TestQuick", "", 0},
		{"example.com/m/internal/pools", "TestSlow", "", 0},
		{"example.com/m/internal/network", "TestA", "its tests need a server (vtrace.yaml)", 0},
	} {
		skip, budget := c.of(e.pkg, e.entry)
		require.Equal(t, e.skip, skip, e)
		require.Equal(t, e.budget, budget, e)
	}
}

// What is wrong with a flag is not passed over.
func TestParallelFlag(t *testing.T) {
	t.Parallel()
	code, _, stderr := execute(t, "check", "-parallel", "-3", "./...")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-parallel is at least 0")
}

func TestConfigErrors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "o.json"), nil, 0o644))
	require.NoError(t, os.Symlink(outside, "link"))
	require.NoError(t, os.Symlink(filepath.Join(outside, "o.json"), "o.json"))
	require.NoError(t, os.Symlink(filepath.Join(outside, "none.json"), "dangling.json"))
	require.NoError(t, os.MkdirAll(".git/hooks", 0o755))
	require.NoError(t, os.Symlink(".git/hooks", "hooks"))
	for text, want := range map[string]string{
		"": "vtrace.yaml: it is empty: it begins with version: 1", "# nothing\n": "vtrace.yaml",
		"check:\n  race: true\n":        "vtrace.yaml:1: it has no version: this is version: 1",
		"version: 2\n":                  `vtrace.yaml:1: version is "2": this vtrace reads version 1`,
		"version: \"1\"\n":              `vtrace.yaml:1: version is "1": this vtrace reads version 1`,
		"version: 1\nversion: 1\n":      `vtrace.yaml:2: the file has "version" twice`,
		"version: 1\n---\nversion: 1\n": "vtrace.yaml: something stands behind the first document",
		"version: 1\nchecks: {}\n":      `vtrace.yaml:2: the file has no setting "checks": they are version, check, entries`,
		"version: 1\n  check: {\n":      "vtrace.yaml:2: mapping values are not allowed in this context",
		"[1]\n":                         "vtrace.yaml:1: the file is a list, and has to be a mapping",
		"version: 1\ncheck: &a {race: true}\nentries: *a\n":       "vtrace.yaml:3: aliases of YAML are not read",
		"version: 1\ncheck: {<<: {race: true}}\n":                 "vtrace.yaml:2: check has a key that is no name",
		"version: 1\ncheck:\n  budgte: 1s\n":                      `vtrace.yaml:3: check has no setting "budgte": they are baseline, bound, budget, `,
		"version: 1\ncheck:\n  budget: 30\n":                      "vtrace.yaml:3: budget is a number, and has to be a duration, as in 30s or 5m",
		"version: 1\ncheck:\n  budget: soon\n":                    `vtrace.yaml:3: budget is "soon", and has to be a duration, as in 30s or 5m`,
		"version: 1\ncheck:\n  budget: 0s\n":                      "vtrace.yaml:3: budget is 0s: only a flag on the command line takes a bound away",
		"version: 1\ncheck:\n  watchdog: -1s\n":                   "vtrace.yaml:3: watchdog is -1s: only",
		"version: 1\ncheck:\n  memory: 0\n":                       "vtrace.yaml:3: memory is 0, which is no bound",
		"version: 1\ncheck:\n  memory: 00K\n":                     "vtrace.yaml:3: memory is 0, which is no bound",
		"version: 1\ncheck:\n  memory: 900000G\n":                 "vtrace.yaml:3: memory is 900000G, and at most 8G in a file: only a flag on the command line takes more",
		"version: 1\ncheck:\n  memory: 8589934593\n":              "vtrace.yaml:3: memory is 8589934593, and at most 8G",
		"version: 1\ncheck:\n  memory: 99999999999G\n":            "vtrace.yaml:3: memory",
		"version: 1\ncheck:\n  budget: 90000h\n":                  "vtrace.yaml:3: budget is 90000h, and at most 1h in a file: only a flag on the command line takes more",
		"version: 1\ncheck:\n  timeout: 60m1ns\n":                 "vtrace.yaml:3: timeout is 60m1ns, and at most 1h in a file",
		"version: 1\ncheck:\n  watchdog: 2h\n":                    "vtrace.yaml:3: watchdog is 2h, and at most 1h in a file",
		"version: 1\nentries:\n  - test: x\n    budget: 61m\n":    "vtrace.yaml:4: budget is 61m, and at most 1h in a file",
		"version: 1\ncheck:\n  memory: 2X\n":                      `vtrace.yaml:3: memory: "2X" is not a size, as in 500M or 2G`,
		"version: 1\ncheck:\n  race: \"true\"\n":                  "vtrace.yaml:3: race is text, and has to be true or false",
		"version: 1\ncheck:\n  race:\n":                           "vtrace.yaml:3: race is nothing, and has to be true or false",
		"version: 1\ncheck:\n  states: many\n":                    "vtrace.yaml:3: states is text, and has to be a number",
		"version: 1\ncheck:\n  states: 99999999999999999999\n":    "vtrace.yaml:3: states is 99999999999999999999, and has to be a whole number from 0 to ",
		"version: 1\ncheck:\n  states: 1.5\n":                     "vtrace.yaml:3: states is 1.5, and has to be a whole number from 0 to ",
		"version: 1\ncheck:\n  run-depth: -4\n":                   "vtrace.yaml:3: run-depth is -4, and has to be a whole number from 0 to ",
		"version: 1\ncheck:\n  bound: {numbers: -1}\n":            "vtrace.yaml:3: bound numbers is -1, and has to be a whole number from 0 to ",
		"version: 1\ncheck:\n  bound: {slots: 1001}\n":            "vtrace.yaml:3: bound slots is 1001, and at most 1000 in a file: only a flag on the command line takes more",
		"version: 1\ncheck:\n  run-depth: 0x3e9\n":                "vtrace.yaml:3: run-depth is 0x3e9, and at most 1000 in a file",
		"version: 1\ncheck:\n  states: 1000000001\n":              "vtrace.yaml:3: states is 1000000001, and at most 1000000000 in a file",
		"version: 1\ncheck:\n  disallow: foo\n":                   `vtrace.yaml:3: disallow is "foo", and can only be exact or fnv`,
		"version: 1\ncheck:\n  categories:\n    - foo\n":          `vtrace.yaml:4: "foo" is none of the categories: they are `,
		"version: 1\ncheck:\n  tags: a,b\n":                       "vtrace.yaml:3: tags is text, and has to be a list, as in [a, b]",
		"version: 1\ncheck:\n  tags: [-toolexec=x]\n":             `vtrace.yaml:3: "-toolexec=x" is no element of tags`,
		"version: 1\ncheck:\n  tags: [\"a,b\"]\n":                 `vtrace.yaml:3: "a,b" is no element of tags`,
		"version: 1\ncheck:\n  tags: [[a]]\n":                     "vtrace.yaml:3: an element of tags is a list, and has to be text",
		"version: 1\ncheck:\n  bound: {nothing: 1}\n":             `vtrace.yaml:3: bound has no setting "nothing": they are `,
		"version: 1\ncheck:\n  flags: -toolexec=/tmp/x\n":         "vtrace.yaml:3: flags is not taken from a file: build flags, as -toolexec, can have the go command run programs",
		"version: 1\ncheck:\n  o: /tmp/x\n":                       "vtrace.yaml:3: o is not taken from a file",
		"version: 1\ncheck:\n  sandbox: false\n":                  `vtrace.yaml:3: sandbox is "false", and can only be true or require in a file: a file asks for protection, and takes none away`,
		"version: 1\ncheck:\n  cache: results\n":                  `vtrace.yaml:3: cache is "results", and can only be off in a file`,
		"version: 1\ncheck:\n  sarif: ../x.sarif\n":               `vtrace.yaml:3: sarif is "../x.sarif", which is not below the directory of this file`,
		"version: 1\ncheck:\n  sarif: main.go\n":                  `vtrace.yaml:3: sarif is "main.go", and has to end in .sarif in a file`,
		"version: 1\ncheck:\n  baseline: /etc/x.json\n":           `vtrace.yaml:3: baseline is "/etc/x.json", which is not below`,
		"version: 1\ncheck:\n  baseline: link/x.json\n":           `vtrace.yaml:3: baseline is "link/x.json", which is not below`,
		"version: 1\ncheck:\n  baseline: o.json\n":                `vtrace.yaml:3: baseline is "o.json", which is not below`,
		"version: 1\ncheck:\n  baseline: dangling.json\n":         `vtrace.yaml:3: baseline is "dangling.json", which is not below`,
		"version: 1\ncheck:\n  junit: .GIT/x.xml\n":               `vtrace.yaml:3: junit is ".GIT/x.xml", which is not below`,
		"version: 1\ncheck:\n  junit: hooks/x.xml\n":              `vtrace.yaml:3: junit is "hooks/x.xml", which is not below`,
		"version: 1\nentries:\n  - skip: x\n":                     "vtrace.yaml:3: this names no entry points: it needs package, test or both",
		"version: 1\nentries:\n  - test: x\n":                     "vtrace.yaml:3: this says nothing of its entry points: it needs skip or budget",
		"version: 1\nentries:\n  - test: (\n    skip: x\n":        "vtrace.yaml:3: test is no regular expression",
		"version: 1\nentries:\n  - test: x\n    skip: true\n":     "vtrace.yaml:4: skip is a truth, and has to be text",
		"version: 1\nentries:\n  - test: x\n    skip: \"\"\n":     "vtrace.yaml:4: skip is empty",
		"version: 1\nentries:\n  - package: ./...\n    skip: x\n": `vtrace.yaml:3: package is "./...", and beside this file is no go.mod`,
		"version: 1\nentries:\n  - test: x\n    reason: x\n":      `vtrace.yaml:4: an element of entries has no setting "reason": they are package, test, skip, budget`,
		"version: 1\nentries:\n  - test: a{1000}\n    skip: x\n" + strings.Repeat("  - {test: '(.|b){1000}', skip: x}\n", 3): "vtrace.yaml:7: the regular expressions up to here are too large",
		"version: 1\nentries:\n  - test: " + strings.Repeat("(a", 600) + "\n    skip: x\n":                                   "vtrace.yaml:3: test has 1200 bytes, and at most 1000 are read",
		"version: 1\ncheck:\n  disallow: " + strings.Repeat("x", maxText+1) + "\n":                                           "vtrace.yaml:3: disallow has 1001 bytes, and at most 1000 are read",
		"version: 1\ncheck: {" + strings.Repeat("x", maxText+1) + ": 1}\n":                                                   "vtrace.yaml:2: check has a name of 1001 bytes, and at most 1000 are read",
		"version: 1\ncheck: " + strings.Repeat("[", 20_000) + "\n":                                                           "vtrace.yaml:2: exceeded max depth of 10000",
		"version: 1\nentries: {}\n":  "vtrace.yaml:2: entries is a mapping, and has to be a list",
		"version: 1\nentries: [a]\n": "vtrace.yaml:2: an element of entries is text, and has to be a mapping",
	} {
		require.NoError(t, os.WriteFile(configName, []byte(text), 0o644))
		code, stdout, stderr := execute(t, "check", "-list", ".")
		require.Equal(t, exitUsage, code, text)
		require.Empty(t, stdout)
		require.True(t, strings.HasPrefix(stderr, "vtrace: "+want), "%s: %s", text, stderr)
	}
	require.NoError(t, os.WriteFile(configName, slices.Repeat([]byte("#"), maxConfig+1), 0o644))
	code, _, stderr := execute(t, "check", "-list", ".")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "not a file of at most")
	code, _, stderr = execute(t, "check", "-config", "nowhere.yaml", ".")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-config: stat ")
}

// The reason why an entry point is left out is the word of a repository: it makes up no rows of the
// table, and does nothing to a terminal.
func TestConfigReason(t *testing.T) {
	t.Parallel()
	c, err := readConfig(configName, []byte("version: 1\nentries:\n  - {test: A, skip: \"one\\ntwo\\tthree\\e[2J\\u202e \"}\n"))
	require.NoError(t, err)
	e := vtrace.EntryPoint{Package: "p", Func: "TestA"}
	var out strings.Builder
	call := &call{stdout: &out}
	require.NoError(t, call.report([]checked{{entry: e, leftOut: c.skips(e)}, {entry: e, err: errors.New("a\nb\x1b[m")}}, false, newProgress(io.Discard, false)))
	require.Equal(t, "p TestA  -        left out: one two three\\u001b[2J\\u202e (vtrace.yaml)\np TestA  refused  not checked: a b\\u001b[m\n\n2 entry points: 1 left out, 1 not checked\n", out.String())
}

// Whatever a file has, what is read of it takes no bound away, runs nothing and writes nothing
// elsewhere, and what is wrong with it is said in short, with its place.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"version: 1\ncheck:\n  budget: 30s\n  memory: 2G\n  tags: [a, 1]\n  sandbox: require\n  cache: off\n  race: !!bool x\n  bound: {slots: 4, numbers: 8}\n",
		"version: 1\ncheck:\n  sarif: a/b.sarif\n  junit: ./x.xml\n  baseline: a/../b.json\n  deps: [x/...]\n  categories: [deadlock]\n  disallow: fnv\n  watchdog: 1s\n",
		"version: 1\nentries:\n  - {package: ./a/..., test: ^TestSlow, budget: 5m}\n  - {package: example.com/..., skip: \"\\e[31m\"}\n", "version: 1\nentries: [{test: '((a{100}){10}|\\pL{9}){2,}', skip: x}]\n",
		"version: 1\ncheck: &a {race: true, <<: *a}\n", "version: 1\n---\n...\n", "%YAML 1.1\n%TAG ! x\n--- !<y> {version: 1}\n", "# only\n", "--- \n", "? [a]\n: b\n", "version: 1 # x\ncheck: # y\n  # z\n  flags: -toolexec=x\n",
		"version: 1\ncheck: {junit: \"\\0.xml\", sarif: \"..\\\\x.sarif\", tags: [\"\\x85\"], timeout: 9e9h, states: 0x10}\n", "\xff\xfev\x00", "version: 1\ncheck: |\n  x\n",
	} {
		f.Add([]byte(s))
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	require.NoError(f, err)
	require.NoError(f, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o644))
	path := filepath.Join(dir, configName)
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > maxConfig {
			t.Skip("it is not read")
		}
		c, err := readConfig(path, text)
		if err == nil {
			require.LessOrEqual(t, c.patterns, maxPatterns)
			_, budget := c.of("example.com/m/a", "TestA")
			require.True(t, 0 <= budget && budget <= maxFileTime)
			var s settings
			fs := flag.NewFlagSet("check", flag.ContinueOnError)
			checkFlags(fs, &s, &several{})
			var plain settings
			checkFlags(flag.NewFlagSet("check", flag.ContinueOnError), &plain, &several{})
			if err = c.apply(fs, &s); err == nil {
				require.True(t, s.budget > 0 && s.memory > 0 && s.watchdog > 0, "a bound is taken away")
				require.True(t, max(s.budget, s.watchdog, s.timeout) <= maxFileTime && s.memory <= maxFileMemory, "a bound is too large")
				require.Equal(t, []string{plain.out, plain.sign, plain.verifyKey, plain.buildFlags, plain.entry}, []string{s.out, s.sign, s.verifyKey, s.buildFlags, s.entry})
				require.Contains(t, []string{plain.cache, noResults}, s.cache)
				require.NotEqual(t, sandboxFlag("false"), s.sandbox)
				for _, flag := range s.flags() {
					require.True(t, strings.HasPrefix(flag, "-tags="), flag)
				}
				for _, file := range []string{s.accept.path, s.logs.files[0].path, s.logs.files[1].path} {
					rel, err := filepath.Rel(dir, file)
					require.True(t, file == "" || err == nil && filepath.IsLocal(rel), file)
				}
			}
		}
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), path+":"), err)
			require.Less(t, len(err.Error()), 8*maxText)
		}
	})
}

// The settings of a module count wherever it is checked from, and flags win.
func TestConfig(t *testing.T) {
	inModule(t, map[string]string{
		"go.mod":       "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go":  "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {}\n",
		"a/t_test.go":  "//go:build tagged\n\npackage a\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\n",
		"m/main.go":    "package main\n\nfunc main() {}\n",
		"m/m_test.go":  "package main\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) {}\n",
		"vtrace.yaml":  "version: 1\ncheck:\n  tags: [tagged]\n  cache: off\n  run-depth: 3\n  junit: out.xml\nentries:\n  - {package: ./a, test: B$, skip: for the test}\n  - {package: ./m, test: main, skip: another}\n",
		"other.yaml":   "version: 1\n",
		"b/nothing.go": "package b\n",
	})
	t.Chdir("b")
	list := func(args ...string) string {
		code, out, stderr := execute(t, append([]string{"check", "-list", "../..."}, args...)...)
		require.Equal(t, exitNothing, code, stderr)
		var names []string
		for line := range strings.Lines(out) {
			names = append(names, strings.Fields(line)[1])
		}
		return strings.Join(names, " ")
	}
	require.Equal(t, "TestA TestTagged TestM", list())
	require.Equal(t, "TestA TestM", list("-tags", "x"))
	require.Equal(t, "TestA TestM", list("-flags=--tags=x"))
	require.Equal(t, "TestA TestB TestM main", list("-config", "../other.yaml"))
	require.Equal(t, "TestA TestB TestM main", list("-config", "off"))

	code, out, stderr := execute(t, "check", "-o", "-", "-v", "-json", "../a")
	require.Equal(t, exitNothing, code, stderr)
	require.True(t, strings.HasPrefix(stderr, "vtrace: settings of "), stderr)
	require.Equal(t, `["TestA","TestTagged"]`, gjson.Get(out, "entries.#.entry.func").Raw)
	require.Equal(t, "for the test (vtrace.yaml)", gjson.Get(out, "leftOut.0.reason").String())
	require.FileExists(t, filepath.Join("..", "out.xml"))
	code, out, _ = execute(t, "check", "-o", "-", "../m") // main alone
	require.Equal(t, exitNothing, code)
	require.Contains(t, out, "example.com/m/m main  -  left out: another (vtrace.yaml)\n\n1 entry point: 1 left out\n")
	code, out, _ = execute(t, "check", "-o", "-", "-entry", "TestB", "../a")
	require.Equal(t, exitNothing, code)
	require.Contains(t, out, "example.com/m/a TestB: no error")
}
