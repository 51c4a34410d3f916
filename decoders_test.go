package vtrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
)

// decoderDirs are the packages, with those below, that read what others have written: bundles,
// what stands beside them, what is kept in caches, and what the program under check leaves.
var decoderDirs = []string{"artifact", "bundle", "internal/check/promela", "internal/check/verifyta", "cmd", "internal/disallow", "internal/creation", "internal/digest", "internal/earlier", "internal/frames", "internal/git", "internal/goroutine", "internal/group", "internal/kept", "internal/proxyfile", "internal/storage", "internal/left", "internal/lsp", "internal/module", "internal/mutate", "internal/programs", "internal/repository", "internal/sandbox", "internal/scratch", "internal/orchestrate", "internal/pass", "internal/recording", "report", "internal/source", "internal/trace", "internal/uppaal"}

// decoders are the functions of these packages that decode, with the fuzz targets that each has,
// as "package.Target", or with a reason in parentheses why it needs none.
var decoders = map[string]string{
	"internal/proxyfile.Parse":                     "internal/proxyfile.FuzzFile",
	"artifact.ReadPrivateKey":                      "artifact.FuzzKey",
	"artifact.ReadPublicKey":                       "artifact.FuzzKey",
	"internal/kept.Results.All":                    "internal/kept.FuzzResults internal/earlier.FuzzCandidates",
	"internal/kept.Results.pruneRecords":           "internal/kept.FuzzResults",
	"internal/kept.Results.record":                 "internal/kept.FuzzResults",
	"internal/storage.SortKeys":                    "artifact.FuzzOptions internal/kept.FuzzResults",
	"artifact.currentOptions":                      "artifact.FuzzOptions",
	"artifact.decodeStored":                        "artifact.FuzzContent bundle.FuzzTools",
	"internal/storage.DecodeJSON":                  "artifact.FuzzContent artifact.FuzzSignature",
	"artifact.decodePlaced":                        "artifact.FuzzContent",
	"artifact.decodeManifest":                      "artifact.FuzzContent internal/kept.FuzzCache",
	"artifact.goNamedOptions":                      "artifact.FuzzOptions",
	"artifact.newArchive":                          "artifact.FuzzReadArchive artifact.FuzzReadTar artifact.FuzzDirectory",
	"artifact.readKey":                             "artifact.FuzzKey",
	"artifact.readSignature":                       "artifact.FuzzSignature",
	"artifact.versionOf":                           "artifact.FuzzContent",
	"bundle.compiled":                              "(the schemas are a part of vtrace)",
	"bundle.numbers":                               "bundle.FuzzTools",
	"bundle.verifier.schema":                       "bundle.FuzzTools",
	"internal/check/promela.ReadTrail":             "internal/check/promela.FuzzReadTrail",
	"internal/check/verifyta.ReadXML":              "internal/check/verifyta.FuzzReadXML",
	"internal/check/verifyta.names.state":          "internal/check/verifyta.FuzzReadTrace",
	"internal/check/verifyta.readOutput":           "(the output of an engine that the user has installed)",
	"internal/check/verifyta.xtrReader.numbers":    "internal/check/verifyta.FuzzReadXTR",
	"internal/check/verifyta.xtrReader.transition": "internal/check/verifyta.FuzzReadXTR",
	"cmd/vtrace.bounding":                          "(a flag)",
	"cmd/vtrace.boundsFlag.Set":                    "(a flag)",
	"cmd/vtrace.numbersFlag.Set":                   "(a flag)",
	"cmd/vtrace.call.modelTrace":                   "(reads no more than how a model begins)",
	"cmd/vtrace.config.number":                     "cmd/vtrace.FuzzConfig",
	"cmd/vtrace.begins":                            "(reads no more than how a file begins)",
	"cmd/vtrace.parseModel":                        "internal/uppaal.FuzzReadXML internal/uppaal.FuzzReadXTA",
	"cmd/vtrace.readConfig":                        "cmd/vtrace.FuzzConfig",
	"cmd/vtrace.call.readTrace":                    "internal/trace.FuzzParse internal/recording.FuzzLoad",
	"cmd/vtrace.seedFlag.Set":                      "(a flag)",
	"cmd/vtrace.sizeFlag.Set":                      "(a flag)",
	"cmd/vtrace.verifySettings.choose":             "(a flag)",
	"internal/earlier.Candidates":                  "internal/earlier.FuzzCandidates",
	"internal/earlier.Result.Elsewhere":            "internal/earlier.FuzzCompare",
	"internal/earlier.declarationsOf":              "internal/earlier.FuzzDeclarations",
	"internal/git.Repository.blobs":                "internal/git.FuzzBlobs",
	"internal/git.entriesOf":                       "internal/git.FuzzTree",
	"internal/git.readBlobs":                       "internal/git.FuzzBlobs",
	"internal/frames.Program.Resolve":              "internal/left.FuzzStacks",
	"internal/lsp.entriesOf":                       "internal/lsp.FuzzText",
	"internal/lsp.newStream":                       "internal/lsp.FuzzStream",
	"internal/lsp.params":                          "internal/lsp.FuzzSession",
	"internal/lsp.readMessage":                     "internal/lsp.FuzzStream",
	"internal/lsp.server.executeCommand":           "internal/lsp.FuzzSession",
	"internal/lsp.wellFormed":                      "internal/lsp.FuzzStream",
	"internal/module.Fetch":                        "(for tests: what the go command says of a module)",
	"internal/mutate.baseline":                     "(a tool for developers)",
	"internal/sandbox.readReport":                  "internal/sandbox.FuzzReport",
	"internal/sandbox/launcher.request":            "internal/sandbox/launcher.FuzzRequest",
	"internal/orchestrate.Accesses":                "internal/orchestrate.FuzzObserved internal/orchestrate.FuzzExplored",
	"internal/orchestrate.Binary.Minimise":         "internal/orchestrate.FuzzMinimised",
	"internal/orchestrate.Binary.RecordFree":       "(names of files; those that are no numbers are passed over)",
	"internal/orchestrate.CheckTest":               "internal/orchestrate.FuzzCheckTest",
	"internal/orchestrate.addToOverlay":            "(vtrace has written the overlay in the same run)",
	"internal/orchestrate.explorer.readProfile":    "internal/orchestrate.FuzzGuided",
	"internal/orchestrate.explorer.recorded":       "internal/orchestrate.FuzzExplored",
	"internal/orchestrate.firstProcess":            "(names of files; those that are no numbers are passed over)",
	"internal/orchestrate.foundEnd.read":           "internal/orchestrate.FuzzExplored internal/orchestrate.FuzzExhausted",
	"internal/orchestrate.fuzzer.readKept":         "internal/orchestrate.FuzzGuided",
	"internal/orchestrate.fuzzer.take":             "internal/orchestrate.FuzzGuided",
	"internal/orchestrate.lastStep":                "internal/orchestrate.FuzzObserved",
	"internal/goroutine.pathNumber":                "internal/orchestrate.FuzzPaths",
	"internal/orchestrate.parsed":                  "internal/orchestrate.FuzzOutcomes",
	"internal/orchestrate.processed.read":          "internal/orchestrate.FuzzExhausted",
	"internal/orchestrate.readLeft":                "internal/orchestrate.FuzzLeft",
	"internal/orchestrate.readEnds":                "internal/orchestrate.FuzzExplored internal/orchestrate.FuzzExhausted",
	"internal/orchestrate.readFrontier":            "internal/orchestrate.FuzzParts",
	"internal/orchestrate.readRecords":             "internal/orchestrate.FuzzExplored internal/orchestrate.FuzzExhausted",
	"internal/orchestrate.readRun":                 "internal/orchestrate.FuzzObserved",
	"internal/orchestrate.readScreened":            "internal/orchestrate.FuzzScreened",
	"internal/orchestrate.readResult":              "internal/orchestrate.FuzzObserved internal/orchestrate.FuzzExhausted internal/orchestrate.FuzzMinimised",
	"internal/pass.checkModules":                   "internal/pass.FuzzModules",
	"internal/pass.deep.failures":                  "internal/pass.FuzzPlaces",
	"internal/pass.deep.placeOf":                   "internal/pass.FuzzPlaces",
	"internal/pass.guardsOf":                       "internal/pass.FuzzGuards",
	"internal/pass.placed":                         "(a text of the check itself)",
	"internal/pass.readExported":                   "internal/pass.FuzzReadExported",
	"internal/pass.readInput":                      "internal/pass.FuzzInputs",
	"internal/pass.readFrontier":                   "internal/pass.FuzzFrontier",
	"internal/pass.testNumbers":                    "(an argument)",
	"internal/recording.NewReader":                 "internal/recording.FuzzLoad",
	"internal/recording.Reader.Read":               "internal/recording.FuzzLoad internal/recording.FuzzStream",
	"internal/recording.Reader.bytes":              "internal/recording.FuzzStream",
	"internal/recording.Reader.readChunk":          "internal/recording.FuzzStream",
	"internal/recording.Reader.readHeader":         "internal/recording.FuzzStream",
	"internal/recording.newReader":                 "internal/recording.FuzzStream",
	"internal/recording.payload.uvarint":           "internal/recording.FuzzStream internal/recording.FuzzConvert",
	"internal/recording.readRaw":                   "internal/recording.FuzzConvert",
	"report.ReadBaseline":                          "report.FuzzBaseline",
	"report.commentsOf":                            "report.FuzzComments",
	"internal/source.Program.debugSettings":        "(the go command has read the same files)",
	"internal/source.Program.namedModules":         "(the go command has read the same files)",
	"internal/source.Program.tests":                "(names for an error; files with errors are passed over)",
	"internal/source.GoVariables":                  "(what the go command says of its settings)",
	"internal/source.Spec.takeFlag":                "internal/source.FuzzOverlay",
	"internal/source.corpusArgs":                   "internal/source.FuzzCorpus",
	"internal/source.lastNumber":                   "internal/source.FuzzPlace",
	"internal/source.passOverlay":                  "(the go command has parsed the same files)",
	"internal/source.splitEntry":                   "internal/source.FuzzEntry",
	"internal/trace.number":                        "internal/trace.FuzzParse",
	"internal/trace.parser.operation":              "internal/trace.FuzzParse",
	"internal/trace.parser.result":                 "internal/trace.FuzzParse",
	"internal/trace.unescape":                      "internal/trace.FuzzParse",
	"internal/uppaal.element.coordinate":           "internal/uppaal.FuzzReadXML",
	"internal/uppaal.readElements":                 "internal/uppaal.FuzzReadXML",
}

