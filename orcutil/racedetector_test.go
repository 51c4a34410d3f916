//go:build race

package orcutil

// raceDetector tells whether Go's own race detector watches the tests.
const raceDetector = true
