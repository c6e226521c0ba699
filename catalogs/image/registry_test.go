package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// isolate gives a test no credentials but its own.
func isolate(t *testing.T) (home string) {
	home = t.TempDir()
	for _, key := range []string{"HOME", "USERPROFILE", "DOCKER_CONFIG", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"} {
		t.Setenv(key, home)
	}
	t.Setenv("REGISTRY_AUTH_FILE", "")
	return home
}

// serve starts a registry on loopback behind a handler and returns its address.
func serve(t *testing.T, before func(w http.ResponseWriter, r *http.Request) (done bool)) string {
	t.Helper()
	behind := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before == nil || !before(w, r) {
			behind.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func push(t *testing.T, ref string, what mutate.Appendable, options ...remote.Option) {
	t.Helper()
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	switch what := what.(type) {
	case v1.Image:
		err = remote.Write(parsed, what, options...)
	case v1.ImageIndex:
		err = remote.WriteIndex(parsed, what, options...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRegistry(t *testing.T) {
	isolate(t)
	var mu sync.Mutex
	agents := map[string]bool{}
	host := serve(t, func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		agents[r.UserAgent()] = true
		return false
	})
	amd, arm := imageSaying(t, "linux/amd64", "amd"), imageSaying(t, "linux/arm64", "arm")
	multi := newIndex(map[string]v1.Image{"linux/amd64": amd, "linux/arm64": arm}, true)
	push(t, host+"/ns/one:v1", amd)
	push(t, host+"/ns/one:latest", arm)
	push(t, host+"/ns/multi:v1", multi)
	mu.Lock()
	clear(agents)
	mu.Unlock()
	tests := []struct {
		ref, platform, want string
		fails               []string
	}{
		{"/ns/one:v1", "", "amd", nil},
		{"/ns/one", "", "arm", nil},
		{"/ns/one@" + digestStr(t, amd), "", "amd", nil},
		{"/ns/one:latest@" + digestStr(t, amd), "", "amd", nil},
		{"/ns/one:v1", "linux/arm64", "", []string{"no image for linux/arm64", "(linux/amd64)"}},
		{"/ns/multi:v1", "", "amd", nil},
		{"/ns/multi:v1", "linux/arm64", "arm", nil},
		{"/ns/multi@" + digestStr(t, multi), "linux/arm64", "arm", nil},
		{"/ns/multi:v1", "linux/s390x", "", []string{"no image for linux/s390x", "(linux/arm64)"}},
		{"/ns/one:v2", "", "", []string{"not found", "/ns/one:v2"}},
		{"/ns/none:v1", "", "", []string{"not found", "/ns/none:v1"}},
		{"/NS/one", "", "", []string{"expected the name of an image"}},
	}
	for _, test := range tests {
		got, err := Open(t.Context(), Registry, host+test.ref, Options{Platform: test.platform})
		checkChosen(t, test.ref+" "+test.platform, got, err, test.want, test.fails)
	}
	mu.Lock()
	for agent := range agents {
		if !strings.HasPrefix(agent, "olmgraph ") {
			t.Errorf("user agent %s", agent)
		}
	}
	mu.Unlock()
	got, err := Open(t.Context(), Registry, "//"+host+"/ns/one:v1", Options{})
	if err != nil || got.Digest != digestStr(t, amd) || got.Reference != host+"/ns/one:v1" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCredentials(t *testing.T) {
	const user, password = "me", "s3cret"
	host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		if u, p, ok := r.BasicAuth(); ok && u == user && p == password {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	home := isolate(t)
	const right, wrong = `"auth":"bWU6czNjcmV0"`, `"username":"me","password":"wr0ng"`
	auths := func(key, value string) string { return fmt.Sprintf(`{"auths":{%q:{%s}}}`, key, value) }
	t.Setenv("DOCKER_CONFIG", writeIn(t, home, "config.json", auths(host, right)))
	push(t, host+"/ns/one:v1", imageSaying(t, "linux/amd64", "amd"), remote.WithAuthFromKeychain(keychain()))
	tests := []struct {
		name  string
		files map[string]string // by variable
		want  string            // an error
	}{
		{"none", nil, "unauthorized: " + host},
		{"docker", map[string]string{"DOCKER_CONFIG": auths(host, right)}, ""},
		{"docker, wrong", map[string]string{"DOCKER_CONFIG": auths(host, wrong)}, "unauthorized"},
		{"podman's variable", map[string]string{"REGISTRY_AUTH_FILE": auths(host, right)}, ""},
		{"podman's variable before docker", map[string]string{"REGISTRY_AUTH_FILE": auths(host, right), "DOCKER_CONFIG": auths(host, wrong)}, ""},
		{"docker where podman knows another", map[string]string{"REGISTRY_AUTH_FILE": auths("quay.io", wrong), "DOCKER_CONFIG": auths(host, right)}, ""},
		{"podman's file", map[string]string{"XDG_RUNTIME_DIR": auths(host, right)}, ""},
		{"podman's file beside docker's", map[string]string{"XDG_RUNTIME_DIR": auths(host, right), "DOCKER_CONFIG": "{}"}, ""},
		{"podman's other file", map[string]string{"XDG_CONFIG_HOME": auths(host, right)}, ""},
		{"namespace", map[string]string{"REGISTRY_AUTH_FILE": auths(host+"/ns", right)}, ""},
		{"repository", map[string]string{"REGISTRY_AUTH_FILE": auths(host+"/ns/one", right)}, ""},
		{"other namespace", map[string]string{"REGISTRY_AUTH_FILE": auths(host+"/other", right)}, "unauthorized"},
		{"no JSON", map[string]string{"REGISTRY_AUTH_FILE": password}, "credentials in "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			isolate(t)
			for variable, text := range test.files {
				setCredentials(t, variable, text)
			}
			got, err := Open(t.Context(), Registry, host+"/ns/one:v1", Options{})
			if test.want == "" {
				checkChosen(t, test.name, got, err, "amd", nil)
				return
			}
			wantError(t, err, test.want)
			for _, secret := range []string{password, "wr0ng", "bWU6"} {
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("%q tells a secret", err)
				}
			}
		})
	}
	isolate(t)
	t.Setenv("REGISTRY_AUTH_FILE", filepath.Join(home, "missing.json"))
	_, err := Open(t.Context(), Registry, host+"/ns/one:v1", Options{})
	wantError(t, err, "missing.json: ")
}

// setCredentials writes a file where a variable makes it be found.
func setCredentials(t *testing.T, variable, text string) {
	dir := t.TempDir()
	switch variable {
	case "DOCKER_CONFIG":
		t.Setenv(variable, writeIn(t, dir, "config.json", text))
	case "REGISTRY_AUTH_FILE":
		t.Setenv(variable, filepath.Join(writeIn(t, dir, "any.json", text), "any.json"))
	default:
		writeIn(t, filepath.Join(dir, "containers"), "auth.json", text)
		t.Setenv(variable, dir)
	}
}

// writeIn writes a file in a folder, which it returns.
func writeIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	catalogtest.Write(t, filepath.Join(dir, name), text)
	return dir
}

func TestInsecure(t *testing.T) {
	isolate(t)
	server := httptest.NewUnstartedServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	ref := strings.TrimPrefix(server.URL, "https://") + "/ns/one:v1"
	push(t, ref, imageSaying(t, "linux/amd64", "amd"), remote.WithTransport(server.Client().Transport))
	_, err := Open(t.Context(), Registry, ref, Options{})
	wantError(t, err, "untrusted certificate", "--insecure")
	got, err := Open(t.Context(), Registry, ref, Options{Insecure: true})
	checkChosen(t, ref, got, err, "amd", nil)
}

// TestFaultyRegistry has registries that answer something else.
func TestFaultyRegistry(t *testing.T) {
	isolate(t)
	img := imageSaying(t, "linux/amd64", "amd")
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	layerDigest := digestStr(t, layers[0])
	answer := func(part, text string, status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, part) {
				return false
			}
			w.WriteHeader(status)
			io.WriteString(w, text)
			return true
		}
	}
	tests := []struct {
		name   string
		before func(http.ResponseWriter, *http.Request) bool
		want   string
	}{
		{"forbidden", answer("/manifests/", "<html>\nno", http.StatusForbidden), "unauthorized"},
		{"a fault of its own", answer("/manifests/", "<html>\nno", http.StatusNotImplemented), "answers 501 Not Implemented"},
		{"is not a manifest", answer("/manifests/", "text", http.StatusOK), "no image is there"},
		{"huge manifest", answer("/manifests/", strings.Repeat(" ", maxJSON+1), http.StatusOK), "more than 8 MiB"},
		{"other layer", answer("/blobs/"+layerDigest, "text", http.StatusOK), layerDigest},
		{"no layer", answer("/blobs/"+layerDigest, "", http.StatusNotFound), "not found"},
		{"no registry", answer("/v2/", "text\ntext", http.StatusTeapot), "answers 418"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var broken atomic.Bool
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool { return broken.Load() && test.before(w, r) })
			push(t, host+"/ns/one:v1", img)
			broken.Store(true)
			_, err := Open(t.Context(), Registry, host+"/ns/one:v1", Options{})
			wantError(t, err, test.want)
		})
	}
}

