package crd

var schemaRequired = schemaRule("required", "an upgrade makes a field required",
	"objects without the field are refused when they are next written", "required")
