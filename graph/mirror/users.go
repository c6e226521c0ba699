package mirror

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// User is an installed version in a channel.
type User struct {
	Namespace string                `json:"namespace"` // "" without --snapshot
	Package   string                `json:"-"`
	Channel   string                `json:"-"`
	Installed graph.InstalledBundle `json:",inline"` // no name: subscribed, and nothing is installed yet
}

// Label returns the version, or the name where that is not known, and the namespace.
func (u *User) Label() string {
	label := cmp.Or(u.Installed.Version, u.Installed.Name, "nothing")
	if u.Namespace != "" {
		label += " in namespace " + u.Namespace
	}
	return label
}

func labels(users []User) []string {
	var all []string
	for i := range users {
		all = append(all, users[i].Label())
	}
	return all
}

// catalogUsers returns the users of a catalog: those of the snapshot, else every version of every channel that is asked for.
func (r *Report) catalogUsers(at int) []User {
	c := r.Catalogs[at]
	var all []User
	if r.Cluster != nil {
		for i := range r.Cluster.Subscriptions {
			if sub := &r.Cluster.Subscriptions[i]; sub.catalog == at {
				all = append(all, c.subscriptionUser(sub))
			}
		}
		return all
	}
	for _, p := range c.Whole.Packages {
		for _, g := range c.askedChannels(p.Name.Value) {
			all = append(all, channelUsers(c.wholeGraph(p.Name.Value), g)...)
		}
	}
	return all
}

// subscriptionUser returns the user of a Subscription. Without a channel it is that of the default channel.
func (c *Catalog) subscriptionUser(sub *Subscription) User {
	u := User{Namespace: sub.Namespace, Package: sub.Package, Channel: sub.Channel, Installed: sub.Installed}
	if p := c.Whole.Package(sub.Package); p != nil {
		u.Channel = cmp.Or(u.Channel, p.DefaultChannel.Value)
		if b := p.Bundle(u.Installed.Name); b != nil && b.Version.Value != "" {
			u.Installed.Version = b.Version.Value
		}
	}
	return u
}

// askedChannels returns the channels of a package, as they are in the whole catalog, that the image set asks for: those that it names, or all; not those
// without a bundle in the range.
func (c *Catalog) askedChannels(pkg string) []*graph.Graph {
	config := c.Operator.Package(pkg)
	if config == nil && len(c.Operator.Packages) > 0 {
		return nil
	}
	pg, known := c.wholeGraph(pkg), c.filteredGraph(pkg) != nil
	return slices.DeleteFunc(slices.Clone(pg.Graphs), func(g *graph.Graph) bool {
		name := g.Channel.Name.Value
		named := config == nil || len(config.Channels) == 0 || config.Channel(name) != nil
		return !named || known && c.filteredChannel(pkg, name) == nil && name != pg.Package.DefaultChannel.Value
	})
}

// filteredChannel returns the channel after the filter; nil if it is not there, or has no entries.
func (c *Catalog) filteredChannel(pkg, channel string) *graph.Graph {
	pg := c.filteredGraph(pkg)
	if pg == nil {
		return nil
	}
	if g := pg.Graph(channel); g != nil && len(g.Entries()) > 0 {
		return g
	}
	return nil
}

// channelUsers returns what can be installed from a channel: its entries, and the names that they replace or skip though the package no longer has
// them, newest version first.
func channelUsers(pg *graph.PackageGraph, g *graph.Graph) []User {
	var all []User
	for _, row := range pg.InstalledRows(graph.Question{Channel: g}) {
		all = append(all, User{Package: pg.Package.Name.Value, Channel: g.Channel.Name.Value, Installed: row.InstalledBundle})
	}
	return all
}

// upgradeEnd returns where the automatic upgrades of OLM v0 of an installed bundle end in a channel: at itself if there are none.
func upgradeEnd(g *graph.Graph, in graph.InstalledBundle) string {
	next, ok := g.NextFor(in)
	if !ok {
		return in.Name
	}
	_, end, _ := g.Hops(next.To)
	return g.Name(end)
}

// upgradePath returns the bundles to which it is upgraded.
func upgradePath(g *graph.Graph, in graph.InstalledBundle) []string {
	next, ok := g.NextFor(in)
	if !ok {
		return nil
	}
	return g.Names(append([]int{next.To}, g.Reachable(next.To)...))
}

