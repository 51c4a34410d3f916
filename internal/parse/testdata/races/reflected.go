package races

import (
	"reflect"
	"sync"
	"unsafe"
)

// What package reflect reads and writes.

type Reflects struct {
	i    int
	u    uint
	f    float64
	c    complex128
	b    bool
	s    string
	any  any
	p    *int
	list []int
	raw  []byte
	arr  [4]int
	m    map[string]int
	fn   func(int) int
	up   unsafe.Pointer
	*Below
	Part
}

type Below struct{ Deep int }

type Part struct{ Of int }

func (p Part) Get() int { return p.Of }

func newReflects() *Reflects {
	return &Reflects{
		s: "a", any: 1, p: new(int), list: make([]int, 4, 8), raw: []byte("ab"), m: map[string]int{"a": 1},
		fn: func(n int) int { return n }, Below: &Below{},
	}
}

// open is a value that may be set, for a field that is not exported.
func open[T any](p *T) reflect.Value { return reflect.ValueOf(p).Elem() }

func RacyReflectedSet() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { open(&x.i).Set(reflect.ValueOf(2)) })
}

func RacyReflectedSetOf() {
	x := newReflects()
	n := 0
	both(func() { x.i = 1 }, func() { open(&n).Set(open(&x.i)) })
}

func RacyReflectedSetBool() {
	x := newReflects()
	both(func() { use(x.b) }, func() { open(&x.b).SetBool(true) })
}

func RacyReflectedSetInt() {
	x := newReflects()
	both(func() { use(x.i) }, func() { open(&x.i).SetInt(1) })
}

func RacyReflectedSetUint() {
	x := newReflects()
	both(func() { use(x.u) }, func() { open(&x.u).SetUint(1) })
}

func RacyReflectedSetFloat() {
	x := newReflects()
	both(func() { use(x.f) }, func() { open(&x.f).SetFloat(1) })
}

func RacyReflectedSetComplex() {
	x := newReflects()
	both(func() { use(x.c) }, func() { open(&x.c).SetComplex(1) })
}

func RacyReflectedSetString() {
	x := newReflects()
	both(func() { use(x.s) }, func() { open(&x.s).SetString("b") })
}

func RacyReflectedSetBytes() {
	x := newReflects()
	both(func() { use(x.raw) }, func() { open(&x.raw).SetBytes(nil) })
}

func RacyReflectedSetPointer() {
	x := newReflects()
	both(func() { use(x.up) }, func() { open(&x.up).SetPointer(nil) })
}

func RacyReflectedSetLen() {
	x := newReflects()
	both(func() { use(x.list) }, func() { open(&x.list).SetLen(2) })
}

func RacyReflectedSetCap() {
	x := newReflects()
	both(func() { use(x.list) }, func() { open(&x.list).SetCap(5) })
}

func RacyReflectedSetZero() {
	x := newReflects()
	both(func() { use(x.arr) }, func() { open(&x.arr).SetZero() })
}

func RacyReflectedSetIterKey() {
	x := newReflects()
	iter := reflect.ValueOf(x.m).MapRange()
	iter.Next()
	both(func() { use(x.s) }, func() { open(&x.s).SetIterKey(iter) })
}

func RacyReflectedSetIterValue() {
	x := newReflects()
	iter := reflect.ValueOf(x.m).MapRange()
	iter.Next()
	both(func() { use(x.i) }, func() { open(&x.i).SetIterValue(iter) })
}

func RacyReflectedSetMapIndex() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { use(x.m["a"]) }, func() { v.SetMapIndex(reflect.ValueOf("b"), reflect.ValueOf(1)) })
}

func RacyReflectedSetMapIndexOf() {
	x := newReflects()
	v, e := reflect.ValueOf(map[string]int{}), open(&x.i)
	both(func() { x.i = 1 }, func() { v.SetMapIndex(reflect.ValueOf("b"), e) })
}

