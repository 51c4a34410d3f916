package vtrace_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/bundle"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/kept"
	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/uppaal"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/pass"
)

// api are the exported functions of the SDK, and its types with methods.
var api = map[string]any{
	"vtrace.Adopt": vtrace.Adopt, "vtrace.Unpack": vtrace.Unpack, "internal/pass.Adopt": passes.Adopt, "internal/pass.Unpack": passes.Unpack, "pass.ChangeError": pass.ChangeError{},
	"vtrace.Args": vtrace.Args, "vtrace.Budget": vtrace.Budget, "vtrace.BuildFlags": vtrace.BuildFlags, "vtrace.Categories": vtrace.Categories,
	"vtrace.Check": vtrace.Check, "vtrace.Conclude": vtrace.Conclude, "vtrace.Continue": vtrace.Continue, "vtrace.DeepPass": vtrace.DeepPass,
	"vtrace.Deps": vtrace.Deps, "vtrace.Dir": vtrace.Dir, "vtrace.DisallowFNV": vtrace.DisallowFNV, "vtrace.Dump": vtrace.Dump, "vtrace.Verifyta": vtrace.Verifyta, "vtrace.AsMade": vtrace.AsMade, "vtrace.ExportTest": vtrace.ExportTest, "vtrace.RunExported": vtrace.RunExported, "vtrace.Version": vtrace.Version, "vtrace.WritePage": vtrace.WritePage, "vtrace.ReadRecording": vtrace.ReadRecording, "vtrace.RecordedRun": vtrace.RecordedRun{}, "vtrace.RecordingError": vtrace.RecordingError{},
	"vtrace.Entry": vtrace.Entry, "vtrace.Env": vtrace.Env, "vtrace.EveryLine": vtrace.EveryLine, "vtrace.Exhaust": vtrace.Exhaust,
	"vtrace.Explore": vtrace.Explore, "vtrace.Fuzz": vtrace.Fuzz, "vtrace.ReadCorpus": vtrace.ReadCorpus, "vtrace.WriteCorpus": vtrace.WriteCorpus, "internal/pass.Fuzz": passes.Fuzz, "internal/pass.FuzzEntry": passes.FuzzEntry, "internal/pass.ReadCorpus": passes.ReadCorpus, "internal/pass.WriteCorpus": passes.WriteCorpus, "vtrace.FirstPass": vtrace.FirstPass, "vtrace.Flags": vtrace.Flags, "vtrace.FromProto": vtrace.FromProto,
	"vtrace.LoadFunctions": vtrace.LoadFunctions, "vtrace.Functions": vtrace.Functions{}, "vtrace.In": vtrace.In, "vtrace.Interrupt": vtrace.Interrupt, "vtrace.Load": vtrace.Load, "vtrace.LoadTimeout": vtrace.LoadTimeout, "vtrace.MaxMemory": vtrace.MaxMemory,
	"vtrace.MaxStates": vtrace.MaxStates, "vtrace.NoReductions": vtrace.NoReductions, "vtrace.Package": vtrace.Package, "vtrace.Partial": vtrace.Partial, "vtrace.Portable": vtrace.Portable,
	"vtrace.Predict": vtrace.Predict, "vtrace.Processors": vtrace.Processors, "vtrace.Progress": vtrace.Progress, "vtrace.QueryCategories": vtrace.QueryCategories, "vtrace.Record": vtrace.Record, "vtrace.RecordTo": vtrace.RecordTo, "vtrace.Races": vtrace.Races, "vtrace.Resume": vtrace.Resume, "vtrace.Results": vtrace.Results,
	"vtrace.Holds": vtrace.Holds, "vtrace.Overlay": vtrace.Overlay, "vtrace.Replay": vtrace.Replay, "vtrace.ProgramErrors": vtrace.ProgramErrors, "vtrace.Root": vtrace.Root, "vtrace.RunDepth": vtrace.RunDepth, "vtrace.SecondPass": vtrace.SecondPass, "vtrace.Sandbox": vtrace.Sandbox, "vtrace.Stall": vtrace.Stall, "vtrace.Strategies": vtrace.Strategies, "vtrace.WithStrategy": vtrace.WithStrategy,
	"vtrace.Strict": vtrace.Strict, "vtrace.Timeout": vtrace.Timeout, "vtrace.Translate": vtrace.Translate, "vtrace.VendorDeps": vtrace.VendorDeps, "vtrace.Watchdog": vtrace.Watchdog,
	"vtrace.WithBounds": vtrace.WithBounds, "vtrace.Set": vtrace.Set{},

	"internal/pass.Builds": passes.Builds{}, "internal/pass.Check": passes.Check, "internal/pass.CheckEntry": passes.CheckEntry, "internal/pass.Complete": passes.Complete, "internal/pass.Conclude": passes.Conclude, "internal/pass.Deep": passes.Deep, "internal/pass.FindingOf": passes.FindingOf,
	"internal/pass.Exhaust": passes.Exhaust, "internal/pass.Explore": passes.Explore, "internal/pass.Export": passes.Export, "internal/pass.First": passes.First, "internal/pass.Holds": passes.Holds, "internal/pass.HoldsFiles": passes.HoldsFiles, "internal/pass.Replay": passes.Replay,
	"internal/pass.Predict": passes.Predict, "internal/pass.Record": passes.Record, "internal/pass.RunExported": passes.RunExported, "internal/pass.Second": passes.Second, "internal/pass.Translate": passes.Translate, "internal/pass.Unobeyed": passes.Unobeyed, "internal/pass.Version": passes.Version,
	"pass.Conclusion": pass.Conclusion{}, "pass.InternalError": pass.InternalError{}, "pass.OptionError": pass.OptionError{}, "pass.FrontierError": pass.FrontierError{},
	"pass.PassError": pass.PassError{}, "pass.RefusedError": pass.RefusedError{}, "pass.RuntimeError": pass.RuntimeError{}, "pass.ModulesError": pass.ModulesError{},

	"orchestrate.Binary": orchestrate.Binary{}, "orchestrate.Build": orchestrate.Build, "orchestrate.CheckTest": orchestrate.CheckTest, "orchestrate.MetaOf": orchestrate.MetaOf, "orchestrate.NewSandbox": orchestrate.NewSandbox,
	"orchestrate.PlanOf": orchestrate.PlanOf, "orchestrate.Replay": orchestrate.Replay, "orchestrate.Table": orchestrate.Table, "orchestrate.Test": orchestrate.Test,

	"bundle.Columns": bundle.Columns, "bundle.Diff": bundle.Diff, "bundle.DiffFiles": bundle.DiffFiles, "bundle.Extract": bundle.Extract, "bundle.ExtractFile": bundle.ExtractFile, "bundle.Index": bundle.Index, "bundle.Merge": bundle.Merge,
	"bundle.Slim": bundle.Slim, "bundle.SlimFile": bundle.SlimFile, "bundle.Verify": bundle.Verify, "bundle.VerifyFile": bundle.VerifyFile, "bundle.VerifyParent": bundle.VerifyParent,
	"bundle.Collection": bundle.Collection{}, "bundle.Difference": bundle.Difference{}, "bundle.Entry": bundle.Entry{}, "bundle.Problem": bundle.Problem{}, "bundle.Report": bundle.Report{},

	"artifact.Amend": artifact.Amend, "artifact.Extend": artifact.Extend, "artifact.Load": artifact.Load,
	"artifact.LoadLimited": artifact.LoadLimited, "artifact.LoadVerified": artifact.LoadVerified, "artifact.New": artifact.New, "artifact.NewReader": artifact.NewReader, "artifact.Open": artifact.Open, "artifact.ReadArchive": artifact.ReadArchive,
	"artifact.ReadPrivateKey": artifact.ReadPrivateKey, "artifact.ReadPublicKey": artifact.ReadPublicKey,
	"artifact.Reader": artifact.Reader{}, "artifact.Save": artifact.Save, "artifact.SaveFiles": artifact.SaveFiles, "artifact.SaveSigned": artifact.SaveSigned, "artifact.Sign": artifact.Sign, "artifact.SignaturePath": artifact.SignaturePath,
	"artifact.KeyError": artifact.KeyError{}, "artifact.Signature": artifact.Signature{}, "artifact.SignatureError": artifact.SignatureError{}, "artifact.TestPath": artifact.TestPath, "artifact.TracePath": artifact.TracePath, "artifact.WriteArchive": artifact.WriteArchive,
	"artifact.ArgumentError": artifact.ArgumentError{}, "artifact.Bounds": artifact.Bounds{}, "artifact.Builder": artifact.Builder{}, "artifact.Bundle": artifact.Bundle{},
	"internal/kept.Cache": kept.Cache{}, "internal/kept.Results": kept.Results{}, "artifact.Completion": artifact.Completion{}, "artifact.CorruptError": artifact.CorruptError{}, "artifact.ExistsError": artifact.ExistsError{},
	"artifact.Exhaustive": artifact.Exhaustive{}, "artifact.Gap": artifact.Gap{}, "artifact.Manifest": artifact.Manifest{}, "artifact.BoundSite": artifact.BoundSite{},
	"artifact.Sidecar": artifact.Sidecar{}, "artifact.VersionError": artifact.VersionError{},
}

