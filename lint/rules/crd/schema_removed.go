package crd

var schemaRemoved = schemaRule("removed", "an upgrade removes a field of an API",
	"objects that have the field lose it silently, and values that controllers and clients set are dropped",
	"existingFieldRemoval")
