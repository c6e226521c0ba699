package registryadd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// parse returns the bundles of lines "version channels [replaces=R] [skips=S,T] [default=D] [name=N] [new] [ends]", of which the names are v and the
// version.
func parse(text string) []Bundle {
	var all []Bundle
	for line := range strings.SplitSeq(text, ";") {
		fields := strings.Fields(line)
		b := Bundle{Name: "v" + fields[0], Published: true, Version: strings.TrimPrefix(fields[0], "none"), Channels: strings.Split(fields[1], ",")}
		for _, f := range fields[2:] {
			switch key, value, _ := strings.Cut(f, "="); key {
			case "replaces":
				b.Replaces = value
			case "skips":
				b.Skips = strings.Split(value, ",")
			case "default":
				b.DefaultChannel = value
			case "name":
				b.Name = value
			case "new":
				b.Published = false
			case "ends":
				b.Ends = true
			}
		}
		all = append(all, b)
	}
	return all
}

// format returns what was published, as "default; channel: head>next(skipped); …; rejected name".
func format(bundles []Bundle, p *Package) string {
	text := p.DefaultChannel
	for _, c := range p.Channels {
		text += fmt.Sprintf("; %s:", c.Name)
		for _, e := range c.Entries {
			text += " " + bundles[e.Bundle].Name
			if e.Replaces != "" {
				text += ">" + e.Replaces
			}
			if len(e.Skips) > 0 {
				text += "(" + strings.Join(e.Skips, ",") + ")"
			}
		}
		for _, pruned := range c.Pruned {
			text += fmt.Sprintf(" -%s by %s", bundles[pruned.Bundle].Name, bundles[pruned.By].Name)
		}
	}
	for _, r := range p.Rejected {
		text += fmt.Sprintf("; rejected %s %d", bundles[r.Bundle].Name, r.Reason)
	}
	return text
}

