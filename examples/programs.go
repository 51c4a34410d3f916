package examples

// Programs returns every example: each faulty one is followed by its correct
// counterpart, on which nothing may be reported.
func Programs() []Program {
	var all []Program
	add := func(name, doc, fixed string, size int, text string, edits ...edit) {
		all = append(all, Program{Name: name, Doc: doc, Size: size, text: text})
		p := Program{Name: name + "_fixed", Doc: fixed, Size: size, text: text}
		for _, e := range edits {
			p.text = e.apply(p.text)
		}
		all = append(all, p)
	}

	add("sequences", `
Main receives what a sender sends on a channel, and then closes the channel
that the sender closes too: close of a closed channel, by whoever comes second.`, `
The sender closes the channel; main would only close it for a value that is
never sent.`, 5, `
var ch = make(chan int)

func sender() {
{{repeat "ch <- 1\n" .N}}close(ch) // want "close of closed channel"
}

func {{.Entry}}() {
go sender()
{{repeat "<-ch\n" (sub .N 1)}}x := <-ch
if x == 1 {
close(ch) // want "close of closed channel"
}
}
`, edit{"x == 1", "x == 2"}, edit{` // want "close of closed channel"`, ""})

	mutexloop := func(name, doc, declare string) {
		add(name, doc+`
After an even number of iterations the mutex is locked, and main waits for
itself: deadlock.`, `
A mutex is unlocked and locked in turn by a loop of an odd number of
iterations, after which it is unlocked.`, 8, `
import "sync"

`+declare+`

func {{.Entry}}() {
var mu sync.Mutex
mu.Lock()
for i := 0; i < N; i++ {
if i%2 == 0 {
mu.Unlock()
} else {
mu.Lock()
}
}
mu.Lock() // want "deadlock"
}
`, edit{"{{.N}}", "{{sub .N 1}}"}, edit{` // want "deadlock"`, ""})
	}
	mutexloop("mutexloopconst", `
A mutex is unlocked and locked in turn by a loop of constant length.`, "const N = {{.N}}")
	mutexloop("mutexloopvar", `
A mutex is unlocked and locked in turn by a loop whose length is a variable.`, "// N is the number of iterations.\nvar N = {{.N}}")

	add("loopspawn", `
The last of N goroutines panics, unless main returns first.`, `
None of N goroutines panics.`, 4, `
const N = {{.N}}

func worker(i int) {
if i == N-1 {
panic("the last worker") // want "panic"
}
}

func {{.Entry}}() {
for i := 0; i < N; i++ {
go worker(i)
}
}
`, edit{"i == N-1", "i == N"}, edit{` // want "panic"`, ""})

	add("rendezvous", `
One goroutine panics on the zero that another sends it.`, `
One goroutine would panic on a zero, but gets a one.`, 0, `
func a(ch chan int) {
v := <-ch
if v == 0 {
panic("zero received") // want "panic"
}
}

func b(ch chan int) {
ch <- 0
}

func {{.Entry}}() {
ch := make(chan int)
go a(ch)
go b(ch)
}
`, edit{"ch <- 0", "ch <- 1"}, edit{` // want "panic"`, ""})

	add("callafterspawn", `
Main panics once a function that it calls has met a goroutine on a channel.`, `
A function that main calls meets a goroutine on a channel.`, 0, `
func x(ch chan int) {
<-ch
}

func y(ch chan int) {
ch <- 1
}

func {{.Entry}}() {
ch := make(chan int)
go x(ch)
y(ch)
panic("after the call") // want "panic"
}
`, edit{`panic("after the call") // want "panic"`, ""})

	shared := func(name, doc, declare, before, pass string) {
		add(name, `
Main sets a shared variable to 0 while a goroutine tests it`+doc+`.`, `
Main changes a shared variable while a goroutine tests it, but never to 0.`, 0, `
`+declare+`

func check() {
`+before+`if x == 0 {
panic("x is 0") // want "panic"
}
}

func {{.Entry}}() {
go check()
x++
`+pass+`
if x == 2 {
x = 0
}
}
`, edit{"x = 0", "x = 3"}, edit{` // want "panic"`, ""})
	}
	mutex := "import \"sync\"\n\nvar (\nx = 1\nmu sync.Mutex\n)"
	channel := "var (\nx = 1\nch = make(chan bool)\n)"
	shared("sharedvar", "", mutex, "", "mu.Lock()\n//lint:ignore SA2001 to pass the mutex is all that is wanted\nmu.Unlock()")
	shared("sharedvar_increment", " after incrementing it", mutex, "x++\n", "mu.Lock()\n//lint:ignore SA2001 to pass the mutex is all that is wanted\nmu.Unlock()")
	shared("sharedvar_rendezvous", " after a rendezvous", channel, "ch <- true\n", "<-ch")
	shared("sharedvar_rendezvous_increment", " after a rendezvous and incrementing it", channel, "ch <- true\nx++\n", "<-ch")

	add("funcarg", `
A function passed as an argument is called and panics.`, `
A function passed as an argument is called and returns.`, 0, `
func apply(f func(int), x int) {
f(x)
}

func {{.Entry}}() {
apply(func(x int) {
if x == 1 {
panic("called") // want "panic"
}
}, 1)
}
`, edit{"}, 1)", "}, 2)"}, edit{` // want "panic"`, ""})
	return all
}
