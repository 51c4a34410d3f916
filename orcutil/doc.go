// Package orcutil is the runtime of instrumented programs.
package orcutil
