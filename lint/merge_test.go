package lint

import (
	"slices"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/edit"
)

// inChannel returns a finding about an entry of a channel.
func inChannel(channel, bundle string, faults ...string) Finding {
	return Finding{Rule: "a/b", Severity: Error, Subject: Subject{Package: "p", Channel: channel, Bundle: bundle}, Cause: []string{channel, bundle}, Faults: faults,
		Message: `it is in channel "` + channel + `"`, Edits: []edit.Edit{{Change: edit.Change{Was: channel}}}}
}

// TestMergeChannels checks that findings that differ in the channel only are one, with all edits, and that a baseline accepts it
// whatever channel comes first, but not an additional channel.
func TestMergeChannels(t *testing.T) {
	all := []Finding{inChannel("fast", "v1"), inChannel("fast", "v2"), inChannel("stable", "v1"), inChannel("beta", "v1", "x")}
	merged := foldChannels(slices.Clone(all))
	if len(merged) != 3 || len(merged[0].Also) != 1 || merged[0].Also[0].Channel != "stable" || len(merged[0].Edits) != 2 {
		t.Fatalf("%+v", merged)
	}
	other := foldChannels([]Finding{all[2], all[0]})
	if merged[0].Fingerprint() != other[0].Fingerprint() || merged[0].Fingerprint() == all[0].Fingerprint() {
		t.Error("the fingerprint is not that of the set of channels")
	}
	accept := func(known, found []Finding) bool {
		text, err := WriteBaseline(foldChannels(known))
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseBaseline("known.json", text)
		if err != nil {
			t.Fatal(err)
		}
		b.Accept(found)
		return !slices.ContainsFunc(found, func(f Finding) bool { return f.Suppressed == "" })
	}
	if !accept(all, slices.Clone(all[:1])) || !accept(all, foldChannels(slices.Clone(all))) || !accept(all[:1], slices.Clone(all[:1])) {
		t.Error("a known finding is new")
	}
	if accept(all[:1], slices.Clone(all[2:3])) {
		t.Error("another channel is known")
	}
}
