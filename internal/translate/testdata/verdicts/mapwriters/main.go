package main

// Two goroutines write to a map at one time.
func main() {
	m := map[int]int{}
	done := make(chan bool, 2)
	for i := range 2 {
		go func() {
			m[i] = i // silent "concurrent map access"
			done <- true
		}()
	}
	<-done
	<-done
}
