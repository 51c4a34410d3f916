package repeat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// Block says what a list has lost. Of Times iterations, each of Length elements, the first two are there, from At on.
type Block struct {
	At     int `json:"at"`     // index in the list that is left, from 0
	Length int `json:"length"` // elements of one iteration
	Times  int `json:"times"`  // how many iterations there are, at least 3
}

// Long is how long a list is that is worth to be folded: of a shorter one a reader wants to see every element.
const Long = 5000

const (
	// maxLength bounds the elements of one iteration.
	maxLength = 1024
	// maxCandidates bounds how many lengths are tried at one place: most elements have no other of their kind nearby, and those
	// with many would make the search quadratic.
	maxCandidates = 8
	// minLeftOut is how many elements a block must leave out: fewer are not worth the reader's trouble.
	minLeftOut = 16
)

// Fold returns a list without the iterations of its blocks, and the blocks in their order. It returns the list itself if
// nothing repeats. The time is about linear in the size of the list. It panics if elements hold other things than structs,
// pointers to them, slices, texts, truth values and integers.
func Fold[T any](list []T) ([]T, []Block) {
	d := describe(list)
	blocks := d.blocks()
	if blocks == nil {
		return list, nil
	}
	var out []T
	done := 0 // the elements before it are in out, or left out
	for i, b := range blocks {
		out = append(out, list[done:b.At+2*b.Length]...)
		done = b.At + b.Times*b.Length
		blocks[i].At = len(out) - 2*b.Length
	}
	return append(out, list[done:]...), blocks
}

// Blocks finds the blocks of a list of which only it is known which elements are the same: those of one kind. At is an index in
// the list as it is.
func Blocks(kinds []int) []Block {
	d := described{kinds: kinds, from: make([]int, len(kinds)+1)}
	return d.blocks()
}

// blocks finds those of a list, in which At is an index.
func (d *described) blocks() (out []Block) {
	// next is the nearest element behind each that is of the same kind, 0 if there is none.
	next, seen := make([]int, len(d.kinds)), map[int]int{}
	for i, kind := range slices.Backward(d.kinds) {
		next[i] = seen[kind]
		seen[kind] = i
	}
	for i := 0; i < len(d.kinds); {
		var best Block
		for k, j := 0, next[i]; k < maxCandidates && j > 0 && j-i <= maxLength; k, j = k+1, next[j] {
			b := Block{At: i, Length: j - i, Times: d.iterations(i, j-i)}
			if b.leftOut() > best.leftOut() {
				best = b
			}
		}
		if best.leftOut() < minLeftOut {
			i++
			continue
		}
		out = append(out, best)
		i += best.Length * best.Times
	}
	return out
}

func (b Block) leftOut() int { return b.Length * (b.Times - 2) }

// described is what Fold compares of a list: of each element its kind, which says everything but the numbers that it holds, and
// those numbers.
type described struct {
	kinds   []int
	numbers []int64 // of all elements
	from    []int   // where those of each begin
}

func describe[T any](list []T) described {
	out := described{kinds: make([]int, len(list)), from: make([]int, len(list)+1)}
	known := map[string]int{}
	var d description
	for i := range list {
		d.kind = d.kind[:0]
		d.value(reflect.ValueOf(&list[i]).Elem())
		kind, ok := known[string(d.kind)]
		if !ok {
			kind = len(known)
			known[string(d.kind)] = kind
		}
		out.kinds[i], out.from[i+1] = kind, len(d.numbers)
	}
	out.numbers = d.numbers
	return out
}

// goesOn reports whether an element goes on as the ones one and two iterations before it do.
func (d *described) goesOn(i, length int) bool {
	if d.kinds[i] != d.kinds[i-length] {
		return false
	}
	a, b := d.numbers[d.from[i-2*length]:], d.numbers[d.from[i-length]:]
	for k, n := range d.numbers[d.from[i]:d.from[i+1]] {
		if n-b[k] != b[k]-a[k] {
			return false
		}
	}
	return true
}

// iterations counts those that begin at an element: 1 if the next one is not of its kind.
func (d *described) iterations(from, length int) int {
	end := from + length
	for end < from+2*length {
		if end >= len(d.kinds) || d.kinds[end] != d.kinds[end-length] {
			return 1
		}
		end++
	}
	for end < len(d.kinds) && d.goesOn(end, length) {
		end++
	}
	return (end - from) / length
}