// typed reports whether an error is of a type that the documentation lists, or of the file
// system.
func typed(err error) bool {
	var (
		argument *artifact.ArgumentError
		option   *pass.OptionError
		spec     *vtrace.SpecError
		passes   *pass.PassError
		refused  *pass.RefusedError
		corrupt  *artifact.CorruptError
		version  *artifact.VersionError
		internal *pass.InternalError
		sandbox  *orchestrate.SandboxError
		path     *fs.PathError
	)
	return errors.As(err, &argument) || errors.As(err, &option) || errors.As(err, &spec) || errors.As(err, &passes) || errors.As(err, &refused) ||
		errors.As(err, &corrupt) || errors.As(err, &version) || errors.As(err, &internal) || errors.As(err, &sandbox) || errors.As(err, &path)
}

// accepts are the calls that have an answer for nothing.
var accepts = map[string]bool{"artifact.Manifest.Key": true, "artifact.Builder.Bundle": true, "artifact.Bundle.ExtractSource": true, "artifact.Reader.Close": true, "orchestrate.Binary.Close": true, "orchestrate.NewSandbox": true, "internal/pass.Builds.Close": true, "vtrace.Set.Close": true, "vtrace.Functions.Close": true}

// answers are the calls whose error is what was asked for, in words.
var answers = map[string]bool{"orchestrate.CheckTest": true}

