package stmts

import "fmt"

type yes bool

//go:nosplit
func nosplit(a int) int {
	a++
	return a
}

func len(x int) int { return x } // shadows the builtin

func Run() {
	fmt.Println(ifs(1), ifs(2), ifs(3), ifs(4), ifs(5))
	fmt.Println(loops(), labels(), gotos(3), switches(1), switches("x"), switches(nil))
	fmt.Println(nosplit(1), len(5), noReturn(2))
	fmt.Println(named())
	shadow()
	for i := range gen(5) {
		if i == 1 {
			continue
		}
		if i == 3 {
			break
		}
		fmt.Println("gen", i)
		defer fmt.Println("deferred", i)
	}
}

func gen(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

func ifs(n int) string {
	if n == 1 {
		return "one"
	} else if m := n * 2; m == 4 {
		return "two"
	} else if m == 6 { // three
		return "three"
	} else if k := m; k == 8 {
		return fmt.Sprint("four", m, k)
	} else {
		return "many"
	}
}

func noReturn(n int) int {
	if n > 1 {
		return 1
	} else if n > 0 {
		return 2
	} else {
		return 3
	}
}

func loops() (n int) {
	for i, j := 0, 10; i < j; i, j = i+1, j-1 {
		n += i
	}
	var b yes = true
	for b {
		b = n < 0
		n++
	}
	for ; n < 100; n++ {
	}
	for {
		n++
		if n > 105 {
			break
		}
	}
	for i := range 3 {
		n += i
	}
	for range 2 {
		n++
	}
	m := map[int]int{1: 2}
	for k, v := range m {
		n += k + v
	}
	for m[5] = range []int{1, 2} {
	}
	for (struct{ x int }{n}).x < 120 {
		n++
	}
	for i := (struct{ v int }{1}); i.v < 3; i.v++ {
		n++
	}
	return n + m[5]
}

func labels() (n int) {
outer:
	for i := 0; i < 3; i++ {
	inner:
		for {
			switch {
			case i == 1:
				continue outer
			case n > 5:
				break inner
			}
			n++
		}
		n += 10
	}
sw:
	switch {
	case true:
		if n > 0 {
			break sw
		}
		n = 0
	}
block:
	{
		n++
		if n < 30 {
			goto block
		}
	}
	return n
}

func gotos(n int) (s string) {
	i := 0
loop:
	if i < n {
		s += fmt.Sprint(i)
		i++
		goto loop
	}
	k := 0
again:
	for j := 0; j < 2; j++ {
		k++
	}
	if k < 6 {
		goto again
	}
	goto end
end:
	return s + fmt.Sprint(k)
}

func switches(v interface{}) string {
	switch x := v.(type) {
	case int:
		switch y := x + 1; y {
		case 1:
			return "1"
		case 2:
			fallthrough
		case 3:
			return "2 or 3"
		}
	case nil:
		return "nil"
	default:
		_ = x
	}
	switch x, ok := v.(string); {
	case !ok:
	case x == "x":
		return x
	}
	return "other"
}

func named() (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			n, err = 1, fmt.Errorf("recovered %v", r)
		}
	}()
	const c = 3
	type local struct{ a int }
	var (
		x = local{c}
		y int
	)
	_ = y
	panic(x)
}

func shadow() {
	true := false
	panic := func(s string) { fmt.Println("not a panic:", s) }
	c := make(chan int, 1)
	close := func(chan int) { fmt.Println("not closed") }
	close(c)
	panic("x")
	select {
	case c <- 1:
		fmt.Println(true)
	}
	vtraceorc, zzorc := 1, 2
	zzorc_1 := <-c
	fmt.Println(vtraceorc, zzorc, zzorc_1)
}