func TestNoAnswer(t *testing.T) {
	isolate(t)
	release := make(chan bool)
	host := serve(t, func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return true
	})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Open(ctx, Registry, host+"/ns/one:v1", Options{})
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
		t.Errorf("%v after %v", err, took)
	}

	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	_, err = Open(t.Context(), Registry, closed.Addr().String()+"/ns/one:v1", Options{})
	wantError(t, err, "refuses the connection")
}

// TestStall has a server that stops in the middle.
func TestStall(t *testing.T) {
	release := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "text")
		w.(http.Flusher).Flush()
		<-release
	}))
	defer server.Close()
	defer close(release)
	transport := newTransport(false)
	transport.stall = 50 * time.Millisecond
	answer, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	time.Sleep(2 * transport.stall) // no Read is waiting
	text, err := io.ReadAll(answer.Body)
	if string(text) != "text" || !errors.Is(err, errStalled) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestRegistryErrors(t *testing.T) {
	ref := name.MustParseReference("registry.example.com/ns/one:v1")
	asked := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://me:s3cret@registry.example.com/v2/", Err: err}
	}
	tests := []struct {
		err  error
		want string
	}{
		{asked(&net.DNSError{Err: "no such host", Name: "registry.example.com", IsNotFound: true}), "no such host: registry.example.com"},
		{asked(errors.New("http: server gave HTTP response to HTTPS client")),
			"registry.example.com does not use TLS: --insecure reads from it without"},
		{asked(os.ErrDeadlineExceeded), "registry.example.com does not answer in time"},
		{asked(errors.New(`invalid proxy address "me:s3cret@proxy": parse`)), "the proxy address of the environment is not valid"},
		{asked(&net.OpError{Op: "proxyconnect", Err: errors.New("me:s3cret@proxy rejected")}),
			"the proxy of the environment does not connect to registry.example.com: proxy rejected"},
		{asked(errors.New("what\nme:s3cret@proxy says")), "registry.example.com: what proxy says"},
	}
	for _, test := range tests {
		if got := registryError(t.Context(), ref, test.err); got.Error() != test.want {
			t.Errorf("%q; want %q", got, test.want)
		}
	}
}

// TestTokenElsewhere: a registry that sends the request for a token to another port is not followed.
func TestTokenElsewhere(t *testing.T) {
	isolate(t)
	for _, name := range []string{"127.0.0.1", "localhost"} {
		asked := false
		_, port, _ := net.SplitHostPort(serve(t, func(http.ResponseWriter, *http.Request) bool {
			asked = true
			return false
		}))
		host := serve(t, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s:%s/token",service="test"`, name, port))
			w.WriteHeader(http.StatusUnauthorized)
			return true
		})
		_, err := Open(t.Context(), Registry, host+"/ns/one:v1", Options{})
		if err == nil || asked || name == "localhost" && !strings.Contains(err.Error(), "the registry leads to a loopback") {
			t.Errorf("%s:%s: %v, asked: %v", name, port, err, asked)
		}
	}
}
