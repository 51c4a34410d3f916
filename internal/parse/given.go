package parse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/vtrace/vtrace/internal/sites"
)

// Functions that order nothing may still read or write memory that they are given. Where
// all of it is read or written, that is recorded in front of the call, as of a statement
// of the program's own.

// givenUse is what a function does to the memory behind an argument.
type givenUse int

const (
	givenReadSlice givenUse = iota + 1
	givenWrittenSlice
	givenReadMap
	givenWrittenMap
	givenSet // what a pointer points to is written
	givenWriter
	givenRead // a map, or the elements of a slice, is read; of other values it is not recorded
)

// recording are the functions of the runtime that record the uses, and return what they
// are given.
var recording = [...]string{
	givenReadSlice: "RdSlice", givenWrittenSlice: "WrSlice", givenReadMap: "RdMap", givenWrittenMap: "WrMap", givenSet: "Set",
}

// givenUses are functions of packages that are quiet, with what they do to their arguments,
// from the first on; the last is that of all arguments behind it.
var givenUses = map[string][]givenUse{
	"sort.Ints": {givenWrittenSlice}, "sort.Strings": {givenWrittenSlice}, "sort.Float64s": {givenWrittenSlice},
	"sort.Slice": {givenWrittenSlice, 0}, "sort.SliceStable": {givenWrittenSlice, 0},
	"slices.Sort": {givenWrittenSlice}, "slices.SortFunc": {givenWrittenSlice, 0}, "slices.SortStableFunc": {givenWrittenSlice, 0},
	"slices.Reverse": {givenWrittenSlice}, "slices.Clone": {givenReadSlice}, "slices.Max": {givenReadSlice}, "slices.Min": {givenReadSlice},
	"strings.Join": {givenReadSlice, 0},
	"maps.Copy":    {givenWrittenMap, givenReadMap}, "maps.Insert": {givenWrittenMap, 0}, "maps.Clone": {givenReadMap},
	"fmt.Sscan": {0, givenSet}, "fmt.Sscanln": {0, givenSet}, "fmt.Sscanf": {0, 0, givenSet},
	"fmt.Fprint": {givenWriter, givenRead}, "fmt.Fprintln": {givenWriter, givenRead}, "fmt.Fprintf": {givenWriter, 0, givenRead},
	"fmt.Print": {givenRead}, "fmt.Println": {givenRead}, "fmt.Printf": {0, givenRead}, "fmt.Errorf": {0, givenRead},
	"fmt.Sprint": {givenRead}, "fmt.Sprintln": {givenRead}, "fmt.Sprintf": {0, givenRead},
	"encoding/json.Marshal": {givenRead}, "encoding/json.MarshalIndent": {givenRead, 0},
	"hash/adler32.Checksum": {givenReadSlice}, "hash/crc32.Checksum": {givenReadSlice, 0}, "hash/crc32.ChecksumIEEE": {givenReadSlice},
	"hash/crc32.Update": {0, 0, givenReadSlice}, "hash/crc64.Checksum": {givenReadSlice, 0}, "hash/crc64.Update": {0, 0, givenReadSlice},
	"crypto/md5.Sum": {givenReadSlice}, "crypto/sha1.Sum": {givenReadSlice}, "crypto/sha256.Sum224": {givenReadSlice},
	"crypto/sha256.Sum256": {givenReadSlice}, "crypto/sha512.Sum384": {givenReadSlice}, "crypto/sha512.Sum512": {givenReadSlice},
}

// usesOf is what a function does to its arguments. The Write of a hash reads all that it is given.
func (a *memory) usesOf(c *ast.CallExpr, f *types.Func) []givenUse {
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && f.Name() == "Write" {
		if quietInterfaces[nameOf(a.info.TypeOf(sel.X))] {
			return []givenUse{givenReadSlice}
		}
	}
	return givenUses[f.FullName()]
}

