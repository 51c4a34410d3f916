package ends

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"
)

type logger struct{ *log.Logger }

func (logger) Printf(string, ...interface{}) { fmt.Println("not this Printf") }

func args() (string, int) { return "tuple %d\n", 7 }

func Run() {
	log.SetFlags(log.Lshortfile)
	log.SetOutput(os.Stdout)
	panics()
	done := make(chan int)
	go func() {
		defer close(done)
		defer fmt.Println("goexit")
		runtime.Goexit()
	}()
	<-done
	done = make(chan int)
	go func() {
		defer close(done)
		exit := runtime.Goexit
		exit()
	}()
	<-done
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	back := make(chan string)
	context.AfterFunc(ctx, func() { back <- "callback" })
	cancel()
	fmt.Println(<-back)
	ctx, cancel = context.WithDeadline(ctx, time.Now().Add(time.Hour))
	cancel()
	<-ctx.Done()
	after := time.AfterFunc
	after(1, func() { back <- "after" })
	fmt.Println(<-back)
	time.AfterFunc(1, func() {
		back <- "literal"
	})
	fmt.Println(<-back)
	exit, fatal := os.Exit, log.Fatalf
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "exit":
			defer exit(3)
		case "fatal":
			log.Fatal("fatal", 1, <-feed())
		case "fatalf":
			l := logger{log.New(os.Stdout, "prefix ", 0)}
			l.Fatalf("%d %s\n", 1, "two")
		case "fatalln":
			log.Fatalln()
		case "tuple":
			log.Fatalf(args())
		case "value":
			log.SetFlags(0) // the position would be that of the generated code
			fatal("%d", 5)
		case "defer":
			log.SetFlags(0) // the position would be that of the defer statement
			n := 1
			defer log.Fatal("deferred", n)
			n++
		case "go":
			log.SetFlags(0) // the position would be none of the program's
			go log.Fatal("go")
			select {}
		case "panic":
			panic(fmt.Errorf("wrapped %w", errors.New("inner")))
		case "osexit":
			os.Exit(func() int { return 4 }())
		}
	}
}

func feed() chan int {
	c := make(chan int, 1)
	c <- 9
	return c
}

type custom struct{ n int }

func panics() {
	for _, f := range []func(){
		func() { panic("text") },
		func() { panic(custom{1}) },
		func() { panic(error(nil)) },
		func() { defer panic("deferred") },
		func() {
			s := "early"
			defer panic(s)
			s = "late"
		},
		func() { (panic)(1) },
		func() {
			defer func() { panic(fmt.Sprint("again ", recover())) }()
			panic(
				"first",
			)
		},
	} {
		func() {
			defer func() {
				r := recover()
				fmt.Printf("%T %v\n", r, r)
			}()
			f()
		}()
	}
	fmt.Println(result(1))
}

func result(n int) int {
	switch n {
	case 1:
		return 2
	default:
		panic("unreachable")
	}
}
