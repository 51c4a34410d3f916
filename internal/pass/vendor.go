package pass

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/proxyfile"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/internal/source"
)

// A program is built from its bundle without a network and without the user's module cache if
// the modules that it depends on are in the bundle, below artifact.ModulesDir. They have the
// form of a file system proxy, so that the go command itself reads them, compares them with
// go.sum, and unpacks them, into a module cache below the scratch directory.

// maxModules bounds the bytes of the modules in a bundle. With it a bundle stays below what
// "vtrace bundle verify" reads.
const maxModules = 128 << 20

// aboutModule matches what the go command says of a module that it does not get, or does not
// take: not always with the name of the module in front.
var aboutModule = regexp.MustCompile(`@v[0-9][^\s:]*: |module lookup disabled|checksum mismatch|missing go\.sum entry|invalid version: |(reading|Get|Post) "?(https?|file)://`)

// said is what the go command says in one error: what it says of several packages has one
// reason and one remedy.
func said(err error) error {
	var many *multierror.Error
	if !errors.As(err, &many) {
		return err
	}
	var lines []string
	for _, e := range many.Errors {
		lines = append(lines, e.Error())
	}
	return errors.New(strings.Join(lines, "; "))
}

// vendored is what a bundle has beside the program for the go command to build it.
type vendored struct {
	files   []source.File     // of the program: those of source.Program.DependencyFiles
	modules map[string][]byte // below artifact.ModulesDir
}

// vendoring keeps what VendorDeps gives for a program.
type vendoring struct {
	of  string // source.Digest of the program
	has *vendored
}

// vendor adds what the go command needs to build the program, of which the bundle has the
// files. Nothing is downloaded.
func (p *program) vendor(ctx context.Context, b *artifact.Builder, files []source.File, common *shared) error {
	if common == nil {
		common = newShared(nil)
	}
	known := &common.vendoring
	of := source.Digest(files)
	if known.has == nil || known.of != of {
		has, err := p.vendored(ctx, files)
		if err != nil {
			return err
		}
		known.of, known.has = of, has
	}
	for _, f := range known.has.files {
		b.AddSource(f.Path, f.Data)
	}
	for name, data := range known.has.modules {
		b.AddModule(name, data)
	}
	return nil
}

// vendored loads the program as it will be loaded from its bundle, with what is in the user's
// module cache as the proxy. What the go command has taken from there is what it needs.
func (p *program) vendored(ctx context.Context, files []source.File) (_ *vendored, err error) {
	more, err := p.source.DependencyFiles()
	if err != nil {
		return nil, err
	}
	builder := artifact.New(artifact.Manifest{})
	for _, list := range [][]source.File{files, more} {
		for _, f := range list {
			builder.AddSource(f.Path, f.Data)
		}
	}
	b, err := builder.Bundle()
	if err != nil {
		return nil, err
	}
	if err := checkModules(b); err != nil {
		return nil, fmt.Errorf("modules in the bundle: %w", err)
	}
	temp, err := scratch.Make("modules")
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(temp)) }()
	own := p.source.Spec
	env, err := goVariables(ctx, p.source.Root, own.Env)
	if err != nil {
		return nil, err
	}
	entry := p.entry()
	spec := source.Spec{
		Dir: filepath.Join(temp, programDir), Pattern: entry.Package, ImportPath: true, Entry: entry.Func,
		Flags: append(slices.Clone(own.Flags), "-buildvcs=false"), Deps: own.Deps, Env: own.Env,
		GoEnv: moduleEnv(filepath.Join(env.GOMODCACHE, "cache", "download"), filepath.Join(temp, modCacheDir), env.GOFLAGS),
	}
	if err := b.ExtractSource(spec.Dir); err != nil {
		return nil, err
	}
	loaded, err := source.Load(ctx, spec)
	if err == nil {
		err = complete(ctx, spec)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && aboutModule.MatchString(err.Error()):
		return nil, &ModulesError{
			Reason: "they are to go into the bundle, and the go command does not take them from the module cache",
			Remedy: "\"go mod tidy\" and \"go mod download\" complete go.sum and the module cache", Err: said(err),
		}
	case err != nil:
		return nil, &ModulesError{
			Reason: "with them, the program cannot be built from what would be in the bundle",
			Remedy: "check it without -vendor-deps (VendorDeps), and say with -root (Options.Root) where it is", Err: said(err),
		}
	}
	out := &vendored{}
	if out.files, err = loaded.DependencyFiles(); err != nil {
		return nil, err
	}
	out.modules, err = takenModules(filepath.Join(temp, modCacheDir, "cache", "download"))
	return out, err
}

