package csv

// The ways in which an operator can be installed (OLM: OperatorGroup).
var installModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}