// decodingCalls are the functions that make values of bytes or of text, by import path; with
// "*", all that begin so.
var decodingCalls = map[string][]string{
	"archive/tar":                        {"NewReader"},
	"archive/zip":                        {"NewReader", "OpenReader"},
	"bufio":                              {"NewReader*", "NewScanner"},
	"compress/flate":                     {"NewReader*"},
	"compress/gzip":                      {"NewReader"},
	"compress/zlib":                      {"NewReader*"},
	"crypto/x509":                        {"Parse*"},
	"encoding/base64":                    {"StdEncoding", "URLEncoding", "Raw*", "NewEncoding", "NewDecoder"},
	"encoding/binary":                    {"Read*", "Uvarint", "Varint", "Decode", "LittleEndian", "BigEndian"},
	"encoding/csv":                       {"NewReader"},
	"encoding/gob":                       {"NewDecoder"},
	"encoding/hex":                       {"Decode*", "NewDecoder"},
	"encoding/json":                      {"Unmarshal", "NewDecoder"},
	"encoding/pem":                       {"Decode"},
	"encoding/xml":                       {"Unmarshal", "NewDecoder"},
	"fmt":                                {"Sscan*", "Fscan*"},
	"github.com/klauspost/compress/zstd": {"NewReader"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"UnmarshalJSON"},
	"go.yaml.in/yaml/v3":                       {"NewDecoder", "Unmarshal"},
	apiModule + "/internal/storage":            {"DecodeJSON"},
	"go/parser":                                {"Parse*"},
	"golang.org/x/mod/modfile":                 {"Parse*"},
	"golang.org/x/mod/module":                  {"Unescape*"},
	"strconv":                                  {"Atoi", "Parse*", "Unquote*"},
}

