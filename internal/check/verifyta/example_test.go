package verifyta_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/verifyta"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Use verifyta if it is there, and the embedded engine otherwise.
func Example() {
	var engine check.Engine = check.Embedded{}
	if path, err := verifyta.Find(); err == nil {
		engine = verifyta.Engine{Path: path}
	}
	_, err := engine.Verify(context.Background(), network, nil, check.Options{})
	fmt.Println(err)
	// Output: <nil>
}

var network = func() *uppaal.Network {
	net, err := uppaal.ReadXML(strings.NewReader(`<nta><template><name>P</name><location id="a"/><init ref="a"/></template><system>system P;</system></nta>`))
	if err != nil {
		panic(err)
	}
	return net
}()
