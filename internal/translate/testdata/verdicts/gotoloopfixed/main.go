package main

func main() {
	c := make(chan int, 2)
	i := 0
again:
	if i == 2 {
		goto end
	}
	c <- i
	i++
	goto again
end:
	close(c)
}
