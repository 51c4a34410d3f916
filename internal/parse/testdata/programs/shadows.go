package programs

import (
	. "sync"
	clock "time"

	"example.com/programs/orcutil"
	"example.com/programs/show"
)

var shadows = []show.Program{
	{Name: "shadowed: builtins", Run: builtins, Allowed: []string{"made 5 default panicked closed 3 nil"}},
	{Name: "shadowed: types", Run: shadowedTypes, Allowed: []string{"1 2 true"}},
	{Name: "shadowed: a package named orcutil", Run: packageNames, Allowed: []string{"orcutil 4 vtraceorc 2"}},
	{Name: "shadowed: imports", Run: imports, Allowed: []string{"slept locked 1"}},
}

func builtins(o *show.Out) {
	c := make(chan int, 1)
	done := make(chan bool)
	go func() {
		len := func(any) int { return 5 }
		panic := func(s string) { o.Print(s) }
		make := func(s string) { o.Print(s) }
		close := func(chan int) { panic("closed") }
		recover, new, append := 1, 1, 1
		true, nil := false, "nil"
		make("made")
		c <- len(c)
		o.Print(<-c)
		select {
		case <-c:
			o.Print("received")
		case <-done:
		default:
			o.Print("default")
		}
		panic("panicked")
		close(c)
		if !true {
			o.Print(recover + new + append)
		}
		o.Print(nil)
		done <- true
	}()
	<-done
}

func shadowedTypes(o *show.Out) {
	type int string
	type bool struct{ b int }
	c := make(chan int, 2)
	c <- "1"
	d := make(chan bool, 1)
	d <- bool{<-c}
	type any interface{ m() }
	v, ok := <-d
	o.Print(v.b)
	type chans = chan int
	var e chans = c
	e <- "2"
	select {
	case w, ok2 := <-e:
		o.Print(w, ok && ok2)
	}
}

func packageNames(o *show.Out) {
	c := orcutil.Chan(4)
	o.Print(orcutil.Name, <-c)
	vtraceorc, zzorc, orc := 1, 2, 3
	c <- vtraceorc + zzorc - orc
	func(orcutil chan int) {
		orcutil <- <-c + 2
		o.Print("vtraceorc", <-orcutil)
	}(c)
}

func imports(o *show.Out) {
	type sync struct{ Mutex }
	time := make(chan int, 1)
	clock.Sleep(clock.Millisecond)
	o.Print("slept")
	var s sync
	s.Lock()
	if !s.TryLock() {
		o.Print("locked")
	}
	s.Unlock()
	var wg WaitGroup
	wg.Go(func() { time <- 1 })
	wg.Wait()
	o.Print(<-time)
}
