package page

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// places makes the positions in catalogs relative to them: the page shows no path of the machine that wrote it.
type places struct {
	roots []string
	said  []*regexp.Regexp // positions in sentences and pictures
}

func newPlaces(roots []string) places {
	var p places
	for _, root := range roots {
		if root = path.Clean(filepath.ToSlash(root)); root == "." || root == "-" {
			continue
		}
		p.roots = append(p.roots, root+"/")
		p.said = append(p.said, regexp.MustCompile(`(^|[\s(>"';“])`+regexp.QuoteMeta(root)+`/([^\s<>"']*:\d)`))
	}
	return p
}

// file returns the path of a file relative to its catalog.
func (p places) file(name string) string {
	for _, root := range p.roots {
		if after, ok := strings.CutPrefix(name, root); ok {
			return after
		}
		if name == strings.TrimSuffix(root, "/") {
			return path.Base(name)
		}
	}
	return name
}

// shorten returns a text with such paths in its positions.
func (p places) shorten(text string) string {
	for i, said := range p.said {
		if strings.Contains(text, p.roots[i]) {
			text = said.ReplaceAllString(text, "$1$2")
		}
	}
	return text
}
