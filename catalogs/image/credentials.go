package image

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
)

// keychain looks for credentials where podman and docker do: the file that $REGISTRY_AUTH_FILE names, docker's
// configuration with its helpers, podman's auth.json (containers-auth.json(5)). The library's own keychain is asked only
// where docker has a configuration: else it reads podman's files as docker would, by host, and a registry would be told
// the password for one namespace in it to get at another.
func keychain() authn.Keychain {
	var chain []authn.Keychain
	if name := os.Getenv("REGISTRY_AUTH_FILE"); name != "" {
		chain = append(chain, authFile{name: name, mustExist: true})
	}
	home, _ := os.UserHomeDir()
	if docker := cmp.Or(os.Getenv("DOCKER_CONFIG"), filepath.Join(home, ".docker")); exists(filepath.Join(docker, "config.json")) {
		chain = append(chain, authn.DefaultKeychain)
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		chain = append(chain, authFile{name: filepath.Join(dir, "containers", "auth.json")})
	}
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	return authn.NewMultiKeychain(append(chain, authFile{name: filepath.Join(config, "containers", "auth.json")})...)
}

// authFile is a file with credentials.
type authFile struct {
	name      string
	mustExist bool
}

// Resolve returns the credentials for a repository, the most specific ones that the file has.
func (f authFile) Resolve(target authn.Resource) (authn.Authenticator, error) {
	text, err := os.ReadFile(f.name)
	if os.IsNotExist(err) && !f.mustExist {
		return authn.Anonymous, nil
	}
	var content struct {
		Auths map[string]authn.AuthConfig `json:"auths"`
	}
	if err == nil {
		err = json.Unmarshal(text, &content)
	}
	if err != nil {
		return nil, fmt.Errorf("credentials in %s: %w", f.name, cause(err))
	}
	for key := target.String(); key != ""; key = parent(key) {
		if found, ok := content.Auths[key]; ok {
			return authn.FromConfig(found), nil
		}
	}
	if target.RegistryStr() == "index.docker.io" {
		for _, key := range []string{authn.DefaultAuthKey, "docker.io"} {
			if found, ok := content.Auths[key]; ok {
				return authn.FromConfig(found), nil
			}
		}
	}
	return authn.Anonymous, nil
}

// parent returns what a repository is in: its namespace, at last its registry.
func parent(key string) string {
	return key[:max(strings.LastIndexByte(key, '/'), 0)]
}
