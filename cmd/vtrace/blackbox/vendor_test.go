package blackbox_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
	"github.com/vtrace/vtrace/internal/pass"
)

// served are the modules that a program depends on: one that it imports, one that this one
// imports, one of which nothing is imported, and one that nobody needs.
var served = map[string]map[string]string{
	"example.com/dep": {
		"go.mod": "module example.com/dep\n\ngo 1.26\n\nrequire (\n\texample.com/Deeper v1.1.0\n\texample.com/graph v1.2.0\n)\n",
		"dep.go": "package dep\n\nimport deeper \"example.com/Deeper\"\n\n// Twice says what to send.\nfunc Twice(n int) int { return deeper.Add(n, n) }\n",
	},
	"example.com/Deeper": {"go.mod": "module example.com/Deeper\n\ngo 1.26\n", "deeper.go": "package deeper\n\nfunc Add(a, b int) int { return a + b }\n"},
	"example.com/graph":  {"go.mod": "module example.com/graph\n\ngo 1.26\n", "graph.go": "package graph\n"},
	"example.com/other":  {"go.mod": "module example.com/other\n\ngo 1.26\n", "other.go": "package other\n"},
}

var servedVersions = map[string]string{"example.com/dep": "v1.0.0", "example.com/Deeper": "v1.1.0", "example.com/graph": "v1.2.0", "example.com/other": "v1.3.0"}

// serve writes a file system proxy with the modules, and returns what go.sum has of them.
func serve(t *testing.T, proxy string) (sum string) {
	t.Helper()
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(served)) {
		files, v := served[path], module.Version{Path: path, Version: servedVersions[path]}
		src := t.TempDir()
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(src, name), []byte(text), 0o644))
		}
		escaped, err := module.EscapePath(path)
		require.NoError(t, err)
		at := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
		require.NoError(t, os.MkdirAll(at, 0o755))
		var data bytes.Buffer
		require.NoError(t, modzip.CreateFromDir(&data, v, src))
		for ext, text := range map[string][]byte{".zip": data.Bytes(), ".mod": []byte(files["go.mod"]), ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2020-01-02T03:04:05Z"}`, v.Version)} {
			require.NoError(t, os.WriteFile(filepath.Join(at, v.Version+ext), text, 0o644))
		}
		all, err := dirhash.HashZip(filepath.Join(at, v.Version+".zip"), dirhash.Hash1)
		require.NoError(t, err)
		mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(files["go.mod"])), nil
		})
		require.NoError(t, err)
		lines = append(lines, fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", path, v.Version, all, path, v.Version, mod))
	}
	return strings.Join(lines, "")
}

