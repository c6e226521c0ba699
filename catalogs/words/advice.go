package words

// Advice is an error with the command line that helps against it, which is no part of its sentence.
type Advice struct {
	Err     error
	Command string
}

func (a Advice) Error() string { return a.Err.Error() }

func (a Advice) Unwrap() error { return a.Err }
