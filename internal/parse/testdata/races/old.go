//go:build go1.21

package races

// In this language version all iterations of a loop have the same variables.

func RacyOldRange() {
	s := make([]int, 4)
	both(func() { s[3] = 1 }, func() {
		for _, v := range s {
			_ = v
		}
	})
}

func SafeOldRange() {
	s := make([]int, 4)
	both(func() { s[0]++ }, func() {
		for i, v := range s[1:] {
			if i == 2 || v != 0 {
				continue
			}
			s[i+1]++
		}
	})
}

func RacyOldRangeVariable() {
	done := make(chan bool, 4)
	s := []int{1, 2}
	for i, v := range s {
		go func() { done <- i+v > 0 }()
	}
	<-done
	<-done
}

func SafeOldRangeLast() {
	s := []int{1, 2}
	var f func() int
	for i, v := range s {
		if f == nil {
			f = func() int { return 10*i + v }
		}
	}
	if f() != 12 { // those of the last iteration
		panic(f())
	}
}

func RacyOldRangeOfChannel() {
	c, done := make(chan int, 2), make(chan bool, 2)
	c <- 1
	c <- 2
	close(c)
	for v := range c {
		go func() { done <- v > 0 }()
	}
	<-done
	<-done
}

func SafeOldRangeOfChannel() {
	c, done := make(chan int, 2), make(chan bool, 2)
	c <- 1
	c <- 2
	close(c)
	for v := range c {
		go func() { done <- v > 0 }()
		<-done
	}
}

func RacyOldRangeOfMap() {
	done := make(chan bool, 2)
	for k, v := range map[int]int{1: 1, 2: 2} {
		go func() { done <- k+v > 0 }()
	}
	<-done
	<-done
}
