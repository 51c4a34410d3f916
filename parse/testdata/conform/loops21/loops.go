//go:build go1.21

package loops21

import "fmt"

func Run() {
	c := make(chan int, 3)
	for i := 0; i < 3; i++ {
		c <- i
	}
	close(c)
	var fs []func() int
	for v := range c {
		fs = append(fs, func() int { return v })
	}
	for i := 0; i < 2; i++ {
		fs = append(fs, func() int { return i })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println()
}
