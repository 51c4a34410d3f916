package sites

import (
	"slices"
	"strings"
)

// words are the names of the kinds: part of bundles and logs, never changed.
var words = [...]string{
	Invalid:       "invalid",
	Send:          "send",
	Recv:          "receive",
	Range:         "range",
	Select:        "select",
	Close:         "close",
	Go:            "go",
	Start:         "start",
	Lock:          "lock",
	Unlock:        "unlock",
	TryLock:       "trylock",
	RLock:         "rlock",
	RUnlock:       "runlock",
	TryRLock:      "tryrlock",
	WaitGroupAdd:  "add",
	WaitGroupDone: "done",
	WaitGroupWait: "wait",
	WaitGroupGo:   "wggo",
	OnceDo:        "once",
	CondWait:      "condwait",
	CondSignal:    "signal",
	CondBroadcast: "broadcast",
	Panic:         "panic",
	Exit:          "exit",
	Sleep:         "sleep",
	End:           "end",
	Stmt:          "statement",
	Callback:      "callback",
	OnceFunc:      "oncefunc",
	Settle:        "settle",
	Store:         "store",
	Subtest:       "subtest",
	Parallel:      "parallel",
	Join:          "join",
	Atomic:        "atomic",
}

// String is a short word that never changes: "send", "lock", "statement".
func (k Kind) String() string {
	if int(k) < len(words) {
		return words[k]
	}
	return words[Invalid]
}

// StartsGoroutine reports whether who passes the guard of a site of the kind starts a goroutine.
func (k Kind) StartsGoroutine() bool { return k == Go || k == WaitGroupGo || k == Subtest }

// Named is the kind that a word is the name of, Invalid if there is none.
func Named(word string) Kind {
	if i := slices.Index(words[:], word); i > 0 {
		return Kind(i)
	}
	return Invalid
}

// IsOp reports whether the site always is a guard: an operation, a start or the end,
// and not an access to memory that goroutines may share.
func (s Site) IsOp() bool { return s.Kind != Invalid && !s.Kind.IsAccess() }

// IsAccess reports whether a site of the kind touches memory, and is a guard of the
// model only where goroutines share it.
func (k Kind) IsAccess() bool { return k == Stmt || k == Store || k == Atomic }

// PackageOf is the path of the package of a function, by its full name.
func PackageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	name, _, _ := strings.Cut(fn[slash:], ".")
	return fn[:slash] + name
}