func RacyReflectedDelete() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { use(len(x.m)) }, func() { v.SetMapIndex(reflect.ValueOf("a"), reflect.Value{}) })
}

func RacyReflectedClearMap() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { use(x.m["a"]) }, func() { v.Clear() })
}

func RacyReflectedClearSlice() {
	x := newReflects()
	v := reflect.ValueOf(x.list)
	both(func() { use(x.list[3]) }, func() { v.Clear() })
}

func RacyReflectedGrow() {
	x := newReflects()
	both(func() { use(x.list) }, func() { open(&x.list).Grow(20) })
}

func RacyReflectedGrowElements() {
	x := newReflects()
	both(func() { x.list[1] = 2 }, func() { open(&x.list).Grow(20) })
}

func RacyReflectedGrowRead() {
	x := newReflects()
	both(func() { x.list = nil }, func() { open(&x.list).Grow(2) })
}

func SafeReflectedGrow() {
	x := newReflects()
	both(func() { use(x.list) }, func() { open(&x.list).Grow(2) })
}

func RacyReflectedBool() {
	x := newReflects()
	both(func() { x.b = true }, func() { use(open(&x.b).Bool()) })
}

func RacyReflectedInt() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(open(&x.i).Int()) })
}

func RacyReflectedUint() {
	x := newReflects()
	both(func() { x.u = 1 }, func() { use(open(&x.u).Uint()) })
}

func RacyReflectedFloat() {
	x := newReflects()
	both(func() { x.f = 1 }, func() { use(open(&x.f).Float()) })
}

func RacyReflectedComplex() {
	x := newReflects()
	both(func() { x.c = 1 }, func() { use(open(&x.c).Complex()) })
}

func RacyReflectedString() {
	x := newReflects()
	both(func() { x.s = "b" }, func() { use(open(&x.s).String()) })
}

func SafeReflectedStringOf() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(open(&x.i).String()) })
}

func RacyReflectedInterface() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(open(&x.i).Interface()) })
}

func RacyReflectedIsNil() {
	x := newReflects()
	both(func() { x.p = nil }, func() { use(open(&x.p).IsNil()) })
}

func RacyReflectedIsZero() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(open(&x.i).IsZero()) })
}

func RacyReflectedUnsafePointer() {
	x := newReflects()
	both(func() { x.p = nil }, func() { use(open(&x.p).UnsafePointer()) })
}

func RacyReflectedPointer() {
	x := newReflects()
	both(func() { x.p = nil }, func() { use(open(&x.p).Pointer()) })
}

func RacyReflectedElem() {
	x := newReflects()
	both(func() { x.p = nil }, func() { use(open(&x.p).Elem()) })
}

func RacyReflectedElemOfInterface() {
	x := newReflects()
	both(func() { x.any = nil }, func() { use(open(&x.any).Elem()) })
}

func RacyReflectedComparable() {
	x := newReflects()
	both(func() { x.any = nil }, func() { use(open(&x.any).Comparable()) })
}

func RacyReflectedEqual() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(open(&x.i).Equal(reflect.ValueOf(1))) })
}

func RacyReflectedEqualTo() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(reflect.ValueOf(1).Equal(open(&x.i))) })
}

func RacyReflectedConvert() {
	x := newReflects()
	both(func() { x.i = 1 }, func() { use(open(&x.i).Convert(reflect.TypeFor[float64]())) })
}

func RacyReflectedConvertElements() {
	x := newReflects()
	v := reflect.ValueOf(x.raw)
	both(func() { x.raw[1] = 1 }, func() { use(v.Convert(reflect.TypeFor[string]())) })
}

func RacyReflectedLen() {
	x := newReflects()
	both(func() { x.list = nil }, func() { use(open(&x.list).Len()) })
}

func RacyReflectedLenOfMap() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { x.m["b"] = 1 }, func() { use(v.Len()) })
}

func SafeReflectedLenOfArray() {
	x := newReflects()
	both(func() { x.arr[0] = 1 }, func() { use(open(&x.arr).Len()) })
}