// description is a value as the numbers in it, and all else.
type description struct {
	kind    []byte
	numbers []int64
}

func (d *description) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Pointer:
		if d.present(!v.IsNil()) {
			d.value(v.Elem())
		}
	case reflect.Slice:
		// A nil slice is none with no elements: JSON tells them apart.
		if d.present(!v.IsNil()) {
			d.kind = binary.AppendUvarint(d.kind, uint64(v.Len()))
			for i := range v.Len() {
				d.value(v.Index(i))
			}
		}
	case reflect.String:
		d.text(v.String())
	case reflect.Bool:
		d.present(v.Bool())
	case reflect.Int, reflect.Int64:
		d.numbers = append(d.numbers, v.Int())
	case reflect.Uint64:
		d.numbers = append(d.numbers, int64(v.Uint()))
	default:
		panic(fmt.Sprintf("repeat: a list of %s", v.Type()))
	}
}

func (d *description) present(is bool) bool {
	if is {
		d.kind = append(d.kind, 1)
	} else {
		d.kind = append(d.kind, 0)
	}
	return is
}

// text describes a text by what is between its numbers, with its length, so that no two texts are of one kind that differ in
// more than numbers.
func (d *description) text(s string) {
	for number := true; number; {
		var before string
		var n int64
		before, n, s, number = cut(s)
		d.kind = binary.AppendUvarint(d.kind, uint64(len(before)))
		d.kind = append(d.kind, before...)
		if d.present(number) {
			d.numbers = append(d.numbers, n)
		}
	}
}

// cut finds the first number of a text: digits as they are written for a number, without zeros before them. If there is none,
// what is before it is all.
func cut(s string) (before string, n int64, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) {
			continue
		}
		end := i + 1
		for end < len(s) && digit(s[end]) {
			end++
		}
		if end-i <= maxDigits && (s[i] != '0' || end == i+1) {
			n, _ := strconv.ParseInt(s[i:end], 10, 64)
			return s[:i], n, s[end:], true
		}
		i = end - 1
	}
	return s, 0, "", false
}

// maxDigits is how long a number in a text may be: all with so few digits are an int64.
const maxDigits = 18

func digit(c byte) bool { return '0' <= c && c <= '9' }

// ErrBroken is wrapped by the errors of Unfold.
var ErrBroken = errors.New("broken repetition")

// Unfold gives back the list of which Fold has made this one, with these blocks. Elements share no memory with each other that can
// be written to. A list that Fold cannot have made is an error; whether there is memory for what it asks for is to be asked first, see [Size].
func Unfold[T any](list []T, blocks []Block) ([]T, error) {
	if len(blocks) == 0 {
		return list, nil
	}
	total, err := length(len(list), blocks)
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, total)
	done := 0
	for _, b := range blocks {
		first, second := list[b.At:b.At+b.Length], list[b.At+b.Length:b.At+2*b.Length]
		out = append(out, list[done:b.At+2*b.Length]...)
		done = b.At + 2*b.Length
		for k := 2; k < b.Times; k++ {
			for i := range first {
				v, err := goneOn(b, i, first, second, k)
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
		}
	}
	return append(out, list[done:]...), nil
}