// TestPublish wants what opm v1.65.0 answers when the bundles are added to an index one by one in that order.
func TestPublish(t *testing.T) {
	for _, c := range []struct {
		mode          Mode
		bundles, want string
	}{
		// A head that does not lead to the bundles before it removes them; of another channel it takes what it replaces.
		{modeReplaces, "1.0.0 a; 1.1.0 a replaces=v1.0.0; 2.0.0 a", "a; a: v2.0.0 -v1.0.0 by v2.0.0 -v1.1.0 by v2.0.0"},
		{modeReplaces, "1.0.0 a; 1.1.0 b replaces=v1.0.0", "a; a: v1.0.0; b: v1.1.0>v1.0.0 v1.0.0"},
		// What is skipped stays without edges; a skipRange keeps nothing.
		{modeReplaces, "1.0.0 a; 1.1.0 a replaces=v1.0.0; 1.2.0 a replaces=v1.0.0 skips=v1.1.0,v0.9.0", "a; a: v1.2.0>v1.0.0(v1.1.0,v0.9.0) v1.0.0 v1.1.0"},
		// A removed bundle comes back if a later head leads to it.
		{modeReplaces, "1.0.0 a; 1.1.0 a; 1.2.0 a replaces=v1.0.0 skips=v1.1.0", "a; a: v1.2.0>v1.0.0(v1.1.0) v1.0.0 v1.1.0"},
		{modeReplaces, "1.0.0 a replaces=v0.9.0; 1.1.0 a replaces=v1.0.0; 1.2.0 a", "a; a: v1.2.0; rejected v1.0.0 7; rejected v1.1.0 7"},
		{modeReplaces, "1.0.0 a replaces=v1.0.0", "; rejected v1.0.0 8"},
		{modeReplaces, "1.0.0 a skips=v1.0.0", "; rejected v1.0.0 10"},
		{modeReplaces, "1.0.0 a skips=v1.1.0; 1.1.0 a", "a; a: v1.0.0(v1.1.0); rejected v1.1.0 9"},
		{modeReplaces, "1.0.0 a; 1.0.0 a name=w", "a; a: v1.0.0; rejected w 3"},
		{modeReplaces, "1.0.0 a default=a; 1.0.0 b name=w", "a; a: v1.0.0; rejected w 3"},
		{modeReplaces, "1.0.0 a; 1.0.0+1 a replaces=v1.0.0", "a; a: v1.0.0+1>v1.0.0 v1.0.0"},
		{modeReplaces, "1.0.0 a; 1.0.0+b a; 1.0.0+10 a replaces=v1.0.0; 1.0.0+9 a", "a; a: v1.0.0+b -v1.0.0 by v1.0.0+b -v1.0.0+9 by v1.0.0+10 -v1.0.0+10 by v1.0.0+b"},
		{modeReplaces, "none a; 1.0.0 a replaces=vnone", "a; a: v1.0.0>vnone vnone"},
		{modeReplaces, "1.0 a; 1.0.0 a name=v1.0; 1.1.0 a name=v1.0", "a; a: v1.0; rejected v1.0 2; rejected v1.0 1"},
		{modeReplaces, "1.0.0 a,a", "; rejected v1.0.0 4"},
		// A default channel that a later version opens is there when the bundle is tried again.
		{modeReplaces, "1.0.0 a default=b; 2.0.0 b", "b; a: v1.0.0; b: v2.0.0"},
		{modeReplaces, "1.0.0 a default=z", "; rejected v1.0.0 6"},
		// A default channel that only a version above opens which replaces them: they were added at once. The higher ones come later.
		{modeReplaces, "1.0.0 a default=b; 1.1.0 a default=b replaces=v1.0.0; 1.2.0 b replaces=v1.1.0 default=b; 1.3.0 b replaces=v1.2.0 default=b",
			"b; a: v1.1.0>v1.0.0 v1.0.0; b: v1.3.0>v1.2.0 v1.2.0>v1.1.0 v1.1.0>v1.0.0 v1.0.0"},
		// What the batch prunes is not added, nor what replaces a version that was not.
		{modeReplaces, "1.0.0 a default=b; 1.1.0 a default=b; 1.2.0 b replaces=v1.1.0 default=b", "b; a: v1.1.0; b: v1.2.0>v1.1.0 v1.1.0; rejected v1.0.0 6"},
		{modeReplaces, "1.0.0 a default=b replaces=v0.1.0; 1.1.0 b replaces=v1.0.0", "; rejected v1.0.0 6; rejected v1.1.0 7"},
		{modeReplaces, "1.0.0 a default=b; 1.0.0 b replaces=v1.0.0 name=w", "; rejected v1.0.0 6; rejected w 7"},
		// Two that replace nothing, of which each opens the default channel of the other, are left in the end.
		{modeReplaces, "1.0.0 a default=b; 2.0.0 b default=a", "a; a: v1.0.0; b: v2.0.0"},
		{SemVer, "1.0.0 a default=b; 1.1.0 b default=a", "; rejected v1.0.0 6; rejected v1.1.0 6"},
		{modeReplaces, "1.0.0 a,b", "; rejected v1.0.0 5"},
		// A lower version that is added later has to be what the head leads to.
		{modeReplaces, "1.0.0 a; 1.0.1 a,b replaces=v1.0.0 new; 2.0.0 a replaces=v1.0.0", "a; a: v2.0.0>v1.0.0 v1.0.0; rejected v1.0.1 11"},
		{modeReplaces, "1.0.0 a; 1.0.1 a replaces=v1.0.0; 2.0.0 a replaces=v1.0.0", "a; a: v2.0.0>v1.0.0 v1.0.0 -v1.0.1 by v2.0.0"},
		{modeReplaces, "1.0.0 a; 1.0.1 b replaces=v1.0.0 new; 2.0.0 a replaces=v1.0.0", "a; a: v2.0.0>v1.0.0 v1.0.0; b: v1.0.1>v1.0.0 v1.0.0"},
		{modeReplaces, "1.0.0 a; 1.0.1 a replaces=v1.0.0 new; 2.0.0 a replaces=v1.0.0 skips=v1.0.1", "a; a: v2.0.0>v1.0.0(v1.0.1) v1.0.0 v1.0.1"},
		// The semver modes read no edges, and put every version in one line.
		{SemVer, "1.1.0 a replaces=v0.9.0; 1.0.0 a,b; 2.0.0 a skips=v1.1.0; 1.2.0 b", "a; a: v2.0.0>v1.1.0 v1.1.0>v1.0.0 v1.0.0; b: v1.2.0>v1.0.0 v1.0.0"},
		{SemVer, "1.0.0 b,a; 1.1.0 b default=b; 1.2.0 a", "b; a: v1.2.0>v1.0.0 v1.0.0; b: v1.1.0>v1.0.0 v1.0.0"},
		{SemVer, "1.0.0 a; 1.0.0+1 a", "a; a: v1.0.0; rejected v1.0.0+1 3"},
		{SemVer, "none a", "; rejected vnone 2"},
		{SemVer, "1.0.0 a default=z", "; rejected v1.0.0 6"},
		// A patch skips the lower ones where these are the end of the channel; the next version makes the only one of them a link.
		{SkipPatch, "1.0.0 a; 1.0.1 a", "a; a: v1.0.1(v1.0.0) v1.0.0"},
		{SkipPatch, "1.0.0 a; 1.0.1 a; 1.1.0 a", "a; a: v1.1.0>v1.0.1 v1.0.1>v1.0.0 v1.0.0"},
		{SkipPatch, "1.0.0 a; 1.0.1 a; 1.0.2 a; 1.1.0 a", "a; a: v1.0.2(v1.0.0,v1.0.1) v1.0.0 v1.0.1; rejected v1.1.0 12"},
		{SkipPatch, "1.0.0 a; 1.1.0 a; 1.1.1 a", "a; a: v1.1.0>v1.0.0 v1.0.0; rejected v1.1.1 12"},
	} {
		bundles := parse(c.bundles)
		if got := format(bundles, Publish(c.mode, c.mode, bundles)); got != c.want {
			t.Errorf("%d %s:\ngot  %s\nwant %s", c.mode, c.bundles, got, c.want)
		}
	}
}

