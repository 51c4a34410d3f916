//go:build go1.25

package orcruntime

import "os"

// What a run writes in every step is to be there when the process dies, however it does, and would take longer
// than the step if each line were written by a system call. So it goes to memory that a file is mapped to,
// where the system can do that. A file that has not been closed ends with zeros.

// The sizes of the regions of a mapped file that is written to its end, of which each is twice as large as the one
// before, up to MaxRegion. They are multiples of the size of a page.
const (
	firstRegion = 64 << 10
	MaxRegion   = 4 << 20
)

// mappedLog is a file that lines are appended to, up to a bound.
type mappedLog struct {
	file *os.File
	left int    // bytes until the bound
	room []byte // of the region, mapped; nil if files cannot be mapped
	next int    // the size of the next region, 0: there is none
	size int64  // of what is written
	end  int64  // of the regions
}

func newMappedLog(path string, most int) (*mappedLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &mappedLog{file: f, left: most, next: firstRegion}, nil
}

// Write leaves out what is beyond the bound.
func (w *mappedLog) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return len(p), nil
	}
	n := 0
	for n < len(p) {
		if len(w.room) == 0 && !w.grow() {
			k, err := w.file.WriteAt(p[n:], w.size)
			w.size += int64(k)
			return n + k, err
		}
		k := copy(w.room, p[n:])
		w.room, w.size, n = w.room[k:], w.size+int64(k), n+k
	}
	return n, nil
}

// grow maps another region. It reports whether it could.
func (w *mappedLog) grow() bool {
	if w.next == 0 {
		return false
	}
	region, ok := mapped(w.file, w.end, w.next)
	if !ok {
		w.next = 0
		return false
	}
	w.room = region
	w.end += int64(w.next)
	w.next = min(2*w.next, MaxRegion)
	return true
}

// close cuts off the zeros; where that cannot be done they stay, and who reads the file leaves them out.
func (w *mappedLog) close() {
	_ = w.file.Truncate(w.size)
	w.file.Close()
}

// mapped maps a part of a file, for which it reserves room: with a disk that is full it is the file that
// ends, and not the program.
func mapped(f *os.File, offset int64, size int) (region []byte, ok bool) {
	if reserve(f, offset, size) != nil {
		return nil, false
	}
	region, err := mapFile(f, offset, size)
	return region, err == nil
}

// JournalSlot is the size of either half of a journal: of the lines written to it, by turns to one half and to the
// other, the last ones are there, each at the beginning of its half. A line that is being written, as the process
// dies, begins with a zero.
const JournalSlot = 16 << 10

// mappedJournal is a file that has the last line written to it.
type mappedJournal struct {
	file  *os.File
	slots []byte // nil if files cannot be mapped
	lines int
}

func newMappedJournal(path string) (*mappedJournal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	w := &mappedJournal{file: f}
	w.slots, _ = mapped(f, 0, 2*JournalSlot)
	return w, nil
}

// Write takes a whole line. Of one that is too long nothing is written.
func (w *mappedJournal) Write(line []byte) (int, error) {
	if len(line) == 0 || len(line) > JournalSlot {
		return len(line), nil
	}
	at := w.lines % 2 * JournalSlot
	w.lines++
	if w.slots == nil {
		return w.file.WriteAt(line, int64(at))
	}
	slot := w.slots[at : at+JournalSlot]
	slot[0] = 0
	copy(slot[1:], line[1:])
	slot[0] = line[0]
	return len(line), nil
}
