// Package earlier finds the results of earlier checks for a program that may have been changed
// since, and tells what of them still holds, and where in the text it is now.
//
// It reads files and bundles, and starts nothing.
package earlier
