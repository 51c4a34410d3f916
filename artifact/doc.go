// Package artifact defines bundles: what the passes of vtrace take and give.
//
// A bundle is a manifest and a set of files under slash-separated paths: the
// program's Source files, the model with its queries and sidecar, verdicts,
// traces, refutations, Orchestration tests, overlay, logs and findings, and, on
// demand, the modules that the program depends on. It is built with a [Builder] and immutable afterwards. [Save] writes it as a
// directory or, for a name that ends in ".vtz", as one archive (tar and zstd);
// [Load] reads either. [Open] reads one file by file, and [SaveFiles] writes one so, for
// bundles that are not to be in memory as a whole. The same content always gives the same
// bytes: files are sorted, JSON has one canonical form, no time, user or place is recorded.
//
// Every file is listed in the manifest with its size and sha256, so the digest
// of a bundle ([Bundle.Digest]) is that of its manifest.
//
// Bundles may come from anywhere. A [Reader], through which Load reads too, bounds
// sizes, counts, depths and what JSON takes in memory, accepts plain files only,
// refuses paths that leave the bundle or lead into a repository, duplicates, files it
// does not know and files that the manifest does not list, and runs nothing.
// docs/security.md says what that is good for.
//
// Errors: a bundle of a version that is not known, a newer one above all, is
// refused with a [*VersionError]; anything broken with a [*CorruptError] that
// names the file, which wraps [ErrLimit] for what is too large. A nil or empty
// argument is an [*ArgumentError]. What is in the way of writing is an
// [*ExistsError], which is fs.ErrExist. Everything else comes from the file system.
//
// The types of the files' content (Sidecar, Query, Trace, Plan, Finding, ...)
// are wire types without pointers into other packages.
//
// Limits: a [Bundle] is held in memory as a whole. A saved directory replaces an
// older one by two renames, so a crash between them leaves the new bundle
// under its temporary name beside the path; an archive is replaced atomically.
package artifact
