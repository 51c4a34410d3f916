package main

// As many goroutines as loops have iterations that count up between constants: from a negative one,
// up to one that is included, behind a condition that leaves nothing, and with a variable that
// is captured.
func main() {
	done := make(chan bool)
	for i := -3; i < 3; i++ {
		go func() {
			done <- true
		}()
	}
	for range 6 {
		<-done
	}
	for i := 1; !(i > 5); i++ {
		if i < 3 {
			go func() {
				done <- true
			}()
		} else {
			go func() {
				done <- false
			}()
		}
	}
	for range 5 {
		<-done
	}
	for i := -2; i <= 2; i++ {
		go func() {
			done <- i > 0
		}()
	}
	for range 5 {
		<-done
	}
	<-done // want "deadlock"
}
