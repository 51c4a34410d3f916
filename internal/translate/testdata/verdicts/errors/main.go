package main

import "errors"

var errStop = errors.New("stop")

func step(i int) error {
	if i == 2 {
		return errStop
	}
	return nil
}

func main() {
	c := make(chan error)
	go func() {
		for i := 0; i < 3; i++ {
			c <- step(i)
		}
	}()
	for {
		err := <-c
		if err == errStop {
			break
		}
		if err != nil {
			panic("another error")
		}
	}
}
