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