// decodingHelpers are functions that decode for others of their package.
var decodingHelpers = []string{"internal/orchestrate.readResult"}

// Every function that decodes what comes from elsewhere is reached by a fuzz target, and the
// table of them is of what there is.
func TestDecoders(t *testing.T) {
	programs.InLong(t)
	found, targets := map[string]bool{}, map[string]bool{}
	for _, dir := range decoderDirs {
		err := filepath.WalkDir(filepath.FromSlash(dir), func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(file) != ".go":
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			pkg := path.Dir(filepath.ToSlash(file))
			for _, d := range f.Decls {
				name := pkg + "." + declared(d)
				switch {
				case !strings.HasSuffix(file, "_test.go"):
					found[name] = found[name] || decodes(f, pkg, d)
				case strings.HasPrefix(declared(d), "Fuzz"):
					targets[name] = true
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if found[name] && decoders[name] == "" {
			t.Errorf("%s decodes: name its fuzz target in the table, or why it needs none", name)
		}
	}
	for name, by := range decoders {
		if !found[name] {
			t.Errorf("%s is in the table, and decodes nothing", name)
		}
		if strings.HasPrefix(by, "(") {
			continue
		}
		for _, target := range strings.Fields(by) {
			if !targets[target] {
				t.Errorf("%s is to have the target %s, which there is not", name, target)
			}
		}
	}
}

// declared is the name of a function, with that of its receiver's type, or of the first of what
// else a declaration declares.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
		of := d.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		if x, ok := of.(*ast.IndexExpr); ok {
			of = x.X
		}
		if id, ok := of.(*ast.Ident); ok {
			return id.Name + "." + d.Name.Name
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

// decodes reports whether a declaration has one of the functions that decode.
func decodes(f *ast.File, pkg string, d ast.Decl) bool {
	version := regexp.MustCompile(`^v[0-9]+$`)
	calls := map[string][]string{} // by the name of the package in the file
	for _, imp := range f.Imports {
		from, _ := strconv.Unquote(imp.Path.Value)
		name := path.Base(from)
		if version.MatchString(name) {
			name = path.Base(path.Dir(from))
		}
		if imp.Name != nil {
			name = imp.Name.Name
		}
		calls[name] = decodingCalls[from]
	}
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok {
				found = found || slices.ContainsFunc(calls[of.Name], func(c string) bool {
					prefix, begins := strings.CutSuffix(c, "*")
					return n.Sel.Name == c || begins && strings.HasPrefix(n.Sel.Name, prefix)
				})
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok {
				found = found || slices.Contains(decodingHelpers, pkg+"."+fn.Name)
			}
		}
		return true
	})
	return found
}
