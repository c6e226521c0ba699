package wording

// Told is what changed in a package, in words; or that several packages are new, or removed.
type Told struct {
	Packages []string
	Catalog  int       // the pair of catalogs that has the first row
	In       string    // of several catalogs those that have all rows; or ""
	Rows     []ToldRow // the worst first
	Contents []Contents
}

// Contents are what a new head changes, against what it upgrades.
type Contents struct {
	Title string
	First int // the number of changes to see first, which are the rows of the first part
	Parts []ContentsPart
}

// ContentsPart are the changes of a topic.
type ContentsPart struct {
	Title string
	Rows  []string
}

// ToldRow is one sentence, or more than three differences of one kind in one.
type ToldRow struct {
	In       string   // of several catalogs those that have it, if Told.In is ""
	Bad      bool     // users lose upgrades
	Channels []string // none where it is about the package
	Names    []string // what it is about, mostly entries
	Stranded []string // the entries whose users it strands
	Text     string   // without the channels
}
