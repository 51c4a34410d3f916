package parse

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/vtrace/vtrace/internal/sites"
)

// fileUse is what a function does with the file that an argument names; the numbers are those of the runtime.
type fileUse uint8

const (
	fileChanges fileUse = 1 << iota
	fileInParts         // by several operations of the file system, between which others may act
	fileTree            // and with all files below
)

// fileUses are the functions of the standard library that use files by name, and what they do with those that their
// first arguments name.
var fileUses = map[string][]fileUse{
	"os.ReadFile": {fileInParts}, "io/ioutil.ReadFile": {fileInParts},
	"os.WriteFile": {fileChanges | fileInParts}, "io/ioutil.WriteFile": {fileChanges | fileInParts},
	"os.RemoveAll": {fileChanges | fileInParts | fileTree}, "os.CopyFS": {fileChanges | fileInParts | fileTree},
	"os.ReadDir": {fileInParts | fileTree}, "io/ioutil.ReadDir": {fileInParts | fileTree},
	"path/filepath.Walk": {fileInParts | fileTree}, "path/filepath.WalkDir": {fileInParts | fileTree},
	"os.Open": {0}, "os.Stat": {0}, "os.Lstat": {0}, "os.Readlink": {0},
	"os.OpenFile": {fileChanges}, "os.Create": {fileChanges}, "os.Remove": {fileChanges}, "os.Mkdir": {fileChanges},
	"os.MkdirAll": {fileChanges}, "os.Truncate": {fileChanges}, "os.Chmod": {fileChanges}, "os.Chtimes": {fileChanges},
	"os.Rename": {fileChanges, fileChanges}, "os.Link": {0, fileChanges}, "os.Symlink": {0, fileChanges},
}

// usesFiles tells the runtime which files a call uses.
func (r *rewriter) usesFiles(c *ast.CallExpr, obj types.Object) {
	if r.later[c] {
		return // deferFiles does
	}
	for i, told := range r.fileUses(c, obj) {
		r.before(c.Args[i].Pos(), told)
		r.after(c.Args[i].End(), ")")
	}
}

// deferFiles tells it of a deferred call when that runs: in front of it, which is to say in a call that is deferred behind it.
func (r *rewriter) deferFiles(s *ast.DeferStmt) {
	_, obj := sites.Classify(r.info, s.Call.Fun)
	for i, told := range r.fileUses(s.Call, obj) {
		name := s.Call.Args[i]
		if !pure(r.info, name) {
			r.diag(s.Defer, "what a deferred call does to a file that a call names is not looked at")
			continue
		}
		r.deferInFront(s, told, name)
	}
}

// goFiles says that nobody looks at which files a call uses that is a goroutine of its own.
func (r *rewriter) goFiles(s *ast.GoStmt, obj types.Object) {
	if f, ok := obj.(*types.Func); ok && r.races != nil && fileUses[f.FullName()] != nil {
		r.diag(s.Go, "what %s does to files as a goroutine of its own is not looked at", f.FullName())
	}
}

// fileUses are the calls of the runtime around the arguments that name files, but for their ends.
func (r *rewriter) fileUses(c *ast.CallExpr, obj types.Object) (told []string) {
	f, ok := obj.(*types.Func)
	if !ok || r.races == nil || len(c.Args) == 0 || fromTuple(r.info, c) {
		return nil
	}
	n := 0
	for _, use := range fileUses[f.FullName()] {
		if use&fileInParts != 0 && n == 0 {
			n = r.inParts(c, f.FullName())
		}
		told = append(told, fmt.Sprintf("%s.FileUse(%d, %d, ", r.zz, n, use))
	}
	return told
}

// inParts reports, for where it turns out to matter, that a call is several operations of the file system, and returns
// the number that the runtime tells that by.
func (r *rewriter) inParts(c *ast.CallExpr, name string) int {
	r.reaches++
	r.diag(c.Lparen, "%s is several operations of the file system, and one step here: what another goroutine does to the same files comes before or after it, and never between them", name)
	d := &r.overlay.Diagnostics[len(r.overlay.Diagnostics)-1]
	d.Reach, d.Files = r.reaches, true
	return r.reaches
}
