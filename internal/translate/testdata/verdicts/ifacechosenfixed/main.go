package main

type source interface{ next() int }

type once struct{ c chan int }
type twice struct{ c chan int }

func (s once) next() int  { return <-s.c }
func (s twice) next() int { <-s.c; return <-s.c }

func main() {
	c := make(chan int)
	list := []source{once{c}, twice{c}}
	go func() {
		c <- 1
		c <- 2
		c <- 3
	}()
	n := 0
	for _, s := range list {
		n += s.next()
	}
}