// dependent writes a program with an error that depends on these modules.
func dependent(t *testing.T, sum string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/m\n\ngo 1.26\n\nrequire (\n\texample.com/dep v1.0.0\n\texample.com/other v1.3.0\n)\n\nrequire example.com/Deeper v1.1.0 // indirect\n",
		"go.sum":  sum,
		"main.go": "package main\n\nimport \"example.com/dep\"\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() { c <- dep.Twice(1) }()\n\tgo func() { c <- dep.Twice(2) }()\n\tif <-c == 4 {\n\t\t<-c\n\t\t<-c\n\t}\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// surroundingsOf sets what the go command works in: a module cache of its own, and from where
// modules come.
func surroundingsOf(t *testing.T, proxy string) (modcache string) {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	modcache = t.TempDir()
	for name, value := range map[string]string{"HOME": t.TempDir(), "GOENV": "off", "GOMODCACHE": modcache, "GOPROXY": proxy, "GOSUMDB": "off", "GOFLAGS": "-modcacherw", "GOPRIVATE": "example.com"} {
		t.Setenv(name, value)
	}
	t.Setenv("GONOPROXY", "none")
	return modcache
}

// filesOf are the paths of a bundle below a directory.
func filesOf(b *vtrace.Bundle, dir string) (out []string) {
	for name := range b.Below(dir) {
		out = append(out, name)
	}
	return out
}

// A bundle with the modules that its program depends on needs no network, no module cache and
// no home, and leaves nothing in the module cache.
func TestVendorDeps(t *testing.T) {
	proxy := t.TempDir()
	dir := dependent(t, serve(t, proxy))
	t.Chdir(t.TempDir())
	surroundingsOf(t, "file://"+filepath.ToSlash(proxy))
	for _, args := range [][]string{
		{"first", "-o", "without.vtz", dir},
		{"first", "-vendor-deps", "-o", "first.vtz", dir},
		{"first", "-vendor-deps", "-o", "again.vtz", dir},
		{"check", "-budget", "0", "-cache", "off", "-vendor-deps", "-o", "check.vtz", dir},
	} {
		code, _, stderr := execute(t, args...)
		require.Contains(t, []int{exitReal, exitInconclusive}, code, "%q: %s", args, stderr)
	}
	first, err := artifact.Load("first.vtz")
	require.NoError(t, err)
	again, err := artifact.Load("again.vtz")
	require.NoError(t, err)
	require.Equal(t, first.Digest(), again.Digest())
	modules := filesOf(first, artifact.ModulesDir)
	require.Equal(t, []string{
		"example.com/!deeper/@v/v1.1.0.info", "example.com/!deeper/@v/v1.1.0.mod", "example.com/!deeper/@v/v1.1.0.zip",
		"example.com/dep/@v/v1.0.0.info", "example.com/dep/@v/v1.0.0.mod", "example.com/dep/@v/v1.0.0.zip",
	}, modules, "what the program needs")
	for name, data := range first.Below(artifact.ModulesDir) {
		require.NotContains(t, string(data), "Time", name)
	}
	require.Empty(t, bundle.Verify(first))
	checked, err := artifact.Load("check.vtz")
	require.NoError(t, err)
	require.Equal(t, modules, filesOf(checked, artifact.ModulesDir))
	slim, err := bundle.Slim(checked)
	require.NoError(t, err)
	require.Equal(t, modules, filesOf(slim, artifact.ModulesDir))

	// Elsewhere, without anything but the bundle.
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.RemoveAll(proxy))
	modcache := surroundingsOf(t, "off")
	code, _, stderr := execute(t, "second", "-o", "second.vtz", "first.vtz")
	require.Equal(t, exitInconclusive, code, stderr)
	code, stdout, stderr := execute(t, "deep", "-budget", "0", "-o", "deep.vtz", "second.vtz")
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "REAL: deadlock")
	deep, err := artifact.Load("deep.vtz")
	require.NoError(t, err)
	require.Equal(t, checked.Digest(), deep.Digest(), "the passes one by one give what a check gives")
	require.Empty(t, bundle.Verify(deep))
	test := strings.TrimSuffix(strings.TrimPrefix(deep.Findings()[0].Test, "tests/"), "_test.go")
	code, stdout, stderr = execute(t, "replay", "deep.vtz", test)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "reproduced: deadlock")
	adoptedAgain(t, first)
	left, err := os.ReadDir(modcache)
	require.NoError(t, err)
	require.Empty(t, left, "in the module cache")

	// Without the modules it is said what to do.
	code, _, stderr = execute(t, "second", "-o", "none.vtz", "without.vtz")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "they are not in the bundle")
	require.Contains(t, stderr, "make the bundle with -vendor-deps")
	without, err := artifact.Load("without.vtz")
	require.NoError(t, err)
	_, err = vtrace.SecondPass(t.Context(), without)
	var missing *pass.ModulesError
	require.ErrorAs(t, err, &missing)

	// The go command compares them with go.sum.
	modcache = surroundingsOf(t, "off")
	for _, m := range []string{"example.com/dep", "example.com/Deeper"} {
		forged := forgedModule(t, first, m)
		require.Empty(t, bundle.Verify(forged), "modules are not unpacked")
		_, err = vtrace.SecondPass(t.Context(), forged)
		require.ErrorAs(t, err, &missing, m)
		require.ErrorContains(t, err, "checksum mismatch")
		require.ErrorContains(t, err, m+"@")
	}
	_, err = pass.Replay(t.Context(), forgedModule(t, deep, "example.com/Deeper"), test, pass.Options{})
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "checksum mismatch")
	left, err = os.ReadDir(modcache)
	require.NoError(t, err)
	require.Empty(t, left, "in the module cache")
}

