package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

const (
	topicRows    = 12 // subjects of a topic, in text without --details
	subjectRows  = 6  // of a subject
	changedNames = 4  // of a row

	messageLength = 241 // characters
)

// seeFirst is the heading of what a reviewer must see first.
const seeFirst = "See first"

// topicTitle is the heading of the changes of a topic.
func topicTitle(t changes.Topic) string {
	return map[changes.Topic]string{changes.Permissions: "Permissions", changes.PodSecurity: "Security of pods", changes.CRDs: "CRDs", changes.Webhooks: "Webhooks",
		changes.Requirements: "Requirements", changes.APIs: "APIs", changes.Deployments: "Deployments", changes.Images: "Images",
		changes.Objects: "Other objects", changes.Texts: "Texts"}[t]
}

// changeTitle is the heading of what a change is said with.
func changeTitle(c changes.Change) string {
	if c.First {
		return seeFirst
	}
	return topicTitle(c.Topic)
}

// sayChanges says what differs between two bundles, what a reviewer must see first before the rest by topic; all of it, or some of each topic.
func sayChanges(a *answer.Answer, r *changes.Report, from, to string, all bool) {
	a.Section("Contents of ", from, " and ", to, ": ", countChanges(r))
	if len(r.Unseen) > 0 {
		a.Say("The manifests of ", strings.Join(r.Unseen, " and "), " are not known: permissions, CRDs, webhooks, Deployments and other objects are not compared. --bundles or --pull missing adds them.")
	}
	sayTopics(a, r.Changes, all)
}

// sayTopics says changes by topic.
func sayTopics(a *answer.Answer, of []changes.Change, all bool) {
	for len(of) > 0 {
		n := 1
		for n < len(of) && changeTitle(of[n]) == changeTitle(of[0]) {
			n++
		}
		role, most := text.Normal, topicRows
		if of[0].First {
			role, most = text.Error, n
		}
		sayTopic(a, changeTitle(of[0]), role, of[:n], most, all)
		of = of[n:]
	}
}

// countChanges counts changes, and those to see first.
func countChanges(r *changes.Report) string {
	count := words.Count(len(r.Changes), "change")
	if n := r.First(); n > 0 {
		count += fmt.Sprintf(", %d important", n)
	}
	return count
}

// sayTopic says changes, of at most so many subjects, or all.
func sayTopic(a *answer.Answer, title string, role text.Role, of []changes.Change, most int, all bool) {
	a.Section(title)
	for subjects := 0; len(of) > 0; subjects++ {
		n := 1
		for n < len(of) && slices.Equal(of[n].Subjects, of[0].Subjects) {
			n++
		}
		if subjects == most && !all && n < len(of) {
			a.Item("and ", words.Count(len(of), "more change"), ": --details lists them")
			return
		}
		saySubject(a, role, of[:n], all)
		of = of[n:]
	}
}

// saySubject says the changes of the same subjects.
func saySubject(a *answer.Answer, role text.Role, of []changes.Change, all bool) {
	subjects := changeSubjects(of[0], all)
	if len(of) == 1 {
		a.Item(text.Styled(subjects+": ", role), shortMessage(of[0].Message, all))
		return
	}
	a.Item(text.Styled(subjects, role))
	shown := of
	if !all && len(of) > subjectRows+1 {
		shown = of[:subjectRows]
	}
	for _, c := range shown {
		a.Detail(shortMessage(c.Message, all))
	}
	if more := len(of) - len(shown); more > 0 {
		a.Detail(fmt.Sprintf("%d more: --details lists them", more))
	}
}

// shortMessage cuts a long message, unless all is wanted.
func shortMessage(message string, all bool) string {
	if all {
		return message
	}
	return text.Shorten(message, messageLength)
}

func changeSubjects(c changes.Change, all bool) string {
	names, more := c.Subjects, len(c.Subjects)-changedNames
	if more > 1 && !all {
		names = names[:changedNames]
	}
	said := joinObjects(names)
	if more > 1 && !all {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}

// objectKind matches what is before the name of an object: Deployment, service account.
var objectKind = regexp.MustCompile(`^(service account|related image|\S+) (\S+)$`)

// joinObjects joins names of objects, and says a kind once for those of it that follow each other.
func joinObjects(names []string) (said string) {
	kind := ""
	for i, name := range names {
		m := objectKind.FindStringSubmatch(name)
		switch {
		case i == 0:
			said = name
		case m != nil && m[1] == kind:
			said += ", " + m[2]
		default:
			said += ", " + name
		}
		if kind = ""; m != nil {
			kind = m[1]
		}
	}
	return said
}

// describeContents says changes for the page.
func describeContents(r *changes.Report) wording.Contents {
	c := wording.Contents{Title: fmt.Sprintf("Contents of %s and %s: %s", r.From.Name.Value, r.To.Name.Value, countChanges(r)), First: r.First()}
	for _, one := range r.Changes {
		title := changeTitle(one)
		if n := len(c.Parts); n == 0 || c.Parts[n-1].Title != title {
			c.Parts = append(c.Parts, wording.ContentsPart{Title: title})
		}
		part := &c.Parts[len(c.Parts)-1]
		part.Rows = append(part.Rows, changeSubjects(one, true)+": "+one.Message)
	}
	return c
}
