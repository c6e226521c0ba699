package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

const versionName = "version"

func versionCommand() command {
	return command{
		name:  versionName,
		usage: "print the version of olmgraph",
		help:  "exit status: 0; 2 misuse.",
		takes: takes{nothing: true},
		run:   runVersion,
	}
}

func runVersion(c *cli.Context, s *session, to outputs) error {
	_, err := fmt.Fprintf(s.stdout, "olmgraph %s, %s, %s/%s\n%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, origin())
	return err
}

// origin returns a line on what the binary was built from, as the Go command recorded it: a commit, its date in UTC and whether files
// differed from it, or a module and its checksum in go.sum; "" if neither was recorded.
func origin() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return buildOrigin(info)
}

func buildOrigin(info *debug.BuildInfo) string {
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	switch commit := recorded["vcs.revision"]; {
	case commit == "" && info.Main.Sum == "":
		return ""
	case commit == "":
		return fmt.Sprintf("built from %s@%s %s\n", info.Main.Path, info.Main.Version, info.Main.Sum)
	case recorded["vcs.modified"] == "true":
		return fmt.Sprintf("built from commit %s of %s, and changes that are in no commit\n", commit, recorded["vcs.time"])
	default:
		return fmt.Sprintf("built from commit %s of %s\n", commit, recorded["vcs.time"])
	}
}

// version returns the version that the Go command recorded in the binary: a tag, or a pseudo-version of the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}
