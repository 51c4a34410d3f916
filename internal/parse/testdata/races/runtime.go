package races

import (
	"crypto/sha256"
	"hash/crc32"
	"hash/fnv"
	"os"
	"runtime"
)

// What is hashed is read, and hashing orders nothing.

func RacyHashed() {
	b := make([]byte, 4)
	h := crc32.NewIEEE()
	both(func() { b[1] = 2 }, func() { h.Write(b) })
}

func RacyHashedSum() {
	b := make([]byte, 4)
	both(func() { b[1] = 2 }, func() { use(sha256.Sum256(b)) })
}

func SafeHashedPart() {
	b := make([]byte, 4)
	h := fnv.New64a()
	both(func() { b[1] = 2 }, func() { h.Write(b[2:]) })
}

// What is read from a file is written while it is hashed.
func RacyHashedFile() {
	f, err := os.Open("go.mod")
	if err != nil {
		return
	}
	defer f.Close()
	in := make(chan []byte)
	go func() {
		defer close(in)
		b := make([]byte, 8)
		for range 3 {
			n, _ := f.Read(b)
			in <- b[:n]
		}
	}()
	h := crc32.NewIEEE()
	for b := range in {
		h.Write(b)
	}
}

func UnseenFinalizer() {
	n := 0
	both(func() { runtime.SetFinalizer(new(string), func(*string) { n = 1 }) }, func() { use(n) })
}

func UnseenCleanup() {
	n := 0
	both(func() { runtime.AddCleanup(new(string), func(m int) { n = m }, 1) }, func() { use(n) })
}
