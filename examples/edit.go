package examples

import (
	"fmt"
	"strings"
)

// edit replaces every occurrence of old: what makes a faulty program correct.
type edit struct{ old, new string }

// apply panics if old does not occur: the table of programs is wrong then.
func (e edit) apply(text string) string {
	if !strings.Contains(text, e.old) {
		panic(fmt.Sprintf("examples: no %q to replace", e.old))
	}
	return strings.ReplaceAll(text, e.old, e.new)
}
