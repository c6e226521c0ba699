package catalogs

// source is where the text of a catalog can be read again.
type source struct{}

// document is the text of one object in a source.
type document struct{}