// give notes what a call of such a function does to what it is given.
func (a *memory) give(c *ast.CallExpr) {
	_, obj := sites.Classify(a.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil || c.Ellipsis.IsValid() {
		return
	}
	uses := a.usesOf(c, f)
	for i, arg := range c.Args {
		if len(uses) == 0 {
			return
		}
		u := uses[min(i, len(uses)-1)]
		t := a.info.TypeOf(arg)
		if u == givenRead {
			// What is evaluated behind it may let others act: it is not recorded then.
			if u = readOf(t); !callFree(c.Args[i+1:]) {
				continue
			}
		} else if a.calls[c] != 0 {
			continue
		}
		if u == 0 || t == nil || a.info.Types[arg].IsNil() || !u.fits(t) || !a.reaches(arg) {
			continue
		}
		a.given[c] = append(a.given[c], givenArg{arg, u})
	}
}

// givenArg is an argument with what is done to it.
type givenArg struct {
	expr ast.Expr
	use  givenUse
}

// readOf is how a value of a type is read, 0 if it is neither a map nor a slice.
func readOf(t types.Type) givenUse {
	if t == nil {
		return 0
	}
	switch t.Underlying().(type) {
	case *types.Map:
		return givenReadMap
	case *types.Slice:
		return givenReadSlice
	}
	return 0
}

// fits: an argument of the type can be recorded so.
func (u givenUse) fits(t types.Type) bool {
	switch u {
	case givenReadSlice, givenWrittenSlice:
		if p, ok := types.Unalias(t).(*types.TypeParam); ok {
			return ofSlices(p)
		}
		_, ok := t.Underlying().(*types.Slice)
		return ok
	case givenReadMap, givenWrittenMap:
		if isTypeParam(t) {
			return false
		}
		_, ok := t.Underlying().(*types.Map)
		return ok
	}
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok && (u == givenSet || unlockedName(t) != "")
}

// reaches: others may reach what an argument refers to.
func (a *memory) reaches(arg ast.Expr) bool {
	u, ok := ast.Unparen(arg).(*ast.UnaryExpr)
	return !ok || u.Op != token.AND || a.isShared(u.X)
}

// given records what a function does to what it is given, when all that is evaluated for
// its call has been.
func (r *rewriter) given(c *ast.CallExpr) {
	if r.races == nil {
		return
	}
	if x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && r.races.behind[x.X] != "" && !r.later[c] {
		address := ""
		if !isPointer(r.info.TypeOf(x.X)) {
			address = "&"
		}
		r.before(x.X.Pos(), fmt.Sprintf("%s.%s(%d, %s", r.zz, r.races.behind[x.X], r.touch(x.X), address))
		r.after(x.X.End(), ")")
	}
	for _, arg := range c.Args {
		if function := r.races.behind[arg]; function != "" && !r.later[c] {
			each := ""
			if function == "GivenPrinted" {
				each = ", " + constantBool(c.Ellipsis.IsValid() && arg == c.Args[len(c.Args)-1])
			}
			r.before(arg.Pos(), fmt.Sprintf("%s.%s(%d, ", r.zz, function, r.touch(arg)))
			r.after(arg.End(), each+")")
		}
	}
	for _, g := range r.races.given[c] {
		// What is evaluated behind it may let others act.
		if behind := c.Args[slices.Index(c.Args, g.expr)+1:]; r.later[c] || !callFree(behind) {
			r.unrecorded(c.Lparen, "what a function of a library does to what it is given is not recorded here")
			return
		}
		at := r.touch(g.expr)
		if g.use == givenWriter {
			call, _ := r.use(g.expr)
			r.before(g.expr.Pos(), fmt.Sprintf("%s.%s", r.zz, fmt.Sprintf(call, at)))
			r.after(g.expr.End(), ", "+constantBool(true)+")")
			continue
		}
		r.before(g.expr.Pos(), fmt.Sprintf("%s.%s(%d, ", r.zz, recording[g.use], at))
		r.after(g.expr.End(), ")")
	}
}