// What is not in the module cache, and what is in no bundle, is said when the bundle is made.
func TestVendorDepsMissing(t *testing.T) {
	proxy := t.TempDir()
	dir := dependent(t, serve(t, proxy))
	modcache := surroundingsOf(t, "file://"+filepath.ToSlash(proxy))
	t.Chdir(dir)
	var missing *pass.ModulesError
	_, err := vtrace.FirstPass(t.Context(), vtrace.Package("."))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(modcache, "cache", "download", "example.com", "!deeper", "@v", "v1.1.0.zip")))
	t.Setenv("GOPROXY", "off")
	_, err = vtrace.FirstPass(t.Context(), vtrace.Package("."), vtrace.VendorDeps())
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "does not take them from the module cache")
	require.ErrorContains(t, err, "go mod download")

	// A directory elsewhere belongs to no bundle.
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "go.mod"), []byte("module example.com/dep\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "dep.go"), []byte("package dep\n\nfunc Twice(n int) int { return n }\n"), 0o644))
	edit := exec.Command("go", "mod", "edit", "-replace", "example.com/dep="+outside)
	out, err := edit.CombinedOutput()
	require.NoError(t, err, string(out))
	_, err = vtrace.FirstPass(t.Context(), vtrace.Package("."), vtrace.VendorDeps())
	var refused *pass.RefusedError
	require.ErrorAs(t, err, &refused)
}

// Of a program with a directory vendor, and of modules in directories of it, what is used goes
// into the bundle with the program.
func TestVendorDepsDirectories(t *testing.T) {
	proxy := t.TempDir()
	sum := serve(t, proxy)
	for name, prepare := range map[string][]string{
		"vendor":  {"go", "mod", "vendor"},
		"replace": {"go", "mod", "edit", "-replace", "example.com/dep=./dep", "-replace", "example.com/Deeper=./deeper", "-replace", "example.com/other=./other"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := dependent(t, sum)
			surroundingsOf(t, "file://"+filepath.ToSlash(proxy))
			for path, files := range served {
				for file, text := range files {
					at := filepath.Join(dir, strings.ToLower(strings.TrimPrefix(path, "example.com/")))
					require.NoError(t, os.MkdirAll(at, 0o755))
					require.NoError(t, os.WriteFile(filepath.Join(at, file), []byte(text), 0o644))
				}
			}
			cmd := exec.Command(prepare[0], prepare[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			surroundingsOf(t, "off")
			first, err := vtrace.FirstPass(t.Context(), vtrace.Package(".", vtrace.In(dir), vtrace.Deps("none")), vtrace.VendorDeps())
			require.NoError(t, err)
			require.Empty(t, filesOf(first, artifact.ModulesDir))
			require.Empty(t, bundle.Verify(first))
			require.NoError(t, os.RemoveAll(dir))
			_, err = vtrace.SecondPass(t.Context(), first)
			require.NoError(t, err)
			adoptedAgain(t, first)
			without := artifact.New(first.Manifest())
			for _, p := range first.Paths() {
				if data, _ := first.Read(p); !strings.Contains(p, "/vendor/") && !strings.Contains(p, "/deeper/") {
					without.Put(p, data)
				}
			}
			b, err := without.Bundle()
			require.NoError(t, err)
			_, err = vtrace.SecondPass(t.Context(), b)
			require.Error(t, err, "it is needed")
		})
	}
}

// adoptedAgain changes the program of a bundle by hand: what it depends on stays in the bundle.
func adoptedAgain(t *testing.T, b *vtrace.Bundle) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "unpacked")
	require.NoError(t, vtrace.Unpack(b, dir))
	f, err := os.OpenFile(filepath.Join(dir, pass.UnpackedProgram, "main.go"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\n// changed\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	adopted, err := vtrace.Adopt(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"source/main.go"}, adopted.Manifest().Changed)
	require.Equal(t, b.Paths(), adopted.Paths())
	require.Empty(t, bundle.Verify(adopted))
}

// forgedModule is a bundle in which the files of a module are other ones.
func forgedModule(t *testing.T, b *vtrace.Bundle, path string) *vtrace.Bundle {
	t.Helper()
	escaped, err := module.EscapePath(path)
	require.NoError(t, err)
	out := artifact.New(b.Manifest())
	for _, p := range b.Paths() {
		data, _ := b.Read(p)
		if p == "modules/"+escaped+"/@v/"+servedVersions[path]+".zip" {
			var forged bytes.Buffer
			w := zip.NewWriter(&forged)
			for name, text := range served[path] {
				f, err := w.Create(path + "@" + servedVersions[path] + "/" + name)
				require.NoError(t, err)
				_, err = f.Write([]byte(text + "// forged\n"))
				require.NoError(t, err)
			}
			require.NoError(t, w.Close())
			data = forged.Bytes()
		}
		out.Put(p, data)
	}
	made, err := out.Bundle()
	require.NoError(t, err)
	return made
}