// No function and no method panics on nil or zero values, and what is refused has a type.
func TestZero(t *testing.T) {
	t.Chdir(t.TempDir())
	errorType := reflect.TypeFor[error]()
	ctxType := reflect.TypeFor[context.Context]()
	call := func(name string, f reflect.Value, ctx context.Context) {
		var args []reflect.Value
		for i := range f.Type().NumIn() {
			if f.Type().IsVariadic() && i == f.Type().NumIn()-1 {
				break
			}
			arg := reflect.Zero(f.Type().In(i))
			if ctx != nil && f.Type().In(i) == ctxType {
				arg = reflect.ValueOf(ctx)
			}
			args = append(args, arg)
		}
		for _, r := range f.Call(args) {
			if r.Type() != errorType || strings.HasSuffix(name, "Unwrap") {
				continue
			}
			err, _ := r.Interface().(error)
			if answers[name] {
				continue
			}
			if err == nil {
				require.True(t, accepts[name], "%s accepts nothing", name)
			} else {
				require.True(t, typed(err), "%s: %T %v", name, err, err)
			}
		}
	}
	for name, v := range api {
		if f := reflect.ValueOf(v); f.Kind() == reflect.Func {
			call(name, f, nil)
			call(name, f, context.Background())
			continue
		}
		pointer := reflect.New(reflect.TypeOf(v))
		for _, receiver := range []reflect.Value{pointer, reflect.Zero(pointer.Type())} {
			for i := range receiver.NumMethod() {
				m := receiver.Type().Method(i)
				if _, value := reflect.TypeOf(v).MethodByName(m.Name); receiver.IsNil() && (value || m.Name == "Error" || m.Name == "Unwrap") {
					continue // of the value, of which there is none; and nobody makes a nil error
				}
				for _, ctx := range []context.Context{nil, context.Background()} {
					f := receiver.Method(i)
					if name := name + "." + m.Name; !receiver.IsNil() || !accepts[name] {
						call(name, f, ctx)
					}
				}
			}
		}
	}
}

// TestZeroIsAll: the table has every exported function, and every type with exported methods.
func TestZeroIsAll(t *testing.T) {
	for pkg, dir := range map[string]string{"vtrace": ".", "pass": "pass", "internal/pass": "internal/pass", "orchestrate": "orchestrate", "artifact": "artifact", "internal/kept": "internal/kept", "bundle": "bundle"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || !fd.Name.IsExported() {
					continue
				}
				name := fd.Name.Name
				if fd.Recv != nil {
					r := fd.Recv.List[0].Type
					if star, ok := r.(*ast.StarExpr); ok {
						r = star.X
					}
					if name = r.(*ast.Ident).Name; !ast.IsExported(name) {
						continue
					}
				}
				if _, ok := api[pkg+"."+name]; !ok {
					t.Errorf("%s: the table api lacks %s.%s", file, pkg, name)
				}
			}
		}
	}
}

