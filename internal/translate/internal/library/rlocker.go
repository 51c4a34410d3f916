package library

import (
	"go/token"
	"go/types"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// What RWMutex.RLocker returns is the address of the lock with a type of its
// own: its Lock and Unlock are the lock's RLock and RUnlock.

// libraryRLocker stands for that type.
var libraryRLocker types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryRLocker", nil), types.NewStruct(nil, nil), nil)

func rlockerOperations(l *execution.Library) {
	l.Known["(*sync.RWMutex).RLocker"] = l.Add(program.Operation{Name: "rlocker"}, func(x *execution.Executor, p *exploration.Path) bool {
		return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryRLocker)), p.Arg(0)[0]})
	})
	// These have the guards of the methods of a Locker, as which they are called.
	l.Methods[libraryRLocker] = map[string]*program.Operation{
		"Lock":   l.Add(program.Operation{Name: "rlock", Kind: sites.Lock, Seed: true}, rLock),
		"Unlock": l.Add(program.Operation{Name: "runlock", Kind: sites.Unlock, Seed: true}, rUnlock),
	}
}
