package main

func main() {
	c := make(chan int)
	stop := false
	set := func() { stop = true }
	read := func() bool { return stop }
	if read() {
		panic("too early")
	}
	set()
	if read() {
		return
	}
	<-c
}
