// An iteration that takes entries out until only two are left: which ones, the model
// cannot say, since it does not keep all.
package main

func main() {
	in := make(chan int)
	go func() {
		for i := range 6 {
			in <- i
		}
		close(in)
	}()
	waiting := map[int]bool{}
	n := 0
	for i := range in {
		waiting[i] = true
		n++
	}
	for k := range waiting { // unreal "bound exceeded"
		if n == 2 {
			break
		}
		delete(waiting, k)
		n--
	}
	c := make(chan int)
	if waiting[5] {
		<-c // want "deadlock"
	}
}
