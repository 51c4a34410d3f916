//go:build race

package orcruntime

// raceDetector tells whether Go's own race detector watches the tests.
const raceDetector = true
