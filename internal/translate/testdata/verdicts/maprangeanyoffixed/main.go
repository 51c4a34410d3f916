// The first entry of an iteration over a map with more entries than the model keeps,
// and nobody waits for anything.
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
	done := make(chan int, 1)
	for k := range seen { // unreal "bound exceeded"
		done <- k
		break
	}
	<-done
}
