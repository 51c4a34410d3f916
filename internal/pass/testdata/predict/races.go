package predictable

import (
	"sync"
	"sync/atomic"
)

// want data race
// race
func RaceBehindSection() {
	var m sync.Mutex
	x := 0
	together(func() {
		x = 1
		m.Lock()
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		m.Unlock()
		x = 2
	})
	_ = x
}

// want nothing
// race
func SectionAround() {
	var m sync.Mutex
	x := 0
	together(func() {
		m.Lock()
		x = 1
		m.Unlock()
	}, func() {
		later(1)
		m.Lock()
		x = 2
		m.Unlock()
	})
	_ = x
}

// want data race
// race
func RaceBySleep() {
	x := 0
	together(func() { x = 1 }, func() {
		later(1)
		x = 2
	})
	_ = x
}

// want nothing
// race
func OrderByChannel() {
	x := 0
	c := make(chan bool)
	together(func() {
		x = 1
		close(c)
	}, func() {
		<-c
		x = 2
	})
	_ = x
}

// want data race
// race
func RaceOnOtherFlag() {
	var ready atomic.Bool
	x := 0
	together(func() {
		x = 1
		ready.Store(true)
	}, func() {
		later(1)
		if ready.Load() {
			x = 2
		} else {
			x = 3
		}
	})
	_ = x
}

// want nothing
// race
func FlagDecides() {
	var ready atomic.Bool
	x := 0
	together(func() {
		x = 1
		ready.Store(true)
	}, func() {
		later(1)
		if ready.Load() {
			x = 2
		}
	})
	_ = x
}

// want data race
// race
func RaceInDefault() {
	c := make(chan bool)
	x := 0
	together(func() {
		x = 1
		close(c)
	}, func() {
		later(1)
		select {
		case <-c:
		default:
		}
		x = 2
	})
	_ = x
}

// want nothing
// race
func NoRaceInDefault() {
	c := make(chan bool)
	x := 0
	together(func() {
		x = 1
		close(c)
	}, func() {
		later(1)
		select {
		case <-c:
			x = 2
		default:
		}
	})
	_ = x
}
