//go:build go1.25

package orcruntime

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Site is the number of a program point. Numbers are unique in a program and
// greater than 0. The first guard of the goroutine that a go site starts is
// its Start site; where the generated table has no entry of its own for it, it
// is the negated number of the go site.
type Site int

// SiteInfo describes a program point.
type SiteInfo struct {
	ID        int
	Kind      string // what the point does, for display
	Key       string // stable identity, used by plans
	Func      string // key of the function
	File      string // for display
	Line, Col int
	Text      string // the source line, trimmed
}

// Position is "file:line".
func (i SiteInfo) Position() string {
	if i.File == "" {
		return "?"
	}
	return i.File + ":" + strconv.Itoa(i.Line)
}

const (
	startSuffix = ".start"
	endSuffix   = ".end" // of the return of an entry function
)

// Where a test function waits for its parallel subtests has a site of its own. One
// that the generated table lacks has a number beyond that of the Subtest site, 0 for
// the entry function.
const (
	joinSuffix = ".join"
	joinOffset = 1 << 29
)

// The guard of a busy loop in the statement at a site has a number and a key of
// its own.
const (
	spinSuffix = ".spin"
	spinOffset = 1 << 30
)

// spin is the guard of a busy loop at the site.
func (site Site) spin() Site { return site + spinOffset }

// program is what the generated code has registered.
var program struct {
	sync.RWMutex
	sites map[Site]SiteInfo
	keys  map[string]Site
	join  Site // of an entry function
	inits []initializer
	// repeated are the packages whose whole initialisation every run repeats.
	repeated map[string]bool
	// clock: the program reads the clock. bubbles: it makes bubbles of its own.
	clock, bubbles bool
	// counts: it may count the goroutines.
	counts bool
	// durations are those that it names as constants, ascending.
	durations []time.Duration
	// parts are what packages register for each run, in a program that several checks share.
	parts []registration
	// accesses is nil if those to memory are not instrumented.
	accesses map[Place]PlaceInfo
}

type initializer struct {
	pkg   string
	order int
	reset func()
}

// RegisterSites adds the sites of a package. Generated code calls it from an
// init function of every instrumented package.
func RegisterSites(pkg string, sites []SiteInfo) {
	program.Lock()
	defer program.Unlock()
	if program.sites == nil {
		program.sites = make(map[Site]SiteInfo, len(sites))
		program.keys = make(map[string]Site, len(sites))
	}
	for _, info := range sites {
		program.sites[Site(info.ID)] = info
		program.keys[info.Key] = Site(info.ID)
		if strings.HasSuffix(info.Key, joinSuffix) && !strings.Contains(info.Key[strings.LastIndex(info.Key, "/")+1:], "#") {
			program.join = Site(info.ID)
		}
	}
}

// RegisterInit adds the function that initialises a package anew: its
// variables in the order of initialisation, then its init functions. Every run
// calls them all in its first goroutine before the entry function, in
// ascending order (dependencies first) and, at equal order, by package path.
func RegisterInit(pkg string, order int, reset func()) {
	program.Lock()
	defer program.Unlock()
	program.inits = append(program.inits, initializer{pkg, order, reset})
	sort.SliceStable(program.inits, func(i, j int) bool {
		a, b := program.inits[i], program.inits[j]
		if a.order != b.order {
			return a.order < b.order
		}
		return a.pkg < b.pkg
	})
}

// RegisterRepeated says that what RegisterInit adds for a package does all that
// its initialisation does: the goroutines that this starts are started anew for
// every run.
func RegisterRepeated(pkg string) {
	program.Lock()
	defer program.Unlock()
	if program.repeated == nil {
		program.repeated = make(map[string]bool)
	}
	program.repeated[pkg] = true
}

// registration is what a package registers if it belongs to the program that is run.
type registration struct {
	pkg      string
	register func()
}

// RegisterIn registers what a package does with each run, by a function that is called if the package belongs
// to the program of a run: the one that several checks share has more. Generated code calls it.
func RegisterIn(pkg string, register func()) {
	program.Lock()
	defer program.Unlock()
	program.parts = append(program.parts, registration{pkg, register})
}

// registerParts calls the functions that RegisterIn was given, but those of some packages. It is done once.
func registerParts(without []string) {
	program.Lock()
	parts := program.parts
	program.parts = nil
	program.Unlock()
	for _, p := range parts {
		if !slices.Contains(without, p.pkg) {
			p.register()
		}
	}
}

// RegisterClock says that a package reads the clock, from which it may take what is
// to be random.
func RegisterClock() {
	program.Lock()
	defer program.Unlock()
	program.clock = true
}

// RegisterCount says that a package may count the goroutines.
func RegisterCount() {
	program.Lock()
	defer program.Unlock()
	program.counts = true
}

// RegisterDurations says which durations, in nanoseconds, a package names as constants.
func RegisterDurations(list ...int64) {
	program.Lock()
	defer program.Unlock()
	for _, n := range list {
		if time.Duration(n) >= instant {
			program.durations = inserted(program.durations, time.Duration(n))
		}
	}
}