// outcome is what a filter does to a user.
type outcome int

const (
	fine       outcome = iota // upgraded to the head that is left, or as far as in the whole catalog
	stranded                  // an upgrade path is in the whole catalog only
	newer                     // newer than the head that is left
	unmirrored                // the channel is not left, or OLM cannot order it
)

// judge compares a channel before and after the filter for a user. whole may be nil: the channel was never there.
func judge(u *User, whole, left *graph.Graph) outcome {
	if left == nil {
		return unmirrored
	}
	if _, err := left.Order(); err != nil {
		return unmirrored
	}
	if u.Installed.Name == "" {
		return fine
	}
	head, _ := left.Head()
	end := upgradeEnd(left, u.Installed)
	switch {
	case end == left.Name(head), whole == nil, end == upgradeEnd(whole, u.Installed):
		return fine
	case graph.Older(left.Version(head), graph.ParseVersion(u.Installed.Version)):
		return newer
	}
	return stranded
}

// checkUsers finds the users that are not upgraded any more.
func (r *Report) checkUsers(c *Catalog, users []User) {
	var groups memo.Groups[[2]string, User]
	for _, u := range users {
		groups.Add([2]string{u.Package, u.Channel}, u)
	}
	for at, of := range groups.All() {
		r.checkChannelUsers(c, at[0], at[1], of)
	}
}

func (r *Report) checkChannelUsers(c *Catalog, pkg, channel string, users []User) {
	whole, left := c.channel(pkg, channel)
	by := map[outcome][]User{}
	for i := range users {
		o := judge(&users[i], whole, left)
		by[o] = append(by[o], users[i])
	}
	at := c.pos(pkg, channel)
	if found := by[unmirrored]; len(found) > 0 {
		f := r.find(c, kindUnmirrored, Error, at, pkg, channel, c.whyUnmirrored(pkg, channel, whole, left, found))
		f.Users = found
	}
	if found := by[stranded]; len(found) > 0 {
		head, _ := left.Head()
		message := fmt.Sprintf("package %q, channel %q: %s %s stranded: the upgrade path to %s contains bundles that are not mirrored",
			pkg, channel, words.And(labels(found)), words.Plural(len(found), "is", "are"), left.Name(head))
		f := r.find(c, Stranded, Error, at, pkg, channel, message)
		f.Users, f.Bundles = found, missingBundles(whole, left, found)
		if len(f.Bundles) > 0 {
			f.Fix = "mirror " + words.And(f.Bundles)
		}
	}
	if found := by[newer]; len(found) > 0 && r.Cluster != nil {
		head, _ := left.Head()
		r.find(c, kindNewer, Warning, at, pkg, channel, fmt.Sprintf("package %q, channel %q: %s %s newer than %s, the newest that is mirrored: there are no upgrades",
			pkg, channel, words.And(labels(found)), words.Plural(len(found), "is", "are"), left.Name(head))).Users = found
	}
}

// channel returns a channel before and after the filter; nil if it is not there.
func (c *Catalog) channel(pkg, channel string) (whole, left *graph.Graph) {
	if pg := c.wholeGraph(pkg); pg != nil {
		whole = pg.Graph(channel)
	}
	return whole, c.filteredChannel(pkg, channel)
}

// missingBundles returns the first bundle of the upgrade path of each user that is not left, in the order of the channel.
func missingBundles(whole, left *graph.Graph, users []User) []string {
	var found []string
	for i := range users {
		for _, name := range upgradePath(whole, users[i].Installed) {
			if _, ok := left.Index(name); !ok {
				if !slices.Contains(found, name) {
					found = append(found, name)
				}
				break
			}
		}
	}
	return found
}

func (c *Catalog) whyUnmirrored(pkg, channel string, whole, left *graph.Graph, users []User) string {
	who := fmt.Sprintf("%s cannot be upgraded", words.And(labels(users)))
	switch {
	case c.filteredGraph(pkg) == nil && c.Whole.Package(pkg) == nil:
		return fmt.Sprintf("package %q is not in the catalog: %s", pkg, who)
	case c.filteredGraph(pkg) == nil:
		return fmt.Sprintf("package %q is not mirrored: %s", pkg, who)
	case whole == nil:
		return fmt.Sprintf("package %q has no channel %q in the catalog: %s", pkg, channel, who)
	case left == nil:
		return fmt.Sprintf("channel %q of package %q is not mirrored: %s", channel, pkg, who)
	}
	_, err := left.Order()
	return fmt.Sprintf("channel %q of package %q cannot be ordered by OLM, %v: %s", channel, pkg, err, who)
}

