package main

func number(one, two int) int {
	c := make(chan int, 2)
	go func() { c <- one }()
	go func() { c <- two }()
	return <-c
}

func is(ok bool) {
	if !ok {
		panic("another number")
	}
}

// Arithmetic, comparisons and bits of numbers that are one of two.
func main() {
	n, m := number(3, 10), number(-7, 4)
	is(max(n, 5, m) == 5 && n == 3 || max(n, m) == 10 && n == 10)
	is(min(n, m) == m || m == 4 && n == 3 && min(n, m) == 3)
	is(min(m, n, 1) == -7 || m == 4 && min(1, n, m) == 1)
	is(-n == 0-n && -(-m) == m && +n == n)
	is(m/2 == -3 || m/2 == 2)
	is(m%4 == -3 || m%4 == 0)
	is(n&1 == 1 || n&1 == 0 && n == 10)
	is(m&7 == 1 && m < 0 || m&7 == 4)
	is(n|4 == 7 || n|4 == 14)
	is(m^1 == -8 || m^1 == 5)
	is(n&^2 == 1 || n&^2 == 8)
	is(n<<2 == 12 || n<<2 == 40)
	is(m>>1 == -4 || m>>1 == 2)
	is(1<<n == 8 || 1<<n == 1024)
	is(1024>>n == 128 || 1024>>n == 1)
	is(n>>40 == 0 && m>>40 <= 0)
	is(n != m && !(n == m) && (n < m) == (m > n) && (n <= m) != (m < n) && (n >= m) == !(n < m))
	x := n
	x += m
	x *= 2
	x -= n
	is(x == n+2*m)
	out := make(chan int, 14)
	for i := 0; i < n+m; i++ { // up to fourteen
		out <- i
	}
	for range n - m { // seventeen, if it is most
		select {
		case <-out:
		default:
			out <- 1
		}
	}
	select {} // want "deadlock"
}
