package main

// A closed channel is ready: no default is taken.
func main() {
	done, held := make(chan bool), make(chan bool)
	close(done)
	select {
	case <-done:
	default:
		<-held
	}
	select {
	case v, ok := <-done:
		if v || ok {
			<-held
		}
	case <-held:
	default:
		<-held
	}
}
