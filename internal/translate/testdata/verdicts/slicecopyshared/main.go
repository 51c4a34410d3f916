package main

// The builtin copy writes what others read.
func main() {
	s := make([]int, 1)
	go func() { copy(s, []int{1}) }()
	a := s[0]
	b := s[0]
	if a != b {
		panic("it has changed in between") // want "panic"
	}
}
