// Any entry of a map may be the first of an iteration, also one of those that the
// model does not keep: that is a bound of it.
package main

func main() {
	in := make(chan int)
	go func() {
		for i := range 5 {
			in <- i
		}
		close(in)
	}()
	seen := map[int]bool{}
	for i := range in {
		seen[i] = true
	}
	never := make(chan int)
	for k := range seen { // unreal "bound exceeded"
		if k == 4 {
			<-never // missed "deadlock"
		}
		break
	}
}