func RacyReflectedCap() {
	x := newReflects()
	both(func() { x.list = nil }, func() { use(open(&x.list).Cap()) })
}

func RacyReflectedBytes() {
	x := newReflects()
	both(func() { x.raw = nil }, func() { use(open(&x.raw).Bytes()) })
}

func RacyReflectedIndex() {
	x := newReflects()
	x.list = make([]int, 4)
	other := make([]int, 5)
	both(func() { x.list = other }, func() { use(open(&x.list).Index(1)) })
}

func SafeReflectedIndex() {
	x := newReflects()
	v := reflect.ValueOf(x.list)
	both(func() { x.list[1] = 1 }, func() { use(v.Index(1)) })
}

func SafeReflectedOtherElement() {
	x := newReflects()
	v := reflect.ValueOf(x.list)
	both(func() { x.list[1] = 1 }, func() { v.Index(2).SetInt(1) })
}

func RacyReflectedElement() {
	x := newReflects()
	v := reflect.ValueOf(x.list)
	both(func() { x.list[1] = 1 }, func() { v.Index(1).SetInt(1) })
}

func RacyReflectedSlice() {
	x := newReflects()
	other := make([]int, 5)
	both(func() { x.list = other }, func() { use(open(&x.list).Slice(1, 2)) })
}

func RacyReflectedSlice3() {
	x := newReflects()
	other := make([]int, 5)
	both(func() { x.list = other }, func() { use(open(&x.list).Slice3(1, 2, 3)) })
}

func RacyReflectedMapIndex() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { x.m["b"] = 1 }, func() { use(v.MapIndex(reflect.ValueOf("a"))) })
}

func RacyReflectedMapIndexKey() {
	x := newReflects()
	v := reflect.ValueOf(map[string]int{"a": 1})
	both(func() { x.s = "b" }, func() { use(v.MapIndex(open(&x.s))) })
}

func RacyReflectedMapKeys() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { x.m["b"] = 1 }, func() { use(v.MapKeys()) })
}

func RacyReflectedMapRange() {
	x := newReflects()
	v := reflect.ValueOf(x.m)
	both(func() { x.m["b"] = 1 }, func() { use(v.MapRange().Next()) })
}

func RacyReflectedCall() {
	x := newReflects()
	other := func(n int) int { return 2 * n }
	both(func() { x.fn = other }, func() { use(open(&x.fn).Call([]reflect.Value{reflect.ValueOf(1)})) })
}

func RacyReflectedArgument() {
	x := newReflects()
	v := reflect.ValueOf(x.fn)
	both(func() { x.i = 1 }, func() { use(v.Call([]reflect.Value{open(&x.i)})) })
}

func RacyReflectedCallSlice() {
	x := newReflects()
	v := reflect.ValueOf(func(...int) {})
	both(func() { x.list = nil }, func() { v.CallSlice([]reflect.Value{open(&x.list)}) })
}

func RacyReflectedMethod() {
	x := newReflects()
	both(func() { x.Part.Of = 1 }, func() { use(open(&x.Part).Method(0).Call(nil)) })
}

func RacyReflectedMethodByName() {
	x := newReflects()
	both(func() { x.Part.Of = 1 }, func() { use(open(&x.Part).MethodByName("Get").Call(nil)) })
}

func RacyReflectedFieldByIndex() {
	x := newReflects()
	path := reflect.TypeFor[Reflects]()
	f, _ := path.FieldByName("Deep")
	other := &Below{}
	both(func() { x.Below = other }, func() { use(open(x).FieldByIndex(f.Index)) })
}

func RacyReflectedFieldByIndexErr() {
	x := newReflects()
	f, _ := reflect.TypeFor[Reflects]().FieldByName("Deep")
	other := &Below{}
	both(func() { x.Below = other }, func() {
		v, err := open(x).FieldByIndexErr(f.Index)
		use(v)
		use(err)
	})
}

