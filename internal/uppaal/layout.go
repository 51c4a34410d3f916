package uppaal

// This file draws templates: it gives coordinates to what has none, for people
// who open a generated model in the editor.

// Distances of a drawing.
const (
	rowHeight   = 160
	columnWidth = 260
	lineHeight  = 17
	bow         = 60 // distance of parallel edges
)

// A drawing places the locations, nails and labels of a template.
type drawing struct {
	locations map[*Location]Point
	nails     [][]Point // by edge
	labels    []Point   // by edge: where its first label begins
}

// layOut keeps the coordinates of a template if it has any. Otherwise the row
// of a location is its distance from the initial location.
func layOut(t *Template) *drawing {
	d := &drawing{
		locations: map[*Location]Point{},
		nails:     make([][]Point, len(t.Edges)),
		labels:    make([]Point, len(t.Edges)),
	}
	placed := false
	for _, l := range t.Locations {
		d.locations[l] = Point{l.X, l.Y}
		placed = placed || l.X != 0 || l.Y != 0
	}
	if !placed {
		d.layers(t)
	}
	d.edges(t, placed)
	return d
}

// layers places locations in rows by breadth-first search; what cannot be
// reached forms the last rows.
func (d *drawing) layers(t *Template) {
	next := map[*Location][]*Location{}
	for _, e := range t.Edges {
		next[e.From] = append(next[e.From], e.To)
	}
	seen := map[*Location]bool{}
	row := 0
	for _, start := range append([]*Location{t.Init}, t.Locations...) {
		if seen[start] {
			continue
		}
		seen[start] = true
		for layer := []*Location{start}; len(layer) > 0; row++ {
			var below []*Location
			for i, l := range layer {
				d.locations[l] = Point{i * columnWidth, row * rowHeight}
				for _, to := range next[l] {
					if !seen[to] {
						seen[to] = true
						below = append(below, to)
					}
				}
			}
			layer = below
		}
	}
}

// edges bends the edges that would cover each other and places the labels. In
// a template that has coordinates nothing is bent.
func (d *drawing) edges(t *Template, placed bool) {
	type pair struct{ a, b *Location }
	index := map[*Location]int{}
	for i, l := range t.Locations {
		index[l] = i
	}
	key := func(e *Edge) pair {
		if index[e.From] > index[e.To] {
			return pair{e.To, e.From}
		}
		return pair{e.From, e.To}
	}
	total, nth := map[pair]int{}, map[pair]int{}
	for _, e := range t.Edges {
		total[key(e)]++
	}
	for i, e := range t.Edges {
		k := key(e)
		n := nth[k]
		nth[k]++
		d.nails[i] = e.Nails
		if !placed && len(e.Nails) == 0 {
			d.nails[i] = bend(d.locations[k.a], d.locations[k.b], n, total[k])
		}
		d.labels[i] = d.labelAt(e, d.nails[i])
	}
}

// bend gives the nails of the n-th of total edges between two points.
func bend(a, b Point, n, total int) []Point {
	if a == b {
		x := a.X + bow + n*columnWidth/2
		return []Point{{x, a.Y - bow/2}, {x, a.Y + bow/2}}
	}
	dx, dy := b.X-a.X, b.Y-a.Y
	offset := bow * (2*n - total + 1) / 2
	if total == 1 {
		adjacent := abs(dy) == rowHeight || dy == 0 && abs(dx) == columnWidth
		if adjacent {
			return nil
		}
		offset = 2 * bow // around what lies between
	}
	if offset == 0 {
		return nil
	}
	mid := Point{(a.X + b.X) / 2, (a.Y + b.Y) / 2}
	// Perpendicular to the edge: integers only, so that drawings are the same
	// everywhere.
	if abs(dx) > abs(dy) {
		return []Point{{mid.X, mid.Y + offset}}
	}
	return []Point{{mid.X + offset, mid.Y}}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func (d *drawing) labelAt(e *Edge, nails []Point) Point {
	a, b := d.locations[e.From], d.locations[e.To]
	if len(nails) > 0 {
		n := nails[len(nails)/2]
		if a == b {
			n = nails[0]
		}
		return Point{n.X + 8, n.Y - lineHeight}
	}
	return Point{(a.X+b.X)/2 + 8, (a.Y+b.Y)/2 - lineHeight}
}
