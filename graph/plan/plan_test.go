package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

func mustFind(t testing.TB, c Cluster, all []Catalog, r Request) *Plan {
	t.Helper()
	p, err := Find(t.Context(), c, all, r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Steps { // the parts of blockers are numbered in the order in which they are met
		for j := range p.Steps[i].Freezes {
			for k := range p.Steps[i].Freezes[j].Because {
				p.Steps[i].Freezes[j].Because[k].part = nil
			}
		}
	}
	return p
}

const invariantWorlds = 40

// TestOrder checks that the order of namespaces, subscriptions, operators and catalogs means nothing.
func TestOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(invariantWorlds) {
		w := newRandomWorld(t, seed)
		want := mustFind(t, w.cluster, w.catalogs, w.request)
		turned := w.cluster
		turned.Namespaces = slices.Clone(turned.Namespaces)
		slices.Reverse(turned.Namespaces)
		for i := range turned.Namespaces {
			n := &turned.Namespaces[i]
			n.Subscriptions, n.Installed, n.Sources = slices.Clone(n.Subscriptions), slices.Clone(n.Installed), slices.Clone(n.Sources)
			slices.Reverse(n.Subscriptions)
			slices.Reverse(n.Installed)
			slices.Reverse(n.Sources)
		}
		all := slices.Clone(w.catalogs)
		slices.Reverse(all)
		if got := mustFind(t, turned, all, w.request); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %+v, want %+v\n%s", seed, got, want, w.text)
		}
	}
}

// TestEnd checks that there is nothing to do once a plan was carried out.
func TestEnd(t *testing.T) {
	t.Parallel()
	for seed := range uint64(invariantWorlds) {
		w := newRandomWorld(t, seed)
		p := mustFind(t, w.cluster, w.catalogs, w.request)
		if !p.IsPossible() {
			continue
		}
		r := &replayer{ctx: t.Context(), content: newContent(w.catalogs, &w.cluster), minor: w.cluster.Minor}
		for _, n := range w.cluster.Namespaces {
			r.namespaces = append(r.namespaces, &replayed{Namespace: n, base: n.Sources})
		}
		if err := r.each((*replayer).settle); err != nil {
			t.Fatal(err)
		}
		for i := range p.Steps {
			if err := r.step(&p.Steps[i]); err != nil {
				t.Fatal(err)
			}
		}
		end := Cluster{Minor: w.request.To}
		for _, n := range r.namespaces {
			n.Sources = n.base
			end.Namespaces = append(end.Namespaces, n.Namespace)
		}
		// A dependency that OLM has made a subscription for is no longer told from others.
		if again := mustFind(t, end, w.catalogs, Request{To: w.request.To, Any: true}); !again.IsPossible() || len(again.Steps) > 0 {
			t.Fatalf("seed %d: %+v after %+v\n%s", seed, again, p, w.text)
		}
	}
}

// TestRaised checks that a higher olm.maxOpenShiftVersion never makes a plan impossible, or more costly.
func TestRaised(t *testing.T) {
	t.Parallel()
	better := 0
	for seed := range uint64(invariantWorlds) {
		w, raised := newRandomWorld(t, seed), raisedWorld(t, seed, 1)
		p := mustFind(t, w.cluster, w.catalogs, w.request)
		q := mustFind(t, raised.cluster, raised.catalogs, raised.request)
		switch {
		case p.IsPossible() && (!q.IsPossible() || compareCosts(q.Cost, p.Cost) > 0), q.Reached < p.Reached:
			t.Fatalf("seed %d: %+v, and with less limits %+v\n%s", seed, p, q, w.text)
		case q.IsPossible() && !p.IsPossible():
			better++
		}
	}
	if better == 0 {
		t.Error("no limit ever mattered")
	}
}

// TestSum checks that namespaces do not depend on each other.
func TestSum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(invariantWorlds) {
		w := newRandomWorld(t, seed)
		p := mustFind(t, w.cluster, w.catalogs, w.request)
		var sum Cost
		possible := true
		for i := range w.cluster.Namespaces {
			alone := w.cluster
			alone.Namespaces = w.cluster.Namespaces[i : i+1]
			one := mustFind(t, alone, w.catalogs, w.request)
			possible = possible && one.IsPossible()
			sum.add(one.Cost)
		}
		if possible != p.IsPossible() || possible && sum != p.Cost {
			t.Fatalf("seed %d: %v %+v, and one by one %v %+v", seed, p.IsPossible(), p.Cost, possible, sum)
		}
	}
}

func TestParseMinor(t *testing.T) {
	for text, want := range map[string]Minor{"4.14": 14, "4.9": 9, "5.0": 23, "5.1": 24, "4.23": 23, "4.0": 0} {
		if got, err := ParseMinor(text); got != want || err != nil {
			t.Errorf("%s: %d %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "4", "4.", "4.x", "4.014", "3.11", "4.14.1", "v4.14", "6.0", "4.-1"} {
		if got, err := ParseMinor(text); err == nil {
			t.Errorf("%s: %d, want an error", text, got)
		}
	}
	for m, want := range map[Minor]string{14: "4.14", 22: "4.22", 23: "5.0", 24: "5.1"} {
		if m.String() != want {
			t.Errorf("%d is %s, want %s", m, m, want)
		}
	}
	if k := Minor(16).kubernetesVersion(); k != "1.29" {
		t.Errorf("OpenShift 4.16 has Kubernetes %s", k)
	}
}

// TestMax checks what olm.maxOpenShiftVersion of an installed operator allows.
func TestMax(t *testing.T) {
	installed := func(annotation bool, values ...string) *resolve.InstalledOperator {
		var properties []catalogs.PropertyValue
		for _, v := range values {
			properties = append(properties, catalogs.PropertyValue{Type: catalogs.TypeMaxOpenShift, Value: json.RawMessage(v)})
		}
		return &resolve.InstalledOperator{Name: "a", Facts: catalogs.NewFacts(properties), FromAnnotation: annotation}
	}
	for _, c := range []struct {
		in   *resolve.InstalledOperator
		to   Minor
		want bool
	}{
		{installed(true), 30, true},
		{installed(true, `"4.15"`), 15, true},
		{installed(true, `"4.15"`), 16, false},
		{installed(true, `4.15`), 15, true},
		{installed(true, `"4.23"`), 23, true}, // 5.0
		{installed(true, `"5.0"`), 23, true},
		{installed(true, `"5.0"`), 24, false},
		{installed(true, `""`), 1, false},
		{installed(true, `"4.15.1"`), 14, false},
		{installed(true, `"four"`), 14, false},
		{installed(true, `"4.16"`, `"4.16"`), 14, false}, // only one is allowed
		{installed(false, `"4.15"`), 16, true},           // OpenShift reads the annotation only
	} {
		m, has := maxOpenShift(c.in)
		if got := !has || m.allows(c.to); got != c.want {
			t.Errorf("%+v to %s: %v, want %v", m, c.to, got, c.want)
		}
	}
}