// checkUnknown finds packages and channels that the catalog does not have, which oc-mirror ignores.
func (r *Report) checkUnknown(c *Catalog) {
	for i := range c.Operator.Packages {
		config := &c.Operator.Packages[i]
		p := c.Whole.Package(config.Name.Value)
		if p == nil {
			f := r.find(c, unknown, Warning, config.Name.Pos, config.Name.Value, "", fmt.Sprintf("the catalog has no package %q: oc-mirror mirrors nothing for it, and reports nothing", config.Name.Value))
			f.Fix = suggestion(config.Name.Value, c.Whole.PackageNames())
			continue
		}
		for j := range config.Channels {
			name := config.Channels[j].Name
			if p.Channel(name.Value) != nil {
				continue
			}
			f := r.find(c, unknown, Warning, name.Pos, config.Name.Value, name.Value, fmt.Sprintf("package %q has no channel %q: oc-mirror mirrors nothing for it, and reports nothing", config.Name.Value, name.Value))
			f.Fix = suggestion(name.Value, p.ChannelNames())
		}
	}
}

// checkChannels finds channels that are dropped, or have another head, and packages with another default channel.
func (r *Report) checkChannels(c *Catalog) {
	for _, p := range c.Left.Packages {
		pkg := p.Name.Value
		whole := c.wholeGraph(pkg)
		if was := whole.Package.DefaultChannel.Value; was != p.DefaultChannel.Value {
			at := c.Operator.Package(pkg).DefaultChannel.Pos
			r.find(c, defaultMoved, Warning, at, pkg, p.DefaultChannel.Value, fmt.Sprintf("package %q: the default channel is %q instead of %q: Subscriptions without a channel, and dependencies, get it from there",
				pkg, p.DefaultChannel.Value, was))
		}
		for _, g := range whole.Graphs {
			r.checkChannel(c, pkg, g)
		}
	}
}

func (r *Report) checkChannel(c *Catalog, pkg string, g *graph.Graph) {
	name := g.Channel.Name.Value
	config := c.Operator.Package(pkg)
	if config != nil && len(config.Channels) > 0 && config.Channel(name) == nil {
		return
	}
	left := c.filteredChannel(pkg, name)
	if left == nil {
		r.find(c, dropped, Warning, c.pos(pkg, name), pkg, name, fmt.Sprintf("channel %q of package %q has no bundle in the range: it is not mirrored, and Subscriptions to it cannot be upgraded", name, pkg))
		return
	}
	was, ok := g.Head()
	now, one := left.Head()
	if ok && one && g.Name(was) != left.Name(now) {
		f := r.find(c, headMoved, Warning, c.pos(pkg, name), pkg, name, fmt.Sprintf("channel %q of package %q ends at %s instead of its head %s", name, pkg, left.Name(now), g.Name(was)))
		f.Bundles = []string{g.Name(was)}
	}
}

// checkNames finds CatalogSources that get another name.
func (r *Report) checkNames(at int) {
	c := r.Catalogs[at]
	var names []string
	if r.Cluster != nil && !r.Cluster.Described {
		for i := range r.Cluster.Subscriptions {
			sub := &r.Cluster.Subscriptions[i]
			if sub.catalog == at && sub.Source.Name != c.Source && !slices.Contains(names, sub.Source.Name) {
				names = append(names, sub.Source.Name)
			}
		}
	}
	if len(names) == 0 || c.Source == "" {
		return
	}
	slices.Sort(names)
	f := r.find(c, renamed, Warning, c.Operator.Catalog.Pos, "", "", fmt.Sprintf("oc-mirror generates CatalogSource %q, but the Subscriptions name %s: they do not use the mirrored catalog", c.Source, words.And(words.Quote(names))))
	f.Fix = fmt.Sprintf("set spec.source of the Subscriptions to %s", c.Source)
	if strings.HasSuffix(c.Source, "*") {
		f.Fix = "set spec.source of the Subscriptions to the name that oc-mirror generates; it contains the digest of the filtered catalog"
	}
}
