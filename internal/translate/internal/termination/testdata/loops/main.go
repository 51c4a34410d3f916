package main

func fixed() (sum int) {
	for i := 0; i < 3; i++ {
		sum += i
	}
	return sum
}

func given(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}

func halved(n int) (sum int) {
	for n > 0 {
		n /= 2
		sum++
	}
	return sum
}

func main() {
	println(fixed(), given(7), halved(7))
}
