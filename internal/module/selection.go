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

// Others lists modules besides those of Selection whose tests are checked: small ones,
// and ones about time.
func Others() []string {
	return []string{
		"github.com/asaskevich/EventBus@49d423059eef",
		"github.com/benbjohnson/clock@v1.3.5",
		"github.com/bep/debounce@v1.2.1",
		"github.com/cenkalti/backoff/v5@v5.0.3",
		"github.com/dustin/go-broadcast@f664265f5a66",
		"github.com/eapache/channels@v1.1.0",
		"github.com/eapache/go-resiliency@v1.7.0",
		"github.com/failsafe-go/failsafe-go@v0.9.8",
		"github.com/jellydator/ttlcache/v3@v3.4.1",
		"github.com/klauspost/readahead@v1.4.0",
		"github.com/oklog/run@v1.2.0",
		"github.com/remeh/sizedwaitgroup@v1.0.0",
		"github.com/robfig/cron/v3@v3.0.1",
		"go.uber.org/goleak@v1.3.0",
		"go.uber.org/ratelimit@v0.3.1",
		"golang.org/x/time@v0.16.0",
		"gopkg.in/tomb.v2@d5d1b5820637",
		"github.com/hashicorp/go-memdb@v1.3.4",
		"github.com/sony/gobreaker@v1.0.0",
	}
}
