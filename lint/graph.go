package lint
var graphRules []Rule
