package state

// Event is what has deadlines: the object of a timer or of a context, or a template
// whose goroutine sleeps.
type Event struct {
	ID       int
	Name     string
	Object   *Object   // nil of a sleep
	Template *Template // nil of an object
	// Durations it is armed with that are known. In its cell that holds the one it was
	// armed with, 0 is another, and k+1 that with index k.
	Durations  []int64
	Others     bool // it is armed with others as well
	Uncompared bool // as many as there may be are compared without it
	Arms       map[*CallPath]bool
	Armers     map[*Template]bool
	// Touch are the locations whose segments arm it or end it, Watch those that
	// compare it with something that they arm, Ripe those behind which it is not fresh.
	Touch, Watch, Ripe map[*Location]bool
	// Duration and Fresh are cells that are kept once they are asked for. Fresh says
	// who has armed it and has passed no guard since, 0 if nobody.
	Duration, Fresh *KeptCell
}

// KeptCell is a cell of an event that is written only if somebody reads it.
type KeptCell struct {
	*Cell
	Needed bool
}
