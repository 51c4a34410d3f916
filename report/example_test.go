package report_test

import (
	"bytes"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/report"
)

func ExampleSARIF() {
	out := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: "example.com/m", Func: "main"}})
	out.SetFindings([]artifact.Finding{{
		Number: 1, Verdict: artifact.Possible, Kind: artifact.KindDeadlock, File: "main.go", Line: 7, Function: "example.com/m.main",
		Message: "all goroutines are asleep, main at receive",
	}})
	b, err := out.Bundle()
	if err != nil {
		fmt.Println(err)
		return
	}
	var log bytes.Buffer
	if err := report.SARIF(&log, []*artifact.Bundle{b}); err != nil {
		fmt.Println(err)
		return
	}
	r := gjson.GetBytes(log.Bytes(), "runs.0.results.0")
	fmt.Println(r.Get("ruleId"), r.Get("level"), r.Get("message.text"))
	// Output:
	// deadlock warning deadlock: all goroutines are asleep, main at receive (possible: the program was not run)
}
