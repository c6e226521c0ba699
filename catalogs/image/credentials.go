package image

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/olmgraph/olmgraph/catalogs/disk"
)

// keychain returns the credentials of podman and docker: the file that $REGISTRY_AUTH_FILE names, docker's configuration with its
// helpers, and podman's auth.json (containers-auth.json(5)). The library's own keychain is used only if docker has a configuration:
// otherwise it would read podman's files as docker does, by host, and send the password for one namespace of a registry with
// requests for another one.
func keychain() authn.Keychain {
	var chain []authn.Keychain
	if name := os.Getenv("REGISTRY_AUTH_FILE"); name != "" {
		chain = append(chain, authFile{name: name, mustExist: true})
	}
	home, _ := os.UserHomeDir()
	if docker := cmp.Or(os.Getenv("DOCKER_CONFIG"), filepath.Join(home, ".docker")); disk.Exists(filepath.Join(docker, "config.json")) {
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

// Resolve returns the most specific credentials that the file has for a repository.
func (f authFile) Resolve(target authn.Resource) (authn.Authenticator, error) {
	text, err := disk.Read(f.name, maxJSON)
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
		return nil, fmt.Errorf("credentials in %s: %w", f.name, disk.Cause(err))
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

// parent returns the namespace of a repository or namespace, finally its registry.
func parent(key string) string {
	return key[:max(strings.LastIndexByte(key, '/'), 0)]
}
