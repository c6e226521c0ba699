package words

// Advice is an error with the command line that helps against it, which is no part of its sentence.
type Advice struct {
	Err     error
	Command string
}

func (a Advice) Error() string { return a.Err.Error() }

func (a Advice) Unwrap() error { return a.Err }

// Similar is an error of a name that does not exist, with one that was probably meant.
type Similar struct {
	Err         error
	Name, Meant string
}

func (s Similar) Error() string { return s.Err.Error() }

func (s Similar) Unwrap() error { return s.Err }