// durations are those that the program names as constants, ascending.
func durations() []time.Duration {
	program.RLock()
	defer program.RUnlock()
	return program.durations[:len(program.durations):len(program.durations)]
}

// RegisterBubbles says that the program calls synctest.Test, which promises a clock
// that begins at midnight UTC 2000-01-01 and moves to the very instant of an event.
func RegisterBubbles() {
	program.Lock()
	defer program.Unlock()
	program.bubbles = true
}

// countsGoroutines: the program may count its goroutines.
func countsGoroutines() bool {
	program.RLock()
	defer program.RUnlock()
	return program.counts
}

// readsClock: the program reads a clock of which nothing is promised.
func readsClock() bool {
	program.RLock()
	defer program.RUnlock()
	return program.clock && !program.bubbles
}

func isRepeated(pkg string) bool {
	program.RLock()
	defer program.RUnlock()
	return program.repeated[pkg]
}

func initializers() []initializer {
	program.RLock()
	defer program.RUnlock()
	return program.inits[:len(program.inits):len(program.inits)]
}

// info returns what is known of a site, deriving Start sites.
func (site Site) info() SiteInfo {
	program.RLock()
	defer program.RUnlock()
	if site < 0 {
		i := program.sites[-site]
		i.ID, i.Kind = int(site), "start"
		i.Key = keyOf(i.Key, -site) + startSuffix
		return i
	}
	if site > spinOffset {
		i := program.sites[site-spinOffset]
		i.ID, i.Kind = int(site), opSpin.String()
		i.Key = keyOf(i.Key, site-spinOffset) + spinSuffix
		return i
	}
	if of, o, suffix, ok := site.major(); ok {
		i := program.sites[of]
		i.ID, i.Kind = int(site), o.String()
		i.Key = keyOf(i.Key, of) + suffix
		return i
	}
	if i, ok := program.sites[site]; ok || site < joinOffset {
		i.ID, i.Key = int(site), keyOf(i.Key, site)
		return i
	}
	i := program.sites[site-joinOffset]
	i.ID, i.Kind = int(site), "join"
	i.Key = keyOf(i.Key, site-joinOffset) + joinSuffix
	return i
}

// keyOf names a site that was never registered by its number.
func keyOf(key string, site Site) string {
	if key == "" {
		return "#" + strconv.Itoa(int(site))
	}
	return key
}

// position is where the site is, for a message.
func (site Site) position() string {
	if site == 0 {
		return "outside of functions"
	}
	return site.info().Position()
}

// key is the stable identity of the site.
func (site Site) key() string {
	if site == 0 {
		return ""
	}
	return site.info().Key
}

// start is the Start site of a go site.
func (site Site) start() Site { return site.derived(startSuffix, -site) }

// join is the Join site of a Subtest site.
func (site Site) join() Site { return site.derived(joinSuffix, site+joinOffset) }

// derived is the site whose key has a suffix more, or another one if the generated
// table has none.
func (site Site) derived(suffix string, otherwise Site) Site {
	program.RLock()
	defer program.RUnlock()
	if i, ok := program.sites[site]; ok {
		if s, ok := program.keys[i.Key+suffix]; ok {
			return s
		}
	}
	return otherwise
}

// entryJoin is the Join site of the entry function whose return has the key end; "": of the one
// that the program has.
func entryJoin(end string) Site {
	program.RLock()
	defer program.RUnlock()
	if s, ok := program.keys[strings.TrimSuffix(end, endSuffix)+joinSuffix]; ok {
		return s
	}
	if end == "" && program.join != 0 {
		return program.join
	}
	return joinOffset
}

// declares: the instrumented program has the body of a function.
func declares(function string) bool {
	program.RLock()
	defer program.RUnlock()
	for _, i := range program.sites {
		if i.Func == function {
			return true
		}
	}
	return false
}

// siteOf finds a site by its key.
func siteOf(key string) (Site, bool) {
	program.RLock()
	defer program.RUnlock()
	if s, ok := program.keys[key]; ok {
		return s, true
	}
	if base, ok := strings.CutSuffix(key, startSuffix); ok {
		if s, ok := program.keys[base]; ok {
			return -s, true
		}
		key = base
		if n, ok := number(key); ok {
			return -n, true
		}
		return 0, false
	}
	if base, ok := strings.CutSuffix(key, joinSuffix); ok {
		s, ok := program.keys[base]
		if !ok && base != "#0" {
			s, ok = number(base)
		}
		return s + joinOffset, ok || base == "#0"
	}
	if base, ok := strings.CutSuffix(key, spinSuffix); ok {
		s, ok := program.keys[base]
		if !ok {
			s, ok = number(base)
		}
		return s.spin(), ok
	}
	if base, o, ok := minorKey(key); ok {
		s, ok := program.keys[base]
		if !ok {
			s, ok = number(base)
		}
		return s.minor(o), ok
	}
	return number(key)
}

// number reads the key of a site that was never registered.
func number(key string) (Site, bool) {
	digits, ok := strings.CutPrefix(key, "#")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return Site(n), err == nil && n > 0
}
