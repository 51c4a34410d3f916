// Package disallow makes the next search of a model skip the traces that are already refuted, for who drives an
// engine by himself with the model and the queries of a bundle. The deep pass does so by itself.
//
// A model keeps the hash of the guards that its execution has passed in a variable hash32: [Declaration] gives the
// text that declares it, with the function hash_path that every guarded edge calls with the id of its guard. [FNV1a32] computes the same number for the guards of a trace, and
// [RewriteText] turns a query that the trace violates into one that it does not:
//
//	A[] (not out_of_resources) imply (not P)
//	A[] (not out_of_resources) imply (not (P and hash32 != h1 and hash32 != h2))
//
// This works with every engine that reads UPPAAL's language. Its price: the variable makes every path a state of its
// own, and two paths can have the same hash, so that a trace which was never tried can be skipped. A result that rests
// on a rewritten query holds up to such a collision.
//
// The hash is FNV-1a in UPPAAL's integers: 32 bits, signed, wrapping around; the offset basis 2166136261 is therefore
// -2128831035. A guard id is mixed in whole, not byte by byte, so the numbers differ from FNV-1a over bytes for ids
// above 255 and below 0.
package disallow