// silent is an engine that has no report.
type silent struct{}

func (silent) Verify(context.Context, *uppaal.Network, []*uppaal.Query, check.Options) (*check.Report, error) {
	return nil, nil
}

// Options that are out of range are refused by all that take options, before anything is run.
func TestBadOptions(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir() // without a program: nobody comes so far
	src := vtrace.Dir(dir)
	second, err := artifact.New(artifact.Manifest{Pass: artifact.PassSecond}).Bundle()
	require.NoError(t, err)
	for name, opt := range map[string]vtrace.Option{
		"run depth": vtrace.RunDepth(-1), "watchdog": vtrace.Watchdog(-time.Second), "stall": vtrace.Stall(-1), "budget": vtrace.Budget(-1),
		"memory": vtrace.MaxMemory(-1), "states": vtrace.MaxStates(-1), "timeout": vtrace.Timeout(-1), "cache": vtrace.Resume(""), "results": vtrace.Results("", 0), "size of results": vtrace.Results("x", -1),
		"bounds": vtrace.WithBounds(artifact.ModelBounds{Slots: -1}), "bounds without end": vtrace.WithBounds(artifact.ModelBounds{Slice: 1 << 40}),
		"categories": vtrace.Categories("luck"), "strategy": vtrace.WithStrategy("luck"),
	} {
		for call, err := range map[string]error{
			"first":              errorOf(vtrace.FirstPass(ctx, src, opt)),
			"internal/check":     errorOf(vtrace.Check(ctx, src, opt)),
			"internal/translate": errorOf(vtrace.Translate(ctx, src, opt)),
			"explore":            errorOf(vtrace.Explore(ctx, src, 1, 0, opt)),
			"exhaust":            errorOf(vtrace.Exhaust(ctx, src, pass.Exhaustion{}, opt)),
			"record":             errorOf(vtrace.Record(ctx, src, pass.Recording{To: io.Discard}, opt)),
			"internal/predict":   errorOf(vtrace.Predict(ctx, src, pass.Predicting{}, opt)),
			"fuzz":               errorOf(vtrace.Fuzz(ctx, src, pass.Fuzzing{}, opt)),
		} {
			var e *pass.OptionError
			if name == "categories" && (call == "explore" || call == "exhaust" || call == "record" || call == "internal/predict" || call == "fuzz") {
				continue // there are no queries
			}
			require.ErrorAs(t, err, &e, "%s %s", call, name)
		}
		_, err := vtrace.DeepPass(ctx, second, opt)
		require.True(t, typed(err), "%s %v", name, err)
	}
	for _, how := range []pass.Exhaustion{
		{Stalls: -2}, {Values: -1}, {Parallel: -1}, {MaxRuns: -1}, {TotalSteps: -1}, {MaxTime: -1}, {MaxSteps: -1}, {Bounding: &pass.Bounding{Last: -2}},
	} {
		var e *pass.OptionError
		_, err := vtrace.Exhaust(ctx, src, how)
		require.ErrorAs(t, err, &e)
	}
	for _, runs := range []int{0, -1} {
		var e *pass.OptionError
		_, err := vtrace.Explore(ctx, src, runs, 0)
		require.ErrorAs(t, err, &e)
	}
	_, err = artifact.LoadLimited(dir, artifact.Limits{Files: -1})
	var a *artifact.ArgumentError
	require.ErrorAs(t, err, &a)
	var o *pass.OptionError
	_, err = passes.First(ctx, source.Spec{Dir: dir, Pattern: "."}, passes.Options{Disallow: "some"})
	require.ErrorAs(t, err, &o)
	// The engine and the specification are the caller's.
	_, err = passes.First(ctx, source.Spec{Pattern: "./examples/rendezvous"}, passes.Options{Engine: silent{}})
	var internal *pass.InternalError
	require.ErrorAs(t, err, &internal)
	_, err = vtrace.FirstPass(ctx, vtrace.Package("-toolexec=x", nil), nil)
	var s *source.SpecError
	require.ErrorAs(t, err, &s)
}

func errorOf[T any](_ T, err error) error { return err }
