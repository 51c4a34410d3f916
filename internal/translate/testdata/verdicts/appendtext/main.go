package main

// The bytes of a text are appended to an array in which there is room for them.
func main() {
	letters := []byte{'a', 'b', 'c'}
	_ = append(letters[:1], "x"...) // under "append"
	c := make(chan int)
	if letters[1] == 'x' {
		<-c // missed "deadlock"
	}
}
