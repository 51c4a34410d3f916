// Package bundle has the tools for bundles: it checks, compares, collects, unpacks, shortens and
// lists them. Nothing of a bundle is executed.
//
// Package artifact loads and saves bundles, and refuses what is broken. [Verify] asks for more:
// that what the files say of each other is so. docs/bundle.md describes the format.
package bundle
