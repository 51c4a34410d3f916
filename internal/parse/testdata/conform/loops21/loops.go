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
	var shared []func() int
	m := map[int]int{7: 8, 9: 10}
	for k, v := range m {
		shared = append(shared, func() int { return k + v })
	}
	fmt.Println(len(shared), shared[0]() == shared[1]())
	shared = nil
	for _, v := range m {
		shared = append(shared, func() int { return v })
	}
	for k := range m {
		shared = append(shared, func() int { return k })
	}
	fmt.Println(shared[0]() == shared[1](), shared[2]() == shared[3]())
}
