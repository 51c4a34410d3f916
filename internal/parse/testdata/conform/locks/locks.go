package locks

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"example.com/conform/dot"
)

type embedded struct{ sync.Mutex }
type middle struct{ *embedded }
type outer struct {
	middle
	sync.RWMutex
}
type alias = sync.Mutex
type aliased struct{ alias }
type lockers struct{ sync.Locker }
type custom interface {
	Lock()
	Unlock()
	Name() string
}
type named struct{ sync.Mutex }

func (n *named) Name() string { return "named" }

type loud struct{ n int }

func (l *loud) Lock()        { l.n++ }
func (l *loud) Unlock()      { l.n-- }
func (l *loud) Name() string { return fmt.Sprint("loud ", l.n) }

func with[L sync.Locker](l L, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

type ptr[T any] interface {
	*T
	sync.Locker
}

func zero[T any, P ptr[T]]() {
	var t T
	P(&t).Lock()
	P(&t).Unlock()
}

func Run() {
	var mu sync.Mutex
	mu.Lock()
	fmt.Println(mu.TryLock())
	mu.Unlock()
	if mu.TryLock() {
		defer mu.Unlock()
	}
	p := &mu
	p.Unlock()
	(*p).Lock()
	(p).Unlock()
	(&mu).Lock()
	o := outer{middle: middle{&embedded{}}}
	o.middle.Lock()
	o.middle.embedded.Unlock()
	o.middle.embedded.Mutex.Lock()
	defer o.middle.Unlock()
	o.RLock()
	fmt.Println(o.TryRLock(), o.RWMutex.TryLock())
	o.RUnlock()
	o.RWMutex.RUnlock()
	o.RWMutex.Lock()
	o.RWMutex.Unlock()
	a := aliased{}
	a.Lock()
	a.alias.Unlock()
	arr := [2]sync.Mutex{}
	i := 0
	next := func() int { i++; return i - 1 }
	arr[next()].Lock()
	arr[0].Unlock()
	maps := map[string]*sync.Mutex{"a": {}}
	maps["a"].Lock()
	maps["a"].Unlock()
	get := func() *outer { return &o }
	get().RWMutex.Lock()
	get().RWMutex.Unlock()
	l := lockers{o.RLocker()}
	l.Lock()
	l.Unlock()
	l.Locker.Lock()
	l.Locker.Unlock()
	var sl sync.Locker = &arr[1]
	sl.Lock()
	sl.Unlock()
	for _, c := range []custom{&named{}, &loud{}} {
		c.Lock()
		fmt.Println(c.Name())
		c.Unlock()
	}
	with(&arr[0], func() { fmt.Println("with", arr[0].TryLock()) })
	with(sl, func() {})
	zero[sync.Mutex]()
	with(o.RLocker(), func() {})
	// Method values and expressions.
	lock, unlock := arr[0].Lock, arr[0].Unlock
	lock()
	fmt.Println(arr[0].TryLock())
	unlock()
	try := arr[0].TryLock
	fmt.Println(try(), try())
	defer unlock()
	f := (*sync.Mutex).Lock
	f(&arr[1])
	(*sync.Mutex).Unlock(&arr[1])
	sync.Locker.Lock(sl)
	g := sync.Locker.Unlock
	g(sl)
	h := sl.Lock
	h()
	sl.Unlock()
	emb := o.middle.TryLock
	fmt.Println(emb())

	var wg sync.WaitGroup
	wg.Add(2)
	done, add, wait, goes := wg.Done, wg.Add, wg.Wait, wg.Go
	add(1)
	done()
	defer wait()
	defer wg.Done()
	wg.Go(func() { wg.Done() })
	goes(func() {})
	func() {
		defer func() { fmt.Println(recover()) }()
		var w sync.WaitGroup
		w.Done()
	}()

	var once sync.Once
	once.Do(func() { fmt.Println("once") })
	do := once.Do
	do(func() { fmt.Println("twice") })
	func() {
		defer func() { fmt.Println(recover()) }()
		new(sync.Once).Do(func() { panic("in once") })
	}()

	cond := sync.NewCond(&arr[1])
	ready := false
	go func() {
		cond.L.Lock()
		ready = true
		cond.Broadcast()
		cond.Signal()
		cond.L.Unlock()
	}()
	cond.L.Lock()
	for !ready {
		cond.Wait()
	}
	cond.L.Unlock()
	s := struct{ sync.Cond }{}
	s.Signal()
	signal := s.Broadcast
	signal()

	sleep := time.Sleep
	sleep(1)
	d := dot.New()
	d.Lock()
	d.Unlock()
	time.Sleep(1)
	e := dot.Pointed{}
	dot.Init(&e)
	e.Lock()
	fmt.Println(e.TryLock())
	unlockE := e.Unlock
	unlockE()
	(*dot.Hidden).Lock(d)
	hidden := (*outer).RLock
	hidden(&o)
	(*outer).RUnlock(&o)
	tryLock := (*middle).TryLock
	fmt.Println(tryLock(&o.middle))
	behind(&sync.WaitGroup{}, cond)
}

// promoted has the methods of a WaitGroup and of a Mutex that it embeds.
type promoted struct {
	*sync.WaitGroup
	deeper
	name string
}
type deeper struct{ sync.Locker }

func (promoted) Other() {}

// own has methods of its own by the same names, in spite of what it embeds.
type own struct{ sync.Mutex }

func (o own) Lock()    { fmt.Println("own lock") }
func (o *own) Unlock() { fmt.Println("own unlock") }

// behind calls methods of package sync through interfaces.
func behind(wg interface{ Wait() }, cond interface {
	Broadcast()
	Signal()
}) {
	wg.Wait()
	cond.Signal()
	cond.Broadcast()
	p := &promoted{&sync.WaitGroup{}, deeper{(&sync.RWMutex{}).RLocker()}, "p"}
	var group interface {
		Add(int)
		Done()
		Wait()
		Other()
	} = p
	var l sync.Locker = p
	group.Add(2)
	for range 2 {
		go func() {
			l.Lock()
			defer l.Unlock()
			group.Done()
		}()
	}
	group.Wait()
	wait := group.Wait
	wait()
	for _, l := range []sync.Locker{&own{}, &struct{ own }{}, &struct{ sync.RWMutex }{}, struct{ *sync.Mutex }{&sync.Mutex{}}} {
		l.Lock()
		l.Unlock()
	}
	var try interface{ TryLock() bool } = &own{}
	fmt.Println(try.TryLock(), try.TryLock())
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		var nothing interface{ Wait() }
		nothing.Wait()
	}()
	var w interface{ Wait() } = waiter(1)
	w.Wait()

	once := sync.OnceFunc(func() { fmt.Println("once func") })
	value := sync.OnceValue(func() int { fmt.Println("once value"); return 7 })
	values := sync.OnceValues[int, error](func() (int, error) { panic("once values") })
	done := make(chan int)
	for range 3 {
		go func() {
			defer func() {
				recover()
				done <- value()
			}()
			once()
			values()
		}()
	}
	for range 3 {
		fmt.Println(<-done)
	}
	runtime.SetFinalizer(new(int), func(*int) {})
	cleanup := runtime.AddCleanup(new(int), func(string) {}, "x")
	cleanup.Stop()
	runtime.AddCleanup[int, string](new(int), func(string) {}, "x")
	defer sync.OnceFunc(func() { fmt.Println("deferred once") })()
	for range 2 {
		func() {
			defer func() { fmt.Println(recover()) }()
			values()
		}()
	}
}

type waiter int

func (w waiter) Wait() { fmt.Println("waiter", int(w)) }
