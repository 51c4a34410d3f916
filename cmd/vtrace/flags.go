package main

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// sizeFlag is a number of bytes: 1000000, 500M, 2G.
type sizeFlag int64

func (s *sizeFlag) String() string {
	n, unit := int64(*s), ""
	for _, u := range []string{"K", "M", "G"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, u
	}
	return strconv.FormatInt(n, 10) + unit
}

func (s *sizeFlag) Set(text string) error {
	shift := 0
	digits := strings.TrimSuffix(strings.ToUpper(text), "B")
	for unit, bits := range map[string]int{"K": 10, "M": 20, "G": 30} {
		if d, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = d, bits
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q is not a size, as in 500M or 2G", text)
	}
	*s = sizeFlag(n << shift)
	return nil
}

// boundsFlag sets the fields of artifact.ModelBounds by name.
type boundsFlag struct{ artifact.ModelBounds }

func (b *boundsFlag) String() string { return "" }

func (b *boundsFlag) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not NAME=N", text)
	}
	v := reflect.ValueOf(&b.ModelBounds).Elem()
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.Type.Kind() == reflect.Int && strings.EqualFold(field.Name, name) {
			v.Field(i).SetInt(int64(n))
			return nil
		}
	}
	return fmt.Errorf("no bound %q: the bounds are %s", name, strings.Join(boundNames(), ", "))
}

// boundNames are the names of the bounds, as flags have them.
func boundNames() []string {
	var names []string
	t := reflect.TypeFor[artifact.ModelBounds]()
	for i := range t.NumField() {
		if t.Field(i).Type.Kind() == reflect.Int {
			names = append(names, strings.ToLower(t.Field(i).Name))
		}
	}
	slices.Sort(names)
	return names
}

// numbersFlag is a list of numbers: 0,1,2,-1.
type numbersFlag []int

func (f *numbersFlag) String() string { return "" }

func (f *numbersFlag) Set(text string) error {
	*f = nil
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return fmt.Errorf("%q is not a list of numbers, as in 0,1,2", text)
		}
		*f = append(*f, n)
	}
	return nil
}