// TestPublishInOneStep: if nothing is rejected, the head of a channel in replaces-mode is the highest version that names it, and its
// members are what that replaces and so on, and what these skip.
func TestPublishInOneStep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := 0
	for range 3000 {
		bundles := randomBundles(r)
		p := Publish(modeReplaces, modeReplaces, bundles)
		if len(p.Rejected) > 0 {
			continue
		}
		whole++
		if got, want := describeMembers(bundles, p), membersInOneStep(bundles); got != want {
			t.Fatalf("%+v:\ngot  %s\nwant %s", bundles, got, want)
		}
	}
	if whole < 500 {
		t.Errorf("only %d packages without a rejected bundle", whole)
	}
}

// randomBundles returns bundles by version, of which each replaces or skips lower ones.
func randomBundles(r *rand.Rand) []Bundle {
	var all []Bundle
	for minor := range 1 + r.IntN(9) {
		b := Bundle{Name: fmt.Sprintf("v1.%d.0", minor), Version: fmt.Sprintf("1.%d.0", minor), DefaultChannel: "a", Channels: []string{"a"}}
		for _, name := range []string{"b", "c"} {
			if r.IntN(2) == 0 {
				b.Channels = append(b.Channels, name)
			}
		}
		if r.IntN(5) == 0 && len(b.Channels) > 1 {
			b.Channels = b.Channels[1:]
		}
		if minor > 0 && r.IntN(5) > 0 {
			b.Replaces = all[max(0, minor-1-r.IntN(2))].Name
		}
		for range r.IntN(3) {
			if minor > 0 {
				b.Skips = append(b.Skips, all[r.IntN(minor)].Name)
			}
		}
		all = append(all, b)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func describeMembers(bundles []Bundle, p *Package) string {
	var lines []string
	for _, c := range p.Channels {
		var names []string
		for _, e := range c.Entries {
			names = append(names, bundles[e.Bundle].Name)
		}
		slices.Sort(names)
		lines = append(lines, fmt.Sprint(c.Name, " ", bundles[c.Head].Name, names))
	}
	return strings.Join(lines, "\n")
}

func membersInOneStep(bundles []Bundle) string {
	byName, heads := map[string]*Bundle{}, map[string]*Bundle{}
	for i := range bundles {
		b := &bundles[i]
		byName[b.Name] = b
		for _, name := range b.Channels {
			if heads[name] == nil || b.Version > heads[name].Version {
				heads[name] = b
			}
		}
	}
	var lines []string
	for name, head := range heads {
		members := map[string]bool{}
		for b := head; b != nil; b = byName[b.Replaces] {
			members[b.Name] = true
			for _, skip := range b.Skips {
				members[skip] = true
			}
		}
		var names []string
		for member := range members {
			names = append(names, member)
		}
		slices.Sort(names)
		lines = append(lines, fmt.Sprint(name, " ", head.Name, names))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestPublishEnds wants that a channel ends at a bundle that was published though the index never had what it replaces, as in the indexes
// of OpenShift versions that the replaced bundle does not support.
func TestPublishEnds(t *testing.T) {
	for bundles, want := range map[string]string{
		"1.1.0 a replaces=v1.0.0 ends; 1.2.0 a replaces=v1.1.0":             "a; a: v1.2.0>v1.1.0 v1.1.0>v1.0.0",
		"1.1.0 a,b replaces=v1.0.0 ends; 1.2.0 a replaces=v1.1.0 default=b": "b; a: v1.2.0>v1.1.0 v1.1.0>v1.0.0; b: v1.1.0>v1.0.0",
		"1.1.0 a replaces=v1.0.0 skips=v1.0.0,v0.9.0 ends":                  "a; a: v1.1.0>v1.0.0(v1.0.0,v0.9.0)",
		// Only that bundle: what else replaces the same one is rejected.
		"1.1.0 a replaces=v1.0.0 ends; 1.2.0 a replaces=v1.0.0 new": "a; a: v1.1.0>v1.0.0; rejected v1.2.0 7",
		// It does not end at a bundle that is there.
		"1.0.0 a; 1.1.0 a replaces=v1.0.0 ends": "a; a: v1.1.0>v1.0.0 v1.0.0",
	} {
		if all := parse(bundles); format(all, Publish(modeReplaces, modeReplaces, all)) != want {
			t.Errorf("%s: got %s, want %s", bundles, format(all, Publish(modeReplaces, modeReplaces, all)), want)
		}
	}
}

// TestPublishInAnotherMode wants what opm v1.65.0 answers when the last bundle is added in another mode than the others.
func TestPublishInAnotherMode(t *testing.T) {
	for _, c := range []struct {
		before, mode  Mode
		bundles, want string
	}{
		// The channels are not made again: 1.2.0 does not come into a, and keeps what it replaces.
		{modeReplaces, SemVer, "1.0.0 a; 1.1.0 b replaces=v1.0.0; 1.2.0 b replaces=v1.0.0; 1.3.0 b new",
			"a; a: v1.0.0; b: v1.3.0>v1.2.0 v1.2.0>v1.0.0 v1.0.0"},
		{modeReplaces, SemVer, "1.0.0 a; 1.2.0 a replaces=v1.0.0 skips=v0.9.0; 1.1.0 a new", "a; a: v1.2.0>v1.1.0 v1.1.0>v1.0.0 v1.0.0"},
		{modeReplaces, SemVer, "1.0.0 a skips=v0.9.0; 1.1.0 a new", "a; a: v1.1.0>v1.0.0 v1.0.0(v0.9.0)"},
		{modeReplaces, SemVer, "1.0.0 a; 1.1.0 a; 1.2.0 a replaces=v1.0.0 skips=v1.1.0; 1.3.0 a new",
			"a; a: v1.2.0>v1.0.0(v1.1.0) v1.0.0 v1.1.0; rejected v1.3.0 12"},
		{modeReplaces, SkipPatch, "1.0.0 a; 1.0.1 a replaces=v1.0.0; 1.0.2 a new", "a; a: v1.0.2(v1.0.0,v1.0.1) v1.0.0 v1.0.1"},
		{SemVer, SkipPatch, "1.0.0 a; 1.0.1 a; 1.0.2 a new", "a; a: v1.0.2(v1.0.0,v1.0.1) v1.0.0 v1.0.1"},
		// In replaces-mode all channels are made again.
		{SemVer, modeReplaces, "1.0.0 a; 1.1.0 a; 1.2.0 b new", "a; a: v1.1.0 -v1.0.0 by v1.2.0; b: v1.2.0"},
		{SemVer, modeReplaces, "1.0.0 a; 1.1.0 a replaces=v0.1.0; 1.2.0 b new", "a; a: v1.1.0>v1.0.0 v1.0.0; rejected v1.2.0 7"},
		// Without a new bundle nothing is published, and what was rejected before is not tried in the other mode.
		{modeReplaces, SemVer, "1.0.0 a; 1.1.0 a", "a; a: v1.1.0 -v1.0.0 by v1.1.0"},
		{modeReplaces, SemVer, "1.0.0 a; 1.1.0 a replaces=v0.1.0; 1.2.0 a new", "a; a: v1.2.0>v1.0.0 v1.0.0; rejected v1.1.0 7"},
	} {
		bundles := parse(c.bundles)
		if got := format(bundles, Publish(c.before, c.mode, bundles)); got != c.want {
			t.Errorf("%d then %d %s:\ngot  %s\nwant %s", c.before, c.mode, c.bundles, got, c.want)
		}
	}
}
