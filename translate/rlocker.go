package translate

import (
	"go/token"
	"go/types"

	"github.com/vtrace/vtrace/sites"
)

// What RWMutex.RLocker returns is the address of the lock with a type of its
// own: its Lock and Unlock are the lock's RLock and RUnlock.

// libraryRLocker stands for that type.
var libraryRLocker types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryRLocker", nil), types.NewStruct(nil, nil), nil)

// rlockerMethods have the guards of the methods of a Locker, as which they are
// called.
var rlockerMethods map[string]*intrinsic

func rlockerIntrinsics(table map[string]*intrinsic) {
	table["(*sync.RWMutex).RLocker"] = &intrinsic{operation: operation{name: "rlocker"}, run: func(x *translator, p *path) bool {
		return x.opReturn(p, []*expr{num(x.mem.tag(libraryRLocker)), p.arg(0)[0]})
	}}
	rlockerMethods = map[string]*intrinsic{
		"Lock":   {operation: operation{name: "rlock", kind: sites.Lock, block: true, seed: true}, run: rLock},
		"Unlock": {operation: operation{name: "runlock", kind: sites.Unlock, seed: true}, run: rUnlock},
	}
}

// rlockerCall completes a target by a method of the read side of a lock.
func rlockerCall(tgt target, name string, addr *expr) target {
	tgt.op = rlockerMethods[name]
	tgt.args = [][]*expr{{addr}}
	return tgt
}
