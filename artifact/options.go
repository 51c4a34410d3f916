package artifact

import (
	"encoding/json"
	"time"

	"github.com/vtrace/vtrace/internal/storage"
)

// Options are those of a pass that shape its results, as a manifest records them.
type Options struct {
	// Model says how the model is made.
	Model ModelOptions `json:"model"`
	// Search bounds each search of the checker.
	Search SearchOptions `json:"search"`
	// Disallow says how refuted traces are excluded: "exact" or "fnv"; "" before the second
	// pass.
	Disallow string `json:"disallow,omitempty" schema:"exact|fnv"`
	// RunDepth is the number of traces that are replayed for one query; 0 before the deep
	// pass.
	RunDepth int `json:"runDepth,omitempty"`
}

// ModelOptions say how the model of a program is made. They are recorded in the bundle.
type ModelOptions struct {
	// Categories selects the queries; none means all.
	Categories []string `json:"categories,omitempty"`
	// Bounds limits the model's pools.
	Bounds ModelBounds `json:"bounds"`
	// Strict makes every approximation an error.
	Strict bool `json:"strict,omitempty"`
	// Continue goes on where the program has constructs that cannot be
	// translated, and leaves them out; the result says so.
	Continue bool `json:"continue,omitempty"`
	// EveryLine guards every statement and not only the points of the model.
	EveryLine bool `json:"everyLine,omitempty"`
	// Races records accesses to memory that goroutines may share: replays and
	// random runs find data races.
	Races bool `json:"races,omitempty"`
	// FromProto makes the first pass search the Proto model.
	FromProto bool `json:"fromProto,omitempty"`
	// Flags are build flags of the go command.
	Flags []string `json:"flags,omitempty"`
	// Deps are the patterns of dependencies that belong to the program.
	Deps []string `json:"deps,omitempty"`
	// Args are what the program sees in os.Args after its name, if its entry is main.
	Args []string `json:"args,omitempty"`
	// Completions are what runs of the program have shown that the model lacked. A check
	// finds them itself; later passes make the same model of them.
	Completions []Completion `json:"completions,omitempty"`
}

// ModelBounds are the pools of a model that can run out. Zero values mean the default.
type ModelBounds struct {
	// Slots is how many goroutines that one go statement starts can be alive
	// at a time, where it can be executed repeatedly. Default 8.
	Slots int `json:"slots,omitempty"`
	// Objects is how many objects that one allocation makes can be in use at a
	// time, where it can be executed repeatedly. Default 8.
	Objects int `json:"objects,omitempty"`
	// Recursion is how many activations of one function a goroutine can have.
	// Default 3.
	Recursion int `json:"recursion,omitempty"`
	// Defers is how often one defer statement can be pending in an activation.
	// Default 4.
	Defers int `json:"defers,omitempty"`
	// BufferValues is the capacity up to which a channel's contents are kept.
	// Default 8.
	BufferValues int `json:"bufferValues,omitempty"`
	// Slice is how long slices that grow can become. Default 8.
	Slice int `json:"slice,omitempty"`
	// Entries is how many entries of a map are kept. Default 4.
	Entries int `json:"entries,omitempty"`
	// Counter bounds wait groups and readers of locks. Default 32.
	Counter int `json:"counter,omitempty"`
	// Numbers is the greatest value, from 0 on, that is chosen for a number from
	// outside where it says how large something is. Default 3.
	Numbers int `json:"numbers,omitempty"`
}

// SearchOptions bound a search; zero means no bound.
type SearchOptions struct {
	MaxMemory int64         `json:"maxMemory,omitempty"` // bytes
	MaxStates int           `json:"maxStates,omitempty"` // number of states
	Timeout   time.Duration `json:"timeout,omitempty"`   // nanoseconds
	// NoReductions makes the embedded engine visit every state, also where it
	// could leave some out without changing an answer.
	NoReductions bool `json:"noReductions,omitempty"`
}

// Options are those of the pass, whatever version the bundle has: the zero value if it has
// none.
func (b *Bundle) Options() Options {
	o, _ := b.Manifest().options() // it was decoded when the bundle was made
	return o
}

// optionDecoders decode the options of a manifest, by the version of the format.
var optionDecoders = map[int]func(json.RawMessage) (Options, error){
	1: goNamedOptions,
	2: goNamedOptions,
	3: currentOptions,
	4: currentOptions,
	5: currentOptions,
	6: currentOptions,
	7: currentOptions,
}

// options decodes the options as the version of the manifest has them.
func (m Manifest) options() (Options, error) {
	if len(m.Options) == 0 {
		return Options{}, nil
	}
	o, err := optionDecoders[m.Version](m.Options)
	if err != nil {
		return Options{}, corrupt(manifestPath, "options: %w", err)
	}
	return o, nil
}

func currentOptions(raw json.RawMessage) (o Options, err error) {
	return o, storage.DecodeJSON(raw, &o)
}

// goNamedOptions decodes those of the versions 1 and 2, in which the bounds have the names of
// the fields of Go, and fields that are not known are passed over.
func goNamedOptions(raw json.RawMessage) (Options, error) {
	type bounds struct {
		Slots        int `json:"Slots"`
		Objects      int `json:"Objects"`
		Recursion    int `json:"Recursion"`
		Defers       int `json:"Defers"`
		BufferValues int `json:"BufferValues"`
		Slice        int `json:"Slice"`
		Entries      int `json:"Entries"`
		Counter      int `json:"Counter"`
		Numbers      int `json:"Numbers"`
	}
	// The bounds by themselves: they are all that is different.
	var old struct {
		Model struct {
			Bounds bounds `json:"bounds"`
		} `json:"model"`
	}
	if err := json.Unmarshal(raw, &old); err != nil {
		return Options{}, err
	}
	var o Options
	if err := json.Unmarshal(raw, &o); err != nil {
		return Options{}, err
	}
	o.Model.Bounds = ModelBounds(old.Model.Bounds)
	return o, nil
}
