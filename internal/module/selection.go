package module

// Selection lists public modules, "path@version", that use concurrency in many
// ways.
func Selection() []string {
	return []string{
		"golang.org/x/sync@v0.24.0",
		"github.com/cskr/pubsub/v2@v2.0.2",
		"github.com/patrickmn/go-cache@v2.1.0+incompatible",
		"github.com/jackc/puddle/v2@v2.2.3",
		"github.com/hashicorp/golang-lru/v2@v2.0.7",
		"github.com/gammazero/workerpool@v1.3.0",
		"github.com/sourcegraph/conc@v0.3.0",
		"github.com/tidwall/buntdb@v1.3.2",
		"storj.io/drpc@v0.0.34",
		"github.com/alitto/pond/v2@v2.7.1",
		"github.com/ThreeDotsLabs/watermill@v1.5.1",
		"github.com/hashicorp/yamux@v0.1.2",
		"github.com/panjf2000/ants/v2@v2.12.1",
		"github.com/puzpuzpuz/xsync/v4@v4.5.0",
		"go.uber.org/zap@v1.28.0",
		"github.com/dgraph-io/ristretto/v2@v2.4.2",
		"go.etcd.io/raft/v3@v3.7.0",
	}
}
