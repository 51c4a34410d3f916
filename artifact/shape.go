package artifact

import (
	"fmt"
	"reflect"
	"unicode/utf8"
)

// A few bytes of JSON can stand for much memory: "{}," is an element of some hundred
// bytes, and the canonical form indents what is nested deeply by as many blanks. So the
// shape of a text is looked at before it is decoded, in one pass that keeps nothing.

// maxDepth bounds how deeply JSON in a bundle is nested. The known forms need less than
// twenty; options have room.
const maxDepth = 100

// shape says what a JSON text consists of. For a text that is not JSON it means nothing,
// but is found in the same time and memory.
type shape struct {
	objects, elements, keys int64 // objects and nulls; elements of arrays; keys of objects
	indented                int64 // bytes of the canonical form, if strings are as they stand
}

// shapeOf finds the shape of a text, and refuses what is nested too deeply or not UTF-8.
func shapeOf(data []byte) (s shape, err error) {
	if !utf8.Valid(data) {
		return s, fmt.Errorf("not UTF-8")
	}
	depth := int64(0)
	s.indented = 1                              // the newline at the end
	line := func() int64 { return 1 + 2*depth } // a newline with the blanks behind it
	opened := false                             // what comes next is the first in its braces
	for i := 0; i < len(data); i++ {
		c, first := data[i], opened
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		opened = c == '{' || c == '['
		switch c {
		case '"':
			start := i
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			s.indented += int64(i - start + 1)
		case '{', '[':
			if c == '{' {
				s.objects++
			} else {
				s.elements++
			}
			if depth++; depth > maxDepth {
				return s, fmt.Errorf("%w: nested more than %d deep", ErrLimit, maxDepth)
			}
			s.indented += 1 + line()
		case '}', ']':
			if first {
				s.indented -= line() // they are empty
			}
			depth = max(0, depth-1)
			s.indented++
			if !first {
				s.indented += line()
			}
		case ',':
			s.elements++
			s.indented += 1 + line()
		case ':':
			s.keys++
			s.indented += 2
		default:
			if c == 'n' {
				s.objects++ // null, which may stand for one
			}
			s.indented++
		}
	}
	return s, nil
}

// largest is the size of the largest struct that values of a type hold, and whether they
// hold a map.
func largest(t reflect.Type) (size int64, maps bool) {
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(t.Elem())
		case reflect.Map:
			maps = true
			visit(t.Elem())
		case reflect.Struct:
			size = max(size, int64(t.Size()))
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	visit(t)
	return size, maps
}

const (
	elementSize = 24 // of a string, a number or a slice in a slice
	entrySize   = 64 // of an entry of a map
)

// checkDecoded refuses a text that would take more memory than a limit once it is decoded
// into a value of a type. It counts each object as the largest that there can be.
func checkDecoded(data []byte, t reflect.Type, limit int64) error {
	s, err := shapeOf(data)
	if err != nil {
		return err
	}
	size, maps := largest(t)
	need := int64(len(data)) + s.objects*size + s.elements*elementSize
	if maps {
		need += s.keys * entrySize
	}
	if need > limit {
		return fmt.Errorf("%w: %d bytes would be %d in memory", ErrLimit, len(data), need)
	}
	return nil
}
