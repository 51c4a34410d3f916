package vtrace

import (
	"context"

	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/pass"
)

// Predict records a free run of a program, as Record does, unless a recording is given. It predicts from it which
// errors other runs may have, see docs/analyses.md, and makes the program follow each prediction. An error that the
// program shows then, and twice again, is a real finding; a prediction that it follows without an error
// is refuted. The bundle is one of a deep pass: its tests can be replayed and exported.
func Predict(ctx context.Context, src Source, how pass.Predicting, opts ...Option) (*pass.Predicted, error) {
	return passes.Predict(ctx, src.spec, how, options(opts))
}
