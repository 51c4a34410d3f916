package report

import _ "embed"

//go:embed output.schema.json
var outputSchema []byte

// OutputSchema is the JSON Schema (2020-12) of what check -json prints, and of each line of what
// check -json=stream prints. It is generated from the types of package internal/output and of package artifact,
// with their comments: go test ./internal/output -run TestOutputSchema -update.
func OutputSchema() []byte { return outputSchema }
