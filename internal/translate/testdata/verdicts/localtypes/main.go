package main

func one() any {
	type key struct{ n int }
	return key{1}
}

func other() any {
	type key struct{ n int }
	return key{1}
}

func main() {
	c := make(chan any, 1)
	done := make(chan bool, 1)
	go func() { c <- one() }()
	v := <-c
	if v == other() {
		<-done
	}
	if v != one() {
		<-done
	}
	type key struct{ n int }
	switch v.(type) {
	case key:
		<-done
	default:
		done <- true
	}
	done <- true // want "deadlock"
}
