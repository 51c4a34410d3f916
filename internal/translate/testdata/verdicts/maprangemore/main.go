// A map with six entries, of which the model keeps four: an iteration over it is not
// taken for one over all of them.
package main

func main() {
	done := make(chan int, 6)
	seen := map[int]bool{}
	in := make(chan int)
	go func() {
		for i := range 6 {
			in <- i
		}
		close(in)
	}()
	for i := range in {
		seen[i] = true
	}
	for k := range seen { // unreal "bound exceeded"
		done <- k
	}
	for range 4 {
		<-done
	}
}