// Check reports what Unfold would, without the memory that takes: numbers grow by the same amount each time, so that an error
// shows in the first iteration that is not in the list or in the last one.
func Check[T any](list []T, blocks []Block) error {
	if _, err := length(len(list), blocks); err != nil {
		return err
	}
	for _, b := range blocks {
		first, second := list[b.At:b.At+b.Length], list[b.At+b.Length:b.At+2*b.Length]
		for _, k := range []int{2, b.Times - 1} {
			for i := range first {
				if _, err := goneOn(b, i, first, second, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// goneOn is the i-th one of the k-th iteration of a block, from 0, given the first two.
func goneOn[T any](b Block, i int, first, second []T, k int) (v T, err error) {
	if err := goOn(reflect.ValueOf(&v).Elem(), reflect.ValueOf(&first[i]).Elem(), reflect.ValueOf(&second[i]).Elem(), int64(k)); err != nil {
		return v, fmt.Errorf("%w: element %d, iteration %d: %w", ErrBroken, b.At+i, k+1, err)
	}
	return v, nil
}

// length is how many elements a list has with the iterations of its blocks.
func length(n int, blocks []Block) (int, error) {
	behind, total := 0, n
	for _, b := range blocks {
		if b.Length < 1 || b.Times < 3 || b.At < behind || b.Length > n || b.At > n-2*b.Length {
			return 0, fmt.Errorf("%w: no two iterations of %d elements at %d of %d", ErrBroken, b.Length, b.At, n)
		}
		behind = b.At + 2*b.Length
		if b.Times-2 > (math.MaxInt-total)/b.Length {
			return 0, fmt.Errorf("%w: %d iterations", ErrBroken, b.Times)
		}
		total += b.leftOut()
	}
	return total, nil
}

// Size bounds the bytes that Unfold adds to a list.
func Size[T any](list []T, blocks []Block) (int64, error) {
	if _, err := length(len(list), blocks); err != nil {
		return 0, err
	}
	var total int64
	for _, b := range blocks {
		var one int64
		for i := b.At; i < b.At+b.Length; i++ {
			one += size(reflect.ValueOf(&list[i]).Elem(), reflect.ValueOf(&list[i+b.Length]).Elem())
		}
		if one > (math.MaxInt64-total)/int64(b.Times) {
			return math.MaxInt64, nil
		}
		total += one * int64(b.Times)
	}
	return total, nil
}

// size bounds the bytes of an element of a later iteration, given those of the first two.
func size(first, second reflect.Value) int64 {
	n := int64(second.Type().Size())
	switch second.Kind() {
	case reflect.Struct:
		for i := range second.NumField() {
			n += size(first.Field(i), second.Field(i)) - int64(second.Field(i).Type().Size())
		}
	case reflect.Pointer:
		if !first.IsNil() && !second.IsNil() {
			n += size(first.Elem(), second.Elem())
		}
	case reflect.Slice:
		for i := range min(first.Len(), second.Len()) {
			n += size(first.Index(i), second.Index(i))
		}
	case reflect.String:
		if first.String() != second.String() {
			n += int64(second.Len()) * maxDigits // each digit may be a number that grows
		}
	}
	return n
}

// goOn sets a value of the k-th iteration, from 0, to what comes behind those of the first and of the second.
func goOn(to, first, second reflect.Value, k int64) error {
	switch to.Kind() {
	case reflect.Struct:
		for i := range to.NumField() {
			if err := goOn(to.Field(i), first.Field(i), second.Field(i), k); err != nil {
				return err
			}
		}
		return nil
	case reflect.Pointer:
		if first.IsNil() || second.IsNil() {
			if first.IsNil() != second.IsNil() {
				return errDiffer
			}
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return goOn(to.Elem(), first.Elem(), second.Elem(), k)
	case reflect.Slice:
		n := second.Len()
		if first.Len() != n || first.IsNil() != second.IsNil() {
			return errDiffer
		}
		if second.IsNil() {
			return nil
		}
		to.Set(reflect.MakeSlice(to.Type(), n, n))
		for i := range n {
			if err := goOn(to.Index(i), first.Index(i), second.Index(i), k); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		s, err := text(first.String(), second.String(), k)
		to.SetString(s)
		return err
	case reflect.Bool:
		if first.Bool() != second.Bool() {
			return errDiffer
		}
		to.SetBool(second.Bool())
		return nil
	case reflect.Int, reflect.Int64:
		a, b := first.Int(), second.Int()
		n := a + k*(b-a)
		if to.OverflowInt(n) {
			return fmt.Errorf("%d is too large", n)
		}
		to.SetInt(n)
		return nil
	case reflect.Uint64:
		a, b := first.Uint(), second.Uint()
		to.SetUint(a + uint64(k)*(b-a))
		return nil
	}
	panic(fmt.Sprintf("repeat: a list of %s", to.Type()))
}

var errDiffer = errors.New("the first two iterations differ in more than numbers")

// text is goOn for texts.
func text(first, second string, k int64) (string, error) {
	if first == second {
		return second, nil
	}
	var out []byte
	for {
		before, a, rest, number := cut(first)
		same, b, restOfSecond, numberOfSecond := cut(second)
		if before != same || number != numberOfSecond {
			return "", errDiffer
		}
		out = append(out, before...)
		if !number {
			return string(out), nil
		}
		if step := b - a; step != 0 && k > (1e18-1)/max(step, -step) { // those of a text are below 1e18
			return "", errors.New("a number of a text grows too large")
		}
		n := a + k*(b-a)
		if n < 0 || n >= 1e18 {
			return "", fmt.Errorf("%d is no number of a text", n)
		}
		out = strconv.AppendInt(out, n, 10)
		first, second = rest, restOfSecond
	}
}
