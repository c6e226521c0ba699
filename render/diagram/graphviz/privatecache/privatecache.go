// Package privatecache gives go-graphviz a cache that only the user can write.
//
// go-graphviz compiles its WebAssembly while the program starts, and keeps the native code in the folder go-graphviz of the
// temporary folder, which any user of the machine can create first, with code of their choice. It also panics, in every
// command, if the cache cannot be written or is damaged. So this package sets another temporary folder while go-graphviz
// starts: one in the cache of the user that no other user can write, whose files have verified checksums. If there can be no
// such folder, it sets a path at which no folder can be created; go-graphviz then compiles in memory, which takes half a
// second.
//
// Go initializes a package after all its imports, and otherwise in the order of import paths. So this package may import
// nothing that github.com/tetratelabs/wazero does not import: then it is ready no later, and its path sorts before. A test
// checks that.
package privatecache

import (
	"os"
	"path/filepath"
)

// started is set during initialization, before go-graphviz, and never changed.
var started = begin()

// start holds the cache and the changed environment variables until Restore.
type start struct {
	before []variable
	cache  cache
}

// variable is an environment variable before the change.
type variable struct {
	name, value string
	set         bool
}

func begin() start {
	var s start
	temp := unusableDir()
	if cache, ok := open(); ok {
		s.cache = cache
		temp = cache.dir
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // os.TempDir reads these, depending on the system
		value, set := os.LookupEnv(name)
		s.before = append(s.before, variable{name, value, set})
		os.Setenv(name, temp)
	}
	return s
}

// unusableDir returns a path at which no folder can be created, because its parent is a file.
func unusableDir() string {
	if program, err := os.Executable(); err == nil {
		return filepath.Join(program, "none")
	}
	return filepath.Join(os.DevNull, "none")
}

// Restore restores the temporary folder of the program and records the checksums of what go-graphviz has cached. It must be
// called after go-graphviz has started. It reports whether there is a private cache.
func Restore() bool {
	for _, v := range started.before {
		if v.set {
			os.Setenv(v.name, v.value)
		} else {
			os.Unsetenv(v.name)
		}
	}
	if started.cache.dir == "" {
		return false
	}
	started.cache.finish()
	return true
}