func RacyReflectedFieldByName() {
	x := newReflects()
	other := &Below{}
	both(func() { x.Below = other }, func() { use(open(x).FieldByName("Deep")) })
}

func RacyReflectedFieldByNameFunc() {
	x := newReflects()
	other := &Below{}
	both(func() { x.Below = other }, func() {
		use(open(x).FieldByNameFunc(func(name string) bool { return name == "Deep" }))
	})
}

func SafeReflectedField() {
	x := newReflects()
	both(func() { x.i = 1 }, func() {
		v := open(x)
		use(v.Field(0))
		use(v.FieldByName("i").Addr)
		use(v.FieldByName("i").CanAddr())
		use(v.NumField())
		use(v.Type().Field(0).Name)
	})
}

func RacyReflectedCopy() {
	x := newReflects()
	v, w := reflect.ValueOf(x.list), reflect.ValueOf([]int{1, 2})
	both(func() { use(x.list[1]) }, func() { reflect.Copy(v, w) })
}

func RacyReflectedCopyFrom() {
	x := newReflects()
	v, w := reflect.ValueOf(x.list), reflect.ValueOf([]int{1, 2})
	both(func() { x.list[1] = 1 }, func() { reflect.Copy(w, v) })
}

func RacyReflectedCopyToArray() {
	x := newReflects()
	w := reflect.ValueOf([]int{1, 2})
	both(func() { x.arr[1] = 1 }, func() { reflect.Copy(open(&x.arr), w) })
}

func RacyReflectedCopyValue() {
	x := newReflects()
	v, w, copies := reflect.ValueOf(x.list), reflect.ValueOf([]int{1, 2}), reflect.Copy
	both(func() { use(x.list[1]) }, func() { copies(v, w) })
}

func SafeReflectedCopy() {
	x := newReflects()
	v, w := reflect.ValueOf(x.list), reflect.ValueOf([]int{1, 2})
	both(func() { x.list[2] = 1 }, func() { reflect.Copy(v, w) })
}

func RacyReflectedAppend() {
	x := newReflects()
	v := reflect.ValueOf(x.list)
	both(func() { x.list = append(x.list, 1) }, func() { use(reflect.Append(v, reflect.ValueOf(2)).Len()) })
}

func RacyReflectedAppendGrows() {
	x := newReflects()
	v := reflect.ValueOf(x.list[:4:4])
	both(func() { x.list[1] = 1 }, func() { use(reflect.Append(v, reflect.ValueOf(2)).Len()) })
}

func RacyReflectedAppended() {
	x := newReflects()
	v := reflect.ValueOf([]int{})
	both(func() { x.i = 1 }, func() { use(reflect.Append(v, open(&x.i)).Len()) })
}

func RacyReflectedAppendSlice() {
	x := newReflects()
	v, w := reflect.ValueOf(x.list), reflect.ValueOf([]int{1, 2})
	both(func() { x.list = append(x.list, 1) }, func() { use(reflect.AppendSlice(v, w).Len()) })
}

func RacyReflectedAppendSliceFrom() {
	x := newReflects()
	v, w := reflect.ValueOf(x.list), reflect.ValueOf([]int{1, 2})
	both(func() { x.list[3] = 1 }, func() { use(reflect.AppendSlice(w, v).Len()) })
}

func RacyReflectedSwapper() {
	x := newReflects()
	swap := reflect.Swapper(x.list)
	both(func() { use(x.list[1]) }, func() { swap(1, 2) })
}

func SafeReflectedSwapper() {
	x := newReflects()
	swap := reflect.Swapper(x.list)
	both(func() { use(x.list[0]) }, func() { swap(1, 2) })
}

func RacyReflectedIndirect() {
	x := newReflects()
	both(func() { x.p = nil }, func() { use(reflect.Indirect(open(&x.p))) })
}

