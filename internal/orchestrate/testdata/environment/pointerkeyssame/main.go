package main

func main() {
	type client struct{ c chan int }
	clients := map[*client]bool{}
	var list []*client
	for range 3 {
		c := &client{make(chan int)}
		list = append(list, c)
		clients[c] = true
	}
	for c := range clients {
		if c == list[2] {
			<-c.c // want "deadlock"
		}
		break
	}
}
