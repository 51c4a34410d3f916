package races

// A race for each form in which a variable of a function is declared: goroutines share it by the function literals that use it.

func RacyBoundVar() {
	var v int
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundVarValue() {
	var v = 1
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundVarTwo() {
	var v, w = 1, 2
	use(w)
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundVarGroup() {
	var (
		w int
		v int
	)
	use(w)
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundDefine() {
	v := 0
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundDefineTwo() {
	w, v := 0, 0
	use(w)
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundDefineAgain() {
	v := 0
	v, w := 1, 2
	use(w)
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundFor() {
	for v := 0; v < 1; v++ {
		both(func() { v = 2 }, func() { use(v) })
		break
	}
}

func RacyBoundForTwo() {
	for i, v := 0, 1; i < 1; i++ {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundForAssigned() {
	var v int
	for v = 0; v < 1; {
		both(func() { v = 2 }, func() { use(v) })
		break
	}
}

func RacyBoundRangeInt() {
	for v := range 1 {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeKey() {
	for v := range []int{1} {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeValue() {
	for _, v := range []int{1} {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeArray() {
	for _, v := range [1]int{1} {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeAssigned() {
	var v int
	for v = range 1 {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeMap() {
	for _, v := range map[int]int{1: 1} {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeMapKey() {
	for v := range map[int]int{1: 1} {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeChan() {
	c := make(chan int, 1)
	c <- 1
	close(c)
	for v := range c {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeFunc() {
	for v := range func(yield func(int) bool) { yield(1) } {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeFuncTwo() {
	for _, v := range func(yield func(int, int) bool) { yield(1, 2) } {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundRangeString() {
	for v := range "a" {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundIf() {
	if v := 0; v == 0 {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundElse() {
	if v := 0; v > 0 {
	} else {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundIfComma() {
	m := map[int]int{1: 1}
	if v, ok := m[1]; ok {
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundSwitch() {
	switch v := 0; {
	default:
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundTypeSwitch() {
	var x any = 1
	switch v := x.(type) {
	case int:
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundTypeSwitchDefault() {
	var x any = 1
	switch v := x.(type) {
	case string:
	default:
		both(func() { v = 2 }, func() { v = 3 })
		use(v)
	}
}

func RacyBoundTypeSwitchInit() {
	var x any = 1
	switch w := x; v := w.(type) {
	case int:
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundTypeSwitchNested() {
	var x any = 1
	switch v := x.(type) {
	case int:
		func() {
			both(func() { v = 2 }, func() { use(v) })
		}()
	}
}

func RacyBoundSelect() {
	c := make(chan int, 1)
	c <- 1
	select {
	case v := <-c:
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundSelectComma() {
	c := make(chan int, 1)
	c <- 1
	select {
	case v, ok := <-c:
		use(ok)
		both(func() { v = 2 }, func() { use(v) })
	default:
	}
}

func RacyBoundReceive() {
	c := make(chan int, 1)
	c <- 1
	v, ok := <-c
	use(ok)
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundAssertion() {
	var x any = 1
	v, ok := x.(int)
	use(ok)
	both(func() { v = 2 }, func() { use(v) })
}

func RacyBoundParameter() {
	func(v int) {
		both(func() { v = 2 }, func() { use(v) })
	}(1)
}

func RacyBoundParameters() {
	func(w, v int) {
		use(w)
		both(func() { v = 2 }, func() { use(v) })
	}(1, 2)
}

func RacyBoundVariadic() {
	func(l ...int) {
		v := l[0]
		both(func() { v = 2 }, func() { use(v) })
	}(1)
}

func RacyBoundResult() {
	func() (v int) {
		both(func() { v = 2 }, func() { use(v) })
		return
	}()
}

func RacyBoundResultOfTwo() {
	func() (v int, err error) {
		both(func() { v = 2 }, func() { use(v) })
		return 1, nil
	}()
}

func RacyBoundGoParameter() {
	done := make(chan bool)
	go func(v int) {
		defer close(done)
		both(func() { v = 2 }, func() { use(v) })
	}(1)
	<-done
}

func RacyBoundDeferParameter() {
	func() {
		defer func(v int) {
			both(func() { v = 2 }, func() { use(v) })
		}(1)
	}()
}

func RacyBoundLiteralParameter() {
	f := func(v int) {
		both(func() { v = 2 }, func() { use(v) })
	}
	f(1)
}

func RacyBoundRecovered() {
	func() {
		defer func() {
			if v := recover(); v != nil {
				both(func() { v = 2 }, func() { v = 3 })
				use(v)
			}
		}()
		panic(1)
	}()
}

func RacyBoundBlock() {
	{
		v := 1
		both(func() { v = 2 }, func() { use(v) })
	}
}

func RacyBoundLabel() {
	i := 0
again:
	v := i
	both(func() { v = 2 }, func() { use(v) })
	if i++; i < 2 {
		goto again
	}
}

func RacyBoundNested() {
	v := 1
	func() {
		func() {
			both(func() { v = 2 }, func() { use(v) })
		}()
	}()
}

func RacyBoundGeneric() {
	bound(1)
}

func RacyBoundMethod() {
	boundInt(1).bind()
}

func RacyBoundPointerMethod() {
	v := boundInt(1)
	both(v.set, func() { use(v) })
}

func bound[T any](v T) {
	both(func() { v = *new(T) }, func() { use(v) })
}

type boundInt int

func (v boundInt) bind() {
	both(func() { v = 2 }, func() { use(v) })
}

func (v *boundInt) set() { *v = 2 }