func RacyReflectedTypeAssert() {
	x := newReflects()
	both(func() { x.i = 1 }, func() {
		n, _ := reflect.TypeAssert[int](open(&x.i))
		use(n)
	})
}

func RacyReflectedThroughPointer() {
	x := newReflects()
	v := open(&x.i)
	p := &v
	both(func() { use(x.i) }, func() { p.SetInt(1) })
}

func RacyReflectedDeferred() {
	x := newReflects()
	both(func() { use(x.i) }, func() { defer open(&x.i).SetInt(1) })
}

func RacyReflectedGo() {
	x := newReflects()
	v := open(&x.i)
	both(func() { use(x.i) }, func() { go v.SetInt(1) })
}

func RacyReflectedMethodValue() {
	x := newReflects()
	set := open(&x.i).SetInt
	both(func() { use(x.i) }, func() { set(1) })
}

func SafeReflectedCopies() {
	x := newReflects()
	both(func() { x.i = 1 }, func() {
		n := 0
		v := reflect.ValueOf(n)
		use(v.Int())
		use(v.Interface())
	})
}

// A lock orders accesses by reflection as others.
func SafeReflectedLocked() {
	var mu sync.Mutex
	x := newReflects()
	v := open(&x.i)
	both(func() {
		mu.Lock()
		defer mu.Unlock()
		x.i++
	}, func() {
		mu.Lock()
		v.SetInt(v.Int() + 1)
		mu.Unlock()
	})
}

func UnrecordedReflectedMethodExpression() {
	x := newReflects()
	both(func() { use(x.i) }, func() { reflect.Value.SetInt(open(&x.i), 1) })
}

// Channels by reflection order goroutines as those of the language do.

func reflectedChan(n int) (chan int, reflect.Value) {
	c := make(chan int, n)
	return c, reflect.ValueOf(c)
}

func SafeReflectedSend() {
	n := 0
	c, v := reflectedChan(0)
	go func() { n++; v.Send(reflect.ValueOf(1)) }()
	<-c
	n++
}

func SafeReflectedRecv() {
	n := 0
	c, v := reflectedChan(0)
	go func() { n++; c <- 1 }()
	v.Recv()
	n++
}

func SafeReflectedBoth() {
	n := 0
	_, v := reflectedChan(1)
	go func() { n++; v.Send(reflect.ValueOf(1)) }()
	v.Recv()
	n++
}

func RacyReflectedRecvFirst() {
	n := 0
	_, v := reflectedChan(1)
	go func() { v.Send(reflect.ValueOf(1)); n++ }()
	v.Recv()
	n++
}

func SafeReflectedClose() {
	n := 0
	c, v := reflectedChan(0)
	go func() { n++; v.Close() }()
	<-c
	n++
}

func SafeReflectedSelect() {
	n := 0
	c, v := reflectedChan(0)
	go func() { n++; c <- 1 }()
	reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: v}})
	n++
}

func SafeReflectedSelectSends() {
	n := 0
	c, v := reflectedChan(0)
	go func() {
		n++
		reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv}, {Dir: reflect.SelectSend, Chan: v, Send: reflect.ValueOf(1)}})
	}()
	<-c
	n++
}

func RacyReflectedTryRecv() {
	n := 0
	c, v := reflectedChan(1)
	go func() { n++; c <- 1 }()
	v.TryRecv()
	n++
}

func RacyReflectedSendReads() {
	x := newReflects()
	_, v := reflectedChan(1)
	both(func() { x.i = 1 }, func() { v.Send(open(&x.i)) })
}

func RacyReflectedChannelVariable() {
	c, _ := reflectedChan(1)
	both(func() { c = make(chan int, 1) }, func() { reflect.ValueOf(&c).Elem().TrySend(reflect.ValueOf(1)) })
}

// The close and the send are in no order.
func RacyReflectedCloseAndSend() {
	c, v := reflectedChan(2)
	defer func() { recover() }()
	go func() {
		defer func() { recover() }()
		c <- 1
	}()
	v.Close()
}
