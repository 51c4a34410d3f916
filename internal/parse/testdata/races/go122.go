//go:build go1.22

package races

// In this language version each iteration of a loop has variables of its own.

func SafeNewRangeOfChannel() {
	c := make(chan int, 2)
	c <- 1
	c <- 2
	close(c)
	var list []func() int
	for v := range c {
		list = append(list, func() int { return v })
	}
	ownVariables(list)
}

func SafeNewRangeOfSlice() {
	var list []func() int
	for i, v := range []int{1, 1} {
		list = append(list, func() int { return v + i })
	}
	ownVariables(list)
}

func SafeNewRangeOfMap() {
	var list []func() int
	for k, v := range map[int]int{1: 0, 2: 0} {
		list = append(list, func() int { return k + v })
	}
	if list[0]() == list[1]() {
		panic("one variable for all iterations")
	}
}

func SafeNewLoop() {
	var list []func() int
	for i := 1; i < 3; i++ {
		list = append(list, func() int { return i })
	}
	ownVariables(list)
}

func ownVariables(list []func() int) {
	if list[0]() != 1 || list[1]() != 2 {
		panic("one variable for all iterations")
	}
}

// The variable of the next iteration is a copy.
func RacyNewLoopCopied() {
	done := make(chan bool, 2)
	for i := 0; i < 2; i++ {
		go func() {
			i += 2
			done <- true
		}()
	}
	<-done
}

func RacyNewLoopWithoutPost() {
	done := make(chan bool, 2)
	for i, n := 0, 0; n < 2; {
		go func() {
			i += 2
			done <- true
		}()
		n++
	}
	<-done
}

func SafeNewLoopCopied() {
	done := make(chan bool)
	sum := 0
	for i, n := 0, 1; i < 6; i++ {
		go func() {
			i += n
			done <- true
		}()
		if <-done; i == 3 {
			continue
		}
		sum += i
	}
	if sum != 1+5 {
		panic(sum)
	}
}

// Whoever reads the variable does not mind that it is copied.
func SafeNewLoopRead() {
	done := make(chan int, 3)
	for i := 0; i < 3; i++ {
		go func() { done <- i }()
	}
	if <-done+<-done+<-done != 3 {
		panic("one variable for all iterations")
	}
}
