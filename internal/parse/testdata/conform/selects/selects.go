package selects

import (
	"fmt"
	"time"
)

type flag bool

var trace []string

func tr[T any](name string, v T) T {
	trace = append(trace, name)
	return v
}

func Run() {
	order()
	kinds()
	flow()
	fmt.Println(terminating(ready(3)), terminating2(ready(4)))
	timeout()
	go func() { select {} }()
	go func() {
		select {}
	}()
}

func ready(v int) chan int {
	c := make(chan int, 1)
	c <- v
	return c
}

func order() {
	var none chan int
	full := ready(1)
	select {
	case tr("c1", none) <- tr("v1", 1):
	case v := <-tr("c2", none):
		fmt.Println(v)
	case tr("c3", full) <- tr("v3", 3):
	case arr()[tr("i", 0)] = <-tr("c4", none):
	default:
		fmt.Println("default", trace)
	}
	a := make([]int, 2)
	i := 0
	idx := func() int { i++; return i - 1 }
	select {
	case a[idx()] = <-ready(9):
	case a[idx()] = <-none:
	}
	fmt.Println(a, i)
	cc := make(chan chan int, 1)
	cc <- ready(5)
	select {
	case v, ok := <-<-cc:
		fmt.Println(v, ok)
	}
	select {
	case ready2() <- <-ready(8):
		fmt.Println("sent")
	}
}

func arr() []int       { trace = append(trace, "arr"); return []int{0} }
func ready2() chan int { return make(chan int, 1) }

func kinds() {
	c := ready(1)
	select {
	case v := <-c:
		{
			v := v + 1
			fmt.Println(v)
		}
	}
	close(c)
	var f flag
	var x interface{}
	select {
	case x, f = <-c:
		fmt.Println(x, f)
	}
	var ok bool
	select {
	case _, ok = (<-c):
		fmt.Println(ok)
	}
	select {
	case <-c: // a comment
		// another
		fmt.Println("closed")
	case v, ok := <-func() chan int {
		return nil
	}():
		fmt.Println(v, ok)
	}
	ec := make(chan error, 1)
	select {
	case ec <- nil:
		fmt.Println(<-ec)
	}
	select {
	default:
	}
	select {
	default:
		fmt.Println("only default")
	}
	select {
	case <-c:
	default:
		fmt.Println("no")
	}
	fn := make(chan func() int, 1)
	select {
	case fn <- func() int {
		return 7
	}:
		fmt.Println((<-fn)())
	}
}

func flow() {
	n := 0
	c := make(chan int, 10)
loop:
	for i := 0; ; i++ {
		select {
		case c <- i:
			if i == 3 {
				break
			}
			if i == 4 {
				continue loop
			}
			if i == 6 {
				break loop
			}
			n++
		}
		n += 10
	}
	fmt.Println(n, len(c))
sel:
	select {
	case v := <-c:
		for {
			if v == 0 {
				break sel
			}
		}
	default:
	}
	k := 0
again:
	select {
	case <-c:
		k++
		if k < 3 {
			goto again
		}
	}
	fmt.Println(k, len(c))
	var got []int
	for len(c) > 0 {
		select {
		case v := <-c:
			switch v {
			case 5:
				fallthrough
			case 6:
				got = append(got, -v)
			default:
				got = append(got, v)
			}
		}
	}
	fmt.Println(got)
}

func terminating(c chan int) int {
	select {
	case v := <-c:
		return v
	}
}

func terminating2(c chan int) (n int) {
	select {
	case v := <-c:
		{
			return v
		}
	case <-(chan int)(nil):
		panic("no")
	}
}

func timeout() {
	select {
	case <-time.After(time.Millisecond):
		fmt.Println("timeout")
	case <-make(chan int):
	}
	t := time.NewTimer(time.Hour)
	t.Reset(1)
	<-t.C
}
