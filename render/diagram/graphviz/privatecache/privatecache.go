// Package privatecache keeps what go-graphviz caches to the user.
//
// go-graphviz compiles its WebAssembly while the program starts and keeps the native code in a folder that anybody on the
// machine can name before it is made: go-graphviz, below the folder for temporary files. Whoever makes that folder first can
// have the code of their choice run. And it panics, in every command, when the cache cannot be written or has been damaged.
// So this package names another folder for temporary files while go-graphviz starts: one below the user's cache that nobody
// else can write, holding nothing but files whose checksums are right. Where there can be no such folder it names one that
// cannot be made; go-graphviz then compiles in memory, which takes half a second.
//
// Go initialises a package when everything it imports has been, the first in the order of import paths first. This package
// may therefore import nothing that github.com/tetratelabs/wazero does not: it is then ready no later, and its path sorts
// before. A test holds that.
package privatecache

import (
	"os"
	"path/filepath"
)

// begun is made while the program starts, before go-graphviz, and never changed.
var begun = begin()

// start is what has to be put right when go-graphviz has started.
type start struct {
	before []variable
	cache  cache
}

// variable is one of the environment as it was.
type variable struct {
	name, value string
	set         bool
}

func begin() start {
	var s start
	temp := nowhere()
	if cache, ok := open(); ok {
		s.cache = cache
		temp = cache.dir
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // what os.TempDir reads, on one system or another
		value, set := os.LookupEnv(name)
		s.before = append(s.before, variable{name, value, set})
		os.Setenv(name, temp)
	}
	return s
}

// nowhere is a folder in which no other can be made: a file.
func nowhere() string {
	if program, err := os.Executable(); err == nil {
		return filepath.Join(program, "none")
	}
	return filepath.Join(os.DevNull, "none")
}

// Restore gives the program its own folder for temporary files back and notes the checksums of what go-graphviz has
// cached. It is to be called once go-graphviz has started, and reports whether there is a private cache.
func Restore() bool {
	for _, v := range begun.before {
		if v.set {
			os.Setenv(v.name, v.value)
		} else {
			os.Unsetenv(v.name)
		}
	}
	if begun.cache.dir == "" {
		return false
	}
	begun.cache.finish()
	return true
}
