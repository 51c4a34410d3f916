package sites_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
)

// TestInterfaces: a method of an interface is an operation if a type of package sync may be behind it: by its name and
// its signature, and by the other methods of the interface.
func TestInterfaces(t *testing.T) {
	for of, kinds := range map[string]map[string]sites.Kind{
		"interface{ Lock(); Unlock() }":                                {"Lock()": sites.Lock, "Unlock()": sites.Unlock},
		"interface{ Lock(); Unlock(); Name() string }":                 {"Lock()": sites.Lock, "Unlock()": sites.Unlock, "Name()": sites.Invalid},
		"interface{ Lock() error; Unlock() }":                          {"Lock()": sites.Invalid, "Unlock()": sites.Invalid},
		"interface{ Lock(string); Unlock(string) }":                    {`Lock("")`: sites.Invalid},
		"interface{ Lock() }":                                          {"Lock()": sites.Lock},
		"interface{ Lock(); Close() }":                                 {"Lock()": sites.Invalid},
		"interface{ RLock(); RUnlock() }":                              {"RLock()": sites.RLock, "RUnlock()": sites.RUnlock},
		"interface{ Lock(); Unlock(); TryLock() bool }":                {"TryLock()": sites.TryLock},
		"interface{ Lock(); Unlock(); TryLock() error }":               {"TryLock()": sites.Invalid, "Lock()": sites.Lock},
		"interface{ Add(int); Done(); Wait() }":                        {"Add(1)": sites.WaitGroupAdd, "Done()": sites.WaitGroupDone, "Wait()": sites.WaitGroupWait},
		"interface{ Add(int64); Done(); Wait() }":                      {"Add(1)": sites.Invalid, "Done()": sites.WaitGroupDone},
		"interface{ Add(...int); Done(); Wait() }":                     {"Add(1)": sites.Invalid},
		"interface{ Wait(); Add(int); Go(func()) }":                    {"Go(nil)": sites.WaitGroupGo},
		"interface{ Wait(); Add(int); Go(func() error) }":              {"Go(nil)": sites.Invalid, "Wait()": sites.WaitGroupWait},
		"interface{ Wait() error; Go(func() error) }":                  {"Go(nil)": sites.Invalid, "Wait()": sites.Invalid},
		"interface{ Do(func()) }":                                      {"Do(nil)": sites.OnceDo},
		"interface{ Do(func() error) }":                                {"Do(nil)": sites.Invalid},
		"interface{ Signal(); Broadcast(); Wait() }":                   {"Signal()": sites.CondSignal, "Broadcast()": sites.CondBroadcast, "Wait()": sites.CondWait},
		"interface{ Signal() bool; Broadcast(); Wait(); Notify(int) }": {"Signal()": sites.Invalid, "Broadcast()": sites.CondBroadcast},
	} {
		for call, want := range kinds {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "p.go", "package p\n\nfunc f(x "+of+") { x."+call+" }\n", 0)
			require.NoError(t, err)
			info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}}
			_, err = new(types.Config).Check("p", fset, []*ast.File{file}, info)
			require.NoError(t, err, of)
			found := 0
			ast.Inspect(file, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					kind, _ := sites.Classify(info, c.Fun)
					require.Equal(t, want.String(), kind.String(), "%s of %s", call, of)
					found++
				}
				return true
			})
			require.Equal(t, 1, found)
		}
	}
}
