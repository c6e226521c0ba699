package lint

// Config says how the rules are to be read in one repository. The zero Config changes nothing.
type Config struct {
	// Severities by rule. Off silences a rule.
	Severities map[string]Severity
	// MaxHops is from how many automatic upgrades on graph/many-hops reports a way; 0 means 20.
	MaxHops int
	// OpenShift is the version whose catalog this is, as "4.18"; empty if it is not known.
	OpenShift string
}

func (c *Config) severity(f Finding) Severity {
	if s, ok := c.Severities[f.Rule]; ok && f.Rule != ParseRule {
		return s
	}
	return f.Severity
}
