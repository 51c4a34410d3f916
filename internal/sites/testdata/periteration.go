package periteration

// Loop captures its variable.
func Loop(c chan int) {
	for i := 0; i < 3; i++ {
		go func() { c <- i }()
	}
}