// complete says which packages the go command lacks to build a program. Loading one needs less:
// of other modules, what the program itself imports.
func complete(ctx context.Context, spec source.Spec) error {
	args := []string{"list", "-deps"}
	if spec.Entry != "main" {
		args = append(args, "-test")
	}
	cmd := exec.CommandContext(ctx, "go", append(append(args, spec.Flags...), spec.Pattern)...)
	cmd.Dir, cmd.Env = spec.Dir, spec.GoEnviron()
	var said bytes.Buffer
	cmd.Stderr = &said
	err := group.Run(cmd)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && said.Len() > 0:
		return errors.New(strings.TrimSpace(said.String()))
	}
	return err
}

// takenModules reads the modules that the go command has put into a module cache.
func takenModules(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	var total int64
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return filepath.SkipAll // it has needed none
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		f, ok := proxyfile.Parse(rel)
		if !ok {
			return nil // locks, and what it has computed
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > maxModules {
			return &ModulesError{
				Reason: "they are too large for a bundle",
				Remedy: "check the program without -vendor-deps (VendorDeps)",
				Err:    fmt.Errorf("%w: more than %d bytes, at %s of %s", artifact.ErrLimit, maxModules, f.Version, f.Module),
			}
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if f.Ext == ".info" {
			// Proxies add when and where they have found it.
			if data, err = json.Marshal(struct{ Version string }{f.Version}); err != nil {
				return err
			}
		}
		out[rel] = data
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("modules of the program: %w", err)
	}
	return out, nil
}

// The directories below the scratch directory of a bundle.
const (
	programDir  = "program"  // the program
	proxyDir    = "proxy"    // the modules of the bundle
	modCacheDir = "modcache" // where the go command unpacks them
)

// extractModules writes the modules of a bundle below a scratch directory, and returns what
// has the go command take them from there, nothing if there are none.
func extractModules(ctx context.Context, b *artifact.Bundle, temp string, spec source.Spec) ([]string, error) {
	if !hasModules(b) {
		return nil, nil
	}
	proxy := filepath.Join(temp, proxyDir)
	for name, data := range b.Below(artifact.ModulesDir) {
		file := filepath.Join(proxy, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, fmt.Errorf("scratch directory: %w", err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return nil, fmt.Errorf("scratch directory: %w", err)
		}
	}
	env, err := goVariables(ctx, temp, spec.Env)
	if err != nil {
		return nil, err
	}
	return moduleEnv(proxy, filepath.Join(temp, modCacheDir), env.GOFLAGS), nil
}

// moduleEnv has the go command take modules from a directory and from nowhere else, and unpack
// them into a cache that can be removed again.
func moduleEnv(proxy, cache, flags string) []string {
	dir := filepath.ToSlash(proxy)
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir // with the letter of a drive
	}
	// A comma would end the name.
	at := strings.ReplaceAll((&url.URL{Scheme: "file", Path: dir}).String(), ",", "%2C")
	return []string{
		"GOPROXY=" + at, "GONOPROXY=none", "GOPRIVATE=", "GOVCS=*:off",
		// go.sum decides. What it does not name is refused, and nobody is asked about it.
		"GOSUMDB=off",
		"GOMODCACHE=" + cache, "GOFLAGS=" + strings.TrimSpace(flags+" -modcacherw"),
		// A toolchain would come from the same place.
		"GOTOOLCHAIN=local",
	}
}

// goSettings are settings of the go command.
type goSettings struct{ GOFLAGS, GOMODCACHE, GOROOT string }

// goVariables asks the go command for its settings.
func goVariables(ctx context.Context, dir string, env []string) (s goSettings, err error) {
	err = source.GoVariables(ctx, dir, env, &s, "GOFLAGS", "GOMODCACHE", "GOROOT")
	return s, err
}

// hasModules reports whether a bundle has modules that its program depends on.
func hasModules(b *artifact.Bundle) bool {
	for range b.Below(artifact.ModulesDir) {
		return true
	}
	return false
}

// modulesMissing says of an error of loading the program of a bundle that it is about modules,
// if it is.
func modulesMissing(b *artifact.Bundle, err error) error {
	var refused *RefusedError
	if err == nil || errors.As(err, &refused) || !aboutModule.MatchString(err.Error()) {
		return err
	}
	if hasModules(b) {
		return &ModulesError{
			Reason: "the go command does not take them from the bundle, and nothing is downloaded for one that has modules",
			Remedy: "make the bundle anew, with -vendor-deps (VendorDeps)", Err: said(err),
		}
	}
	return &ModulesError{
		Reason: "they are not in the bundle, and the go command does not get them from elsewhere",
		Remedy: "make the bundle with -vendor-deps (VendorDeps), or have the module cache or GOPROXY provide them", Err: said(err),
	}
}

// sameModules reports whether two bundles have the same modules.
func sameModules(a, b *artifact.Bundle) bool {
	of := func(b *artifact.Bundle) string {
		var out strings.Builder
		for _, f := range b.Manifest().Files {
			if strings.HasPrefix(f.Path, artifact.ModulesDir+"/") {
				fmt.Fprintln(&out, f.Path, f.SHA256)
			}
		}
		return out.String()
	}
	return of(a) == of(b)
}
